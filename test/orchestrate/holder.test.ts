import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { UserError } from '../../src/node/user-error.js';
import { holderOf, holdProject } from '../../src/orchestrate/state-files.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder, readTree } from '../folder.js';
import { workerOf } from '../worker.js';
import type { Answer, Task } from './left-worker.js';

const inProcess = workerOf<Task, Answer>(fileURLToPath(new URL('left-worker.ts', import.meta.url)));
const HOLDER = '.ultraplan/state/holder.json';

test('one has it, until it lets go', async () => {
  const workspace = new Workspace(makeFolder());
  expect(holderOf(workspace)).toBeUndefined();
  const held = await holdProject(workspace);
  const holder = holderOf(workspace);
  expect(holder).toEqual({
    pid: process.pid,
    startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/),
  });
  held.release();
  expect(holderOf(workspace)).toBeUndefined();
  (await holdProject(workspace)).release();
});

test('another process is refused, and told who has it and since when', async () => {
  const root = makeFolder();
  const held = await holdProject(new Workspace(root));
  const { startedAt } = holderOf(new Workspace(root))!;
  const answer = await inProcess({ root, command: null });
  expect(answer).toEqual({
    how: 'returned',
    refused: `Another teddy orchestrate works on this project (process ${process.pid}, since ${startedAt}).`,
  });
  held.release();
  expect(await inProcess({ root, command: null })).toEqual({ how: 'returned', refused: null });
});

test('of many at once exactly one gets it, and the others name it', async () => {
  const root = makeFolder();
  const all = await Promise.allSettled(Array.from({ length: 6 }, () => holdProject(new Workspace(root))));
  const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
  expect(refused.length).toBe(5);
  for (const error of refused) {
    expect(error).toBeInstanceOf(UserError);
    expect(error.message).toContain(`(process ${process.pid}, since 2`);
  }
  for (const each of all) if (each.status === 'fulfilled') each.value.release();
});

test('who was killed has it no longer, whatever is written', async () => {
  const root = makeFolder();
  expect(await inProcess({ root, command: 'echo begun' })).toEqual({ how: 'killed' });
  expect(JSON.parse(readFileSync(join(root, HOLDER), 'utf8')).pid).not.toBe(process.pid);
  expect(holderOf(new Workspace(root))).toBeUndefined();
  const held = await holdProject(new Workspace(root));
  expect(holderOf(new Workspace(root))?.pid).toBe(process.pid);
  held.release();
});

test('what somebody wrote over the name is not believed', async () => {
  const root = makeFolder();
  const held = await holdProject(new Workspace(root));
  writeFileSync(join(root, HOLDER), '{"pid": 1, "started_at": "\\u001b[2Jnow"}');
  expect(holderOf(new Workspace(root))).toEqual({});
  await expect(holdProject(new Workspace(root))).rejects.toThrow(
    'Another teddy orchestrate works on this project (which process is not written down).',
  );
  held.release();
});

test('to ask who has it makes nothing', () => {
  const root = makeFolder();
  holderOf(new Workspace(root));
  expect(readTree(root)).toEqual({});
});
