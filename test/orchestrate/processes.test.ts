import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { isAlive, type ProcessMark } from '../../src/node/process/process-table.js';
import { runProcess } from '../../src/node/process/run.js';
import type { ProcessResult } from '../../src/node/process/types.js';
import { endLeftProcesses, openProcessList } from '../../src/orchestrate/processes.js';
import { prepareState } from '../../src/orchestrate/state-files.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { workerOf } from '../worker.js';
import type { Answer, Task } from './left-worker.js';

const inProcess = workerOf<Task, Answer>(fileURLToPath(new URL('left-worker.ts', import.meta.url)));
const PATH = '.ultraplan/state/processes.jsonl';

async function makeProject() {
  const root = makeFolder();
  const workspace = new Workspace(root);
  await prepareState(workspace);
  const processes = openProcessList(workspace);
  onTestFinished(() => processes.close());
  return { root, workspace, processes, file: join(root, PATH) };
}

/** A command that would go on for long, ended after the test; `over` says how it ended. */
function begin(root: string): Promise<{ mark: ProcessMark; over: Promise<ProcessResult> }> {
  const patience = new AbortController();
  onTestFinished(() => patience.abort());
  return new Promise((resolve) => {
    let begun: ProcessMark;
    const over: Promise<ProcessResult> = runProcess({
      command: { shell: 'sleep 1000 & sleep 1000 & echo begun; wait' },
      cwd: root,
      env: { PATH: process.env.PATH },
      capture: { bytes: 1000 },
      signal: patience.signal,
      onStart: (mark) => {
        begun = mark;
      },
      onOutput: () => resolve({ mark: begun, over }),
    });
  });
}

test('what was begun and is not over is ended, and nothing else', async () => {
  const { root, workspace, processes, file } = await makeProject();
  const [left, done] = [await begin(root), await begin(root)];
  processes.note(left.mark, '03-01:1, attempt 1');
  processes.note(done.mark, '03-01:2, attempt 1');
  processes.remove(done.mark);
  // The shell and both that it began.
  expect(await endLeftProcesses(workspace)).toEqual({ ended: 3 });
  expect(await left.over).toMatchObject({ status: 'signalled', signal: 'SIGKILL' });
  expect(isAlive(done.mark)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(await endLeftProcesses(workspace)).toEqual({ ended: 0 });
});

test('what an orchestrator left that was killed is ended with all that it began', async () => {
  const root = makeFolder();
  // As clients do it: one of them in a session of its own.
  const apart = `setsid sh -c 'echo $$ > apart; exec sleep 1000' >/dev/null 2>&1 & until test -s apart; do sleep 0.02; done`;
  const command = `sleep 1000 & echo $! > child; ${apart}; echo begun; wait`;
  expect(await inProcess({ root, command })).toEqual({ how: 'killed' });
  const left = ['child', 'apart'].map((name) => Number(readFileSync(join(root, name), 'utf8')));
  expect(left.map(isRunning)).toEqual([true, true]);
  expect(await endLeftProcesses(new Workspace(root))).toEqual({ ended: 3 });
  expect(left.map(isRunning)).toEqual([false, false]);
});

test('the temporary folder of what was left is removed with it', async () => {
  const { root, workspace, processes } = await makeProject();
  const [left, done] = [join(root, 'left'), join(root, 'done')];
  for (const folder of [left, done]) mkdirSync(folder);
  const [leftMark, doneMark] = [
    { pid: 999_999_998, born: 'long ago' },
    { pid: 999_999_999, born: 'long ago' },
  ];
  processes.note(leftMark, '03-01:1, attempt 1', left);
  processes.note(doneMark, '03-01:2, attempt 1', done);
  processes.remove(doneMark);
  await endLeftProcesses(workspace);
  expect([left, done].map((folder) => existsSync(folder))).toEqual([false, true]);
});

test('a process that has the number of one that ended is left alone', async () => {
  const { workspace, processes } = await makeProject();
  const other = spawn('sleep', ['1000'], { detached: true });
  onTestFinished(() => void other.kill('SIGKILL'));
  processes.note({ pid: other.pid!, born: 'long ago' }, 'another');
  expect(await endLeftProcesses(workspace)).toEqual({ ended: 0 });
  expect(isRunning(other.pid!)).toBe(true);
});

test('a line that was cut off is of nothing that began', async () => {
  const { root, workspace, processes, file } = await makeProject();
  const { mark } = await begin(root);
  processes.note(mark, 'a task');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -1));
  expect(await endLeftProcesses(workspace)).toEqual({ ended: 0 });
  expect(isAlive(mark)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('nothing is ended because of what somebody else wrote', async () => {
  const { root, workspace, processes, file } = await makeProject();
  const { mark } = await begin(root);
  processes.note({ pid: 1, born: 'long ago' }, 'a task');
  appendFileSync(file, `${JSON.stringify({ seal: '0'.repeat(64), op: 'begin', ...mark, what: 'x' })}\n`);
  const ending = endLeftProcesses(workspace);
  await expect(ending).rejects.toThrow(UserError);
  await expect(ending).rejects.toThrow(`${PATH}, line 2, was not written by your teddy`);
  expect(isAlive(mark)).toBe(true);
});

test('what cannot be written down does not begin', async () => {
  const { root, processes } = await makeProject();
  setFileSeam((call, perform) => {
    if (call.name === 'write') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return perform(call.args);
  });
  onTestFinished(() => setFileSeam(undefined));
  const ended = await runProcess({
    command: { shell: 'echo ran > ran' },
    cwd: root,
    env: { PATH: process.env.PATH },
    capture: { bytes: 1000 },
    onStart: (mark) => processes.note(mark, 'a task'),
  }).catch((error: unknown) => error);
  expect(JSON.stringify(ended) + String(ended)).toContain('cannot be written');
  expect(() => readFileSync(join(root, 'ran'))).toThrow('ENOENT');
  setFileSeam(undefined);
  // What was cut off in the middle of its line would spoil whatever came behind it.
  expect(() => processes.note({ pid: 1, born: 'long ago' }, 'another task')).toThrow(UserError);
});

/** One that has ended and that nobody waited for does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
