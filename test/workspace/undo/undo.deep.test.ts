import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Workspace } from '../../../src/workspace/workspace.js';
import { begin, put, root, snapshot } from './project.js';

/** Redo brings back files, and the folders that they need. */
function filesOf(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/')));
}

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
