// Ctrl-C and other polite requests to end, sent to real processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Run } from '../../src/core/report/record.js';
import { create, execute, planOf, read } from '../runs/boundary/plan.js';
import { judge, Site } from '../runs/kill/judge.js';
import { MIXED, type Model } from '../runs/kill/mixed-plan.js';
import { inParallel } from '../worker.js';
import { SOAK, seeded } from '../workspace/faults/random.js';
import { noPython, TestTerminal } from './pty/terminal.js';
import { TEDDY, teddy } from './teddy.js';

/** A family of processes that would live for a minute, each with its number in the file. */
const FAMILY = `(echo $(sh -c 'echo $PPID') >> ../outside/pids; exec sleep 60) &
sh -c 'echo $$ >> ../outside/pids; exec sleep 60' &
echo $$ >> ../outside/pids
echo under way
wait`;

const DEAF = `trap '' TERM INT HUP\n${FAMILY}\nsleep 60`;

const planWith = (command: string) =>
  planOf([create('a.txt', 'a\n'), execute(command), read('a.txt'), create('b.txt', 'b\n')], {
    memos: ['+ A fact.'],
  });

describe('the command ends with all its processes, and the report tells it', () => {
  test.each([
    ['SIGINT', 'Ctrl-C', FAMILY],
    ['SIGTERM', 'SIGTERM', FAMILY],
    ['SIGHUP', 'SIGHUP', FAMILY],
    ['SIGINT', 'Ctrl-C', DEAF],
  ] as const)('%s', async (signal, name, command) => {
    const site = newSite(EMPTY);
    const child = start(site, planWith(command));
    await until(() => site.ran('pids').length === 3);
    child.kill(signal);
    const { exit, stdout } = await ended(child);

    expect(exit).toBe(130);
    expect(site.leftovers()).toEqual([]);
    const [run] = records(site);
    expect(run).toMatchObject({ overall: 'Partial', interrupted: `The run was interrupted by ${name}.` });
    expect(run!.actions.map(({ outcome }) => outcome.status)).toEqual([
      'success',
      'failure',
      'not-run',
      'not-run',
    ]);
    expect(run!.actions[1]!.outcome).toMatchObject({ ended: `by ${name}`, output: { text: 'under way\n' } });
    for (const { decision } of run!.actions.slice(2))
      expect(decision).toEqual({
        status: 'skipped',
        by: 'teddy',
        reason: `Not run: the run was interrupted by ${name}.`,
      });
    expect(stdout).toBe(site.read(`.teddy/runs/${run!.id}/report.md`));
    expect(Object.keys(site.tree())).toEqual(['a.txt']);
    expect(site.memos()).toEqual(['A kept fact.', 'A fact.']);

    const next = teddy(['execute', '-', '-y'], {
      cwd: site.root,
      env: { HOME: site.base },
      input: planOf([create('b.txt', 'b\n')]),
    });
    expect(next).toMatchObject({ exit: 0 });
    expect(next.stderr).not.toContain('cut off');
    expect(teddy(['undo', run!.id], { cwd: site.root, env: { HOME: site.base } }).exit).toBe(0);
    expect(Object.keys(site.tree())).toEqual(['b.txt']);
  });
});

test('Ctrl-C twice is no more than Ctrl-C', async () => {
  const site = newSite(EMPTY);
  const child = start(site, planWith(FAMILY));
  await until(() => site.ran('pids').length === 3);
  child.kill('SIGINT');
  setTimeout(() => child.kill('SIGINT'), 30);
  setTimeout(() => child.kill('SIGINT'), 60);
  const { exit } = await ended(child);
  // The second may come when all is over but the process.
  expect([130, 'SIGINT']).toContain(exit);
  teddy(['runs'], { cwd: site.root, env: { HOME: site.base } });
  expect(site.leftovers()).toEqual([]);
  expect(records(site)[0]!.actions.map(({ outcome }) => outcome.status)).toEqual([
    'success',
    'failure',
    'not-run',
    'not-run',
  ]);
});

test.skipIf(noPython !== '')(`Ctrl-C typed at a terminal${noPython}`, async () => {
  const site = newSite(EMPTY);
  site.write('plan.md', planWith(FAMILY));
  const terminal = new TestTerminal([process.execPath, TEDDY, 'execute', 'plan.md', '-y', '--no-copy'], {
    cwd: site.root,
    env: { HOME: site.base },
  });
  await until(() => site.ran('pids').length === 3);
  await terminal.shows('under way');
  terminal.send('\x03');
  expect(await terminal.ended).toEqual({ exit: 130, signal: null });
  expect(site.leftovers()).toEqual([]);
  expect(records(site)[0]).toMatchObject({ interrupted: 'The run was interrupted by Ctrl-C.' });
  expect(existsSync(join(site.root, 'b.txt'))).toBe(false);
});

test('with --keep-going, too, nothing is begun after Ctrl-C', async () => {
  const site = newSite(EMPTY);
  const child = start(site, planOf([execute(FAMILY, { allowFailure: true }), execute('touch more')]), [
    '--keep-going',
  ]);
  await until(() => site.ran('pids').length === 3);
  child.kill('SIGINT');
  expect((await ended(child)).exit).toBe(130);
  expect(existsSync(join(site.root, 'more'))).toBe(false);
});

test('at any moment: whatever was done is told, and nothing else was done', async () => {
  const plan = planOf(MIXED.actions, MIXED.around);
  const begun = performance.now();
  const whole = newSite(MIXED);
  expect((await ended(start(whole, plan))).exit).toBe(0);
  const duration = performance.now() - begun;
  const random = seeded(9);
  const wrong: string[] = [];
  const ends = new Map<unknown, number>();
  const moments = Array.from({ length: SOAK ? 120 : 24 }, (_, index) => ({
    ms: random() * duration * 1.2,
    signal: (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)[index % 3]!,
  }));
  await inParallel(moments, 2, async ({ ms, signal }) => {
    const site = newSite(MIXED);
    const child = start(site, plan);
    const timer = setTimeout(() => child.kill(signal), ms);
    const { exit } = await ended(child);
    clearTimeout(timer);
    ends.set(exit, (ends.get(exit) ?? 0) + 1);
    const before = records(site);
    teddy(['runs'], { cwd: site.root, env: { HOME: site.base } });
    const [run] = records(site);
    const say = (what: string) => wrong.push(`${signal} after ${Math.round(ms)} ms, exit ${exit}: ${what}`);
    for (const each of judge(site, { end: before.length === 0 ? 'killed' : 'asked' })) say(each);
    if (exit === 130 && run?.interrupted == null) say('the report does not tell of the interruption');
    if (exit === 0 && run?.interrupted !== null) say('exit 0 for a run that was interrupted');
    rmSync(site.base, { recursive: true, force: true });
  });
  if (SOAK) console.log([...ends].map(([exit, times]) => `${times} × ${exit}`).join(', '));
  expect(wrong).toEqual([]);
});

const EMPTY: Model = {
  files: {},
  actions: [],
  around: {},
  writes: {},
  transactions: [],
  commands: {},
  looks: {},
  context: { before: [], changes: [] },
  memos: { before: ['A kept fact.'], after: [] },
};

function newSite(model: Model): Site {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-interrupt-')));
  const site = new Site(base, model);
  onTestFinished(() => {
    for (const pid of existsSync(base) ? site.leftovers() : []) process.kill(pid, 'SIGKILL');
    rmSync(base, { recursive: true, force: true });
  });
  return site;
}

function start(site: Site, plan: string, words: string[] = []): ChildProcess {
  const child = spawn(process.execPath, [TEDDY, 'execute', '-', '-y', ...words], {
    cwd: site.root,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: site.base },
  });
  child.stdin.on('error', () => {});
  child.stdin.end(plan);
  child.stderr.resume();
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function ended(child: ChildProcess): Promise<{ exit: number | string | null; stdout: string }> {
  let stdout = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ exit: code ?? signal, stdout })),
  );
}

/** Of the runs that have a record by now. */
function records(site: Site): Run[] {
  return site
    .runs()
    .map((id) => join(site.root, '.teddy/runs', id, 'run.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Run);
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1000) throw new Error('It never came true.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
