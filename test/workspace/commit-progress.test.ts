import { expect, test } from 'vitest';
import type { CommitProgress } from '../../src/workspace/commit/change.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

test('a commit says how far it is, phase by phase and file by file', async () => {
  const workspace = new Workspace(makeFolder());
  const begun = await workspace.beginRun(() => ({ id: 'r', files: {}, note: { kind: 'begun' } }));
  if (begun.status !== 'begun') throw new Error(begun.status);
  const seen: CommitProgress[] = [];
  workspace.onProgress = (progress) => seen.push(progress);
  const changes = ['a', 'b', 'c'].map((path) => ({ path, before: null, after: Buffer.from(path) }));
  expect((await workspace.commit(changes, { run: 'r' })).status).toBe('committed');
  // The fourth file is the journal's record of the commit.
  const counted = (phase: CommitProgress['phase'], of: number) =>
    Array.from({ length: of }, (_, done) => ({ phase, done, of }));
  expect(seen).toEqual([...counted('copying', 3), ...counted('staging', 4), ...counted('placing', 4)]);
  begun.folder.close();
});
