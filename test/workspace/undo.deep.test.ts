import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workspace } from '../../src/workspace/workspace.js';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'teddy-undo-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Every path under the root but `.teddy`: content, mode, or what a link says. */
function snapshot(folder = root, prefix = ''): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    if (prefix === '' && name === '.teddy') continue;
    const path = join(folder, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory())
      Object.assign(seen, { [`${prefix}${name}/`]: mode }, snapshot(path, `${prefix}${name}/`));
    else seen[prefix + name] = `${mode} ${readFileSync(path, 'utf8')}`;
  }
  return seen;
}

/** Redo brings back files, and the folders that they need. */
function filesOf(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/')));
}

const put = async (workspace: Workspace, path: string, text: string | null, mode?: number) => {
  const full = join(root, path);
  const before = existsSync(full) ? hash(readFileSync(full, 'utf8')) : null;
  const after = text === null ? null : Buffer.from(text);
  const result = await workspace.commit([{ path, before, after, ...(mode === undefined ? {} : { mode }) }], {
    run: 'r',
  });
  expect(result.status).toBe('committed');
};

/** Starts a run and ends its life, as a process does that has no more to say. */
const begin = async (workspace: Workspace, id: string) => {
  const begun = await workspace.beginRun(() => ({ id, files: {}, note: { kind: 'begun' } }));
  if (begun.status === 'begun') begun.folder.close();
  return begun.status;
};

describe('undo', () => {
  test('after any sequence of commits the tree is what it was, modes and folders included', async () => {
    const paths = fc.constantFrom('a.txt', 'b.txt', 'old/c.txt', 'new/d.txt', 'new/deep/e.txt', 'link.txt');
    const step = fc.record({
      path: paths,
      what: fc.constantFrom('write', 'remove', 'append', 'chmod'),
      text: fc.constantFrom('', 'one\n', 'two\r\n', '\ufeffthree'),
      mode: fc.constantFrom(0o644, 0o755, 0o600),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(join(root, 'old'), { recursive: true });
        writeFileSync(join(root, 'a.txt'), 'first\n');
        chmodSync(join(root, 'a.txt'), 0o750);
        writeFileSync(join(root, 'old/c.txt'), 'kept');
        symlinkSync('old/c.txt', join(root, 'link.txt'));
        const before = snapshot();
        const workspace = new Workspace(root);
        await begin(workspace, 'r');
        for (const { path, what, text, mode } of steps) {
          const full = join(root, path);
          const there = existsSync(full);
          if (what === 'append') {
            const offset = there ? statSync(full).size : 0;
            await workspace.commit([{ path, append: Buffer.from(text), offset }], { run: 'r' });
          } else if (what === 'write') await put(workspace, path, text);
          else if (there && what === 'remove' && path !== 'link.txt' && path !== 'old/c.txt')
            await put(workspace, path, null);
          else if (there && what === 'chmod') await put(workspace, path, readFileSync(full, 'utf8'), mode);
        }
        const left = snapshot();
        const result = await workspace.undo('r');
        if (result.status !== 'unknown') expect(result).toMatchObject({ status: 'undone', refused: [] });
        expect(snapshot()).toEqual(before);
        if (result.status === 'unknown') return;
        expect(await workspace.redo('r')).toMatchObject({ status: 'redone' });
        expect(filesOf(snapshot())).toEqual(filesOf(left));
        await workspace.undo('r');
        expect(snapshot()).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});
