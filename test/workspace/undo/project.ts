import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Workspace } from '../../../src/workspace/workspace.js';

export const hash = (text: string) => createHash('sha256').update(text).digest('hex');

export let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'teddy-undo-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Every path under the root but `.teddy`: content, mode, or what a link says. */
export function snapshot(folder = root, prefix = ''): Record<string, string> {
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

export const put = async (workspace: Workspace, path: string, text: string | null, mode?: number) => {
  const full = join(root, path);
  const before = existsSync(full) ? hash(readFileSync(full, 'utf8')) : null;
  const after = text === null ? null : Buffer.from(text);
  const result = await workspace.commit([{ path, before, after, ...(mode === undefined ? {} : { mode }) }], {
    run: 'r',
  });
  expect(result.status).toBe('committed');
};

/** Starts a run and ends its life, as a process does that has no more to say. */
export const begin = async (workspace: Workspace, id: string) => {
  const begun = await workspace.beginRun(() => ({ id, files: {}, note: { kind: 'begun' } }));
  if (begun.status === 'begun') begun.folder.close();
  return begun.status;
};
