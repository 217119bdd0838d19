import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { holdProject } from '../../src/orchestrate/state-files.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { workerOf } from '../worker.js';
import type { Answer, Task } from './left-worker.js';

const inProcess = workerOf<Task, Answer>(fileURLToPath(new URL('left-worker.ts', import.meta.url)));
const HOLDER = '.ultraplan/state/holder.json';

/** As another would be told of whoever has it; undefined where nobody does. */
async function askHolder(root: string): Promise<string | undefined> {
  try {
    (await holdProject(new Workspace(root))).release();
    return undefined;
  } catch (error) {
    return (error as UserError).message;
  }
}

test('one has it, until it lets go', async () => {
  const root = makeFolder();
  expect(await askHolder(root)).toBeUndefined();
  const held = await holdProject(new Workspace(root));
  expect(await askHolder(root)).toMatch(
    new RegExp(`\\(process ${process.pid}, since \\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z\\)\\.$`),
  );
  held.release();
  expect(await askHolder(root)).toBeUndefined();
});

test('another process is refused, and told who has it and since when', async () => {
  const root = makeFolder();
  const held = await holdProject(new Workspace(root));
  const refused = await askHolder(root);
  expect(refused).toContain(
    `Another teddy orchestrate is running in this project (process ${process.pid}, since `,
  );
  expect(await inProcess({ root, command: null })).toEqual({ how: 'returned', refused });
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
  const held = await holdProject(new Workspace(root));
  expect(await askHolder(root)).toContain(`(process ${process.pid}, since `);
  held.release();
});

test('what somebody wrote over the name is not believed', async () => {
  const root = makeFolder();
  const held = await holdProject(new Workspace(root));
  writeFileSync(join(root, HOLDER), '{"pid": 1, "started_at": "\\u001b[2Jnow"}');
  await expect(holdProject(new Workspace(root))).rejects.toThrow(
    'Another teddy orchestrate is running in this project (unknown process).',
  );
  held.release();
});
