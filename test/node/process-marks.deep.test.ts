import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endProcesses } from '../../src/node/process/end.js';
import {
  findMarked,
  listProcesses,
  type ProcessEntry,
  type ProcessMark,
  parsePs,
} from '../../src/node/process/process-table.js';
import { runProcess } from '../../src/node/process/run.js';
import type { ProcessOptions } from '../../src/node/process/types.js';
import { makeFolder } from '../folder.js';
import { workerOf } from '../worker.js';
import type { Answer, Task } from './marks-worker.js';

const inProcess = workerOf<Task, Answer>(fileURLToPath(new URL('marks-worker.ts', import.meta.url)));
const env = { PATH: process.env.PATH };

function run(shell: string, options: Partial<ProcessOptions> = {}) {
  return runProcess({
    command: { shell },
    cwd: '/',
    env,
    capture: { bytes: 10_000 },
    graceMs: 300,
    ...options,
  });
}

const pidsIn = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
const runs = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** What is left of those that wrote their numbers down; it is ended after the test. */
function leftOf(folder: string): number[] {
  const left = pidsIn(join(folder, 'pids')).filter(runs);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left;
}

/** Runs on without the caller: a session of its own, and nothing of its output. */
const apart = (work: string) => `setsid sh -c 'echo $$ >> pids; ${work}' </dev/null >/dev/null 2>&1 &`;
const READY = 'until test -s pids; do sleep 0.02; done';

const WAYS: Record<string, string> = {
  'a session of its own': `${apart('exec sleep 100')} ${READY}`,
  'twice away': `${apart(`setsid sh -c "echo \\$\\$ >> pids; exec sleep 100" & exec sleep 100`)} ${READY}; sleep 0.2`,
  'deaf to SIGTERM': `${apart('trap "" TERM; while :; do sleep 0.05; done')} ${READY}`,
  'its parent gone': `sh -c '(setsid sh -c "echo \\$\\$ >> pids; exec sleep 100" >/dev/null 2>&1 &)'; ${READY}`,
  'without its environment, in a session of ours': `${apart('env -i sleep 100 & echo $! >> pids; sleep 100')} ${READY}; sleep 0.2`,
  'a job of its own group': `set -m; (echo $$; exec sleep 100) >/dev/null 2>&1 & echo $! > pids`,
};

describe.runIf(process.platform === 'linux')(
  'whatever leaves the session of its command is ended with it',
  () => {
    test.each(Object.keys(WAYS))('when it ends by itself: %s', async (way) => {
      const folder = makeFolder();
      const result = await run(WAYS[way]!, { cwd: folder });
      expect(leftOf(folder)).toEqual([]);
      expect(result).toMatchObject({
        status: 'exited',
        code: 0,
        backgroundEnded: true,
        leftovers: false,
        survived: [],
      });
      expect(result.ended.map(({ pid }) => pid)).toEqual(
        expect.arrayContaining(pidsIn(join(folder, 'pids'))),
      );
    });

    test.each(Object.keys(WAYS))('when its time is up: %s', async (way) => {
      const folder = makeFolder();
      const result = await run(`${WAYS[way]}; sleep 100`, { cwd: folder, timeoutMs: 1500 });
      expect(pidsIn(join(folder, 'pids')).length).toBeGreaterThan(0);
      expect(leftOf(folder)).toEqual([]);
      expect(result).toMatchObject({ status: 'timed-out', leftovers: false, survived: [] });
    });

    test('what has cleared its environment is known by its parents while they live', async () => {
      const folder = makeFolder();
      const hidden = `env -i setsid sh -c 'echo $$ >> pids; exec sleep 100'`;
      const result = await run(`${hidden} & ${READY}; sleep 100`, { cwd: folder, timeoutMs: 800 });
      expect([leftOf(folder), result.status, result.leftovers]).toEqual([[], 'timed-out', false]);
    });

    test('one that starts another whenever it is looked for does not get away', async () => {
      const folder = makeFolder();
      const hop = `i=0; while [ $i -lt 200 ]; do i=$((i+1)); (sleep 0.01; echo $i >> hops) & wait; done`;
      await run(`${apart(`trap "" TERM; ${hop}`)} ${READY}; sleep 0.1`, { cwd: folder });
      expect(leftOf(folder)).toEqual([]);
      expect(pidsIn(join(folder, 'hops')).length).toBeLessThan(200);
    });

    test('a teddy that was killed leaves marks by which all of it is ended later', async () => {
      const folder = makeFolder();
      const task: Task = {
        folder,
        command: `${apart('exec sleep 100')} ${READY}; echo ready; sleep 100`,
        die: true,
      };
      expect(await inProcess(task)).toEqual({ how: 'killed' });
      const [pid] = pidsIn(join(folder, 'pids'));
      expect(runs(pid!)).toBe(true);
      const mark = JSON.parse(readFileSync(join(folder, 'mark'), 'utf8')) as ProcessMark;
      const { ended, survived } = await endProcesses([mark], 0);
      expect(ended).toContainEqual({ pid, name: 'sleep' });
      expect([survived, leftOf(folder)]).toEqual([[], []]);
    });

    test('a teddy that exits ends it too', async () => {
      const folder = makeFolder();
      const task: Task = {
        folder,
        command: `${apart('exec sleep 100')} ${READY}; echo ready; sleep 100`,
        die: false,
      };
      expect(await inProcess(task)).toMatchObject({ how: 'returned' });
      expect(pidsIn(join(folder, 'pids'))).toHaveLength(1);
      expect(leftOf(folder)).toEqual([]);
    });
  },
);

describe.runIf(process.platform === 'linux')('teddy inside teddy', () => {
  test('the variable names every teddy around, whatever the environment says', async () => {
    process.env.TEDDY_MARK = 'outer';
    onTestFinished(() => void delete process.env.TEDDY_MARK);
    let mark: ProcessMark | undefined;
    const { stdout } = await run('echo $TEDDY_MARK', {
      env: { ...env, TEDDY_MARK: 'another' },
      onStart: (started) => {
        mark = started;
      },
    });
    expect(stdout.head).toBe(`outer:${mark!.token}\n`);
  });

  test('the end of the inner one leaves the outer one alone, and that of the outer one ends both', async () => {
    const folder = makeFolder();
    const inner = `TEDDY_MARK=$TEDDY_MARK:inner-NUMBER ${apart('exec sleep 100')}`;
    const command = `${inner.replace('NUMBER', '1')} ${inner.replace('NUMBER', '2')} until test $(for pid in $(cat pids); do cat /proc/$pid/comm; done | grep -c sleep) -eq 2; do sleep 0.02; done; echo ready; sleep 100`;
    const abort = new AbortController();
    const first = { pid: 1, born: 'long ago', token: 'inner-1' };
    let ended: unknown;
    const result = await run(command, {
      cwd: folder,
      signal: abort.signal,
      onOutput: (_stream, text) => {
        // What cat says before both are there is not it.
        if (!text.includes('ready')) return;
        void endProcesses([first], 0).then((cleared) => {
          ended = cleared;
          abort.abort();
        });
      },
    });
    expect(ended).toMatchObject({ ended: [{ name: 'sleep' }], survived: [] });
    expect(result.ended).toHaveLength(3);
    expect([leftOf(folder), result.leftovers]).toEqual([[], false]);
  });
});

describe.runIf(process.platform === 'linux')('what is not ours is left alone', () => {
  test.each(['other', 'tok', 'x:tokens', ''])('a mark of %j', async (carried) => {
    const other = spawn('sleep', ['100'], { detached: true, env: { ...env, TEDDY_MARK: carried } });
    onTestFinished(() => void other.kill('SIGKILL'));
    const mark = { pid: 1, born: 'long ago', token: 'token' };
    expect(await endProcesses([mark], 0)).toEqual({ ended: [], survived: [] });
    expect(runs(other.pid!)).toBe(true);
  });

  test('this process, and those that it descends from', async () => {
    const [self] = listProcesses().filter(({ pid }) => pid === process.pid);
    const marked = listProcesses().map((entry) => ({ ...entry, marks: 'token' }));
    const found = findMarked(marked, [{ pid: 1, born: 'x', token: 'token' }], new Map());
    const pids = found.map(({ pid }) => pid);
    for (const pid of [process.pid, self!.parent, 1]) expect(pids).not.toContain(pid);
  });
});

test('a terminal in which a marked process runs is not ours', () => {
  const entry = (pid: number, parent: number, session: number, marks = ''): ProcessEntry => ({
    pid,
    parent,
    group: pid,
    session,
    marks,
    name: `p${pid}`,
    born: `b${pid}`,
  });
  const listed = [
    entry(10, 1, 10),
    entry(11, 10, 10, 'token'),
    entry(12, 11, 10),
    entry(13, 10, 10),
    entry(20, 1, 20, 'outer:token'),
    entry(21, 1, 20),
    entry(30, 1, 31, 'token'),
    entry(32, 1, 31),
  ];
  const found = findMarked(listed, [{ pid: 5, born: 'x', token: 'token' }], new Map());
  expect(found.map(({ pid }) => pid).sort()).toEqual([11, 12, 20, 21, 30, 32]);
});

test('what ps lists', () => {
  const text = [
    '    1     0     1     0 Ss   Mon Nov  2 07:24:39 2026     /sbin/launchd',
    '  501     1   501   501 S    Mon Nov 16 07:24:39 2026     /usr/local/bin/node cli.js PATH=/bin TEDDY_MARK=a:b HOME=/Users/me',
    '  502   501   501   501 Z    Mon Nov 16 07:24:40 2026     (sh)',
    '  503   501   501   502 S    Mon Nov 16 07:24:40 2026     sh TEDDY_MARK=a:b',
    'nonsense',
  ].join('\n');
  expect(parsePs(text, 501)).toEqual([
    { pid: 1, parent: 0, group: 1, session: 1, born: 'Mon Nov  2 07:24:39 2026', name: 'launchd', marks: '' },
    {
      pid: 501,
      parent: 1,
      group: 501,
      session: 501,
      born: 'Mon Nov 16 07:24:39 2026',
      name: 'node',
      marks: 'a:b',
    },
    {
      pid: 503,
      parent: 501,
      group: 501,
      session: 501,
      born: 'Mon Nov 16 07:24:40 2026',
      name: 'sh',
      marks: '',
    },
  ]);
});
