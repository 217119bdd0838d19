// SIGKILL at any moment of `teddy execute`, and what the next command finds.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Run } from '../../src/core/report/record.js';
import { RUN_SCHEMA } from '../core/report/run-schema.js';
import { planOf } from '../runs/boundary/plan.js';
import { applySteps, judge, Site, withFolders } from '../runs/kill/judge.js';
import { MIXED } from '../runs/kill/mixed-plan.js';
import { inParallel } from '../worker.js';
import { SOAK, seeded } from '../workspace/faults/random.js';
import { keepBusy, TEDDY } from './teddy.js';

const KILLS = SOAK ? 200 : 14;
const PLAN = planOf(MIXED.actions, MIXED.around);

test('there is a schema to judge by', () => {
  expect(RUN_SCHEMA).toHaveProperty('properties.actions');
});

const LOADS = SOAK ? ['quiet', 'busy'] : ['quiet'];

test.each(LOADS)('killed at a random moment, on a %s machine', async (load) => {
  if (load === 'busy') keepBusy(2);
  // Two at a time, as they will be killed.
  const times = [
    ...(await Promise.all([timeWhole(), timeWhole()])),
    ...(await Promise.all([timeWhole(), timeWhole()])),
  ];
  const usual = (since: Moment['since']) => times.map((time) => time[since]).sort((a, b) => a - b)[2]! * 1.05;
  const longest = { start: usual('start'), word: usual('word') };

  const random = seeded(SOAK ? 17 : 4);
  const tally = new Map<string, number>();
  const wrong: string[] = [];
  // A third of them over the whole life of the process, the others from its first word on: a start is long.
  const moments = Array.from({ length: KILLS }, (_, index): Moment => {
    const since = index % 3 === 0 ? 'start' : 'word';
    return { since, ms: random() * longest[since] };
  });
  await inParallel([...moments.entries()], 2, async ([index, moment]) => {
    const site = newSite();
    const how = await kill(site, moment);
    const say = (what: string) =>
      wrong.push(`kill ${index}, ${Math.round(moment.ms)} ms after its ${moment.since}: ${what}`);
    try {
      const list = await teddy(site, ['runs', '--json']);
      if (list.exit !== 0) say(`runs --json ends with ${list.exit}: ${list.stderr}`);
      for (const each of judge(site, { end: how })) say(each);
      const [run] = site.runs().map((id) => site.record(id));
      const listed = JSON.parse(list.stdout) as { id: string; interrupted: boolean }[];
      if (listed.map(({ id }) => id).join() !== site.runs().join()) say(`runs --json lists ${list.stdout}`);
      if (run && run.interrupted !== null && !list.stderr.includes(`${run.id}`)) say('nobody is told of it');
      const state = describeState(run);
      tally.set(state, (tally.get(state) ?? 0) + 1);
      for (const each of await (index % 2 === 0 ? goBack(site, run) : goOn(site, run))) say(each);
    } catch (error) {
      say(String(error));
    }
    for (const pid of site.leftovers()) process.kill(-pid, 'SIGKILL');
    rmSync(site.base, { recursive: true, force: true });
  });
  if (SOAK)
    console.log(
      `${load}: ${Math.round(longest.start)} ms; ${[...tally].map(([state, times]) => `${times} ${state}`).join(', ')}`,
    );
  expect(wrong).toEqual([]);
  // Kills that all fall before or after the run would show nothing.
  expect(tally.size).toBeGreaterThan(3);
});

/** How far a run came: for the tally. */
function describeState(run: Run | undefined): string {
  if (!run) return 'before it began';
  if (run.interrupted === null) return 'after its end';
  const flying = run.actions.findIndex(({ outcome }) => outcome.status === 'failure');
  if (flying !== -1) return `in action ${flying + 1}`;
  return `after ${run.actions.filter(({ outcome }) => outcome.status === 'success').length} actions`;
}

/** Undoes what the run did: all of it but what commands left. */
async function goBack(site: Site, run: Run | undefined): Promise<string[]> {
  if (!run) return [];
  const { exit, stdout, stderr } = await teddy(site, ['undo', run.id, '--json']);
  if (exit !== 0) return [`undo ends with ${exit}: ${stderr}${stdout}`];
  const { restored, refused, commands } = JSON.parse(stdout) as {
    restored: string[];
    refused: unknown[];
    commands: unknown[];
  };
  const started = [5, 9].filter((number) => run.actions[number - 1]!.outcome.status !== 'not-run');
  const { 'marker.txt': marker } = site.tree();
  const left = marker === undefined ? {} : { 'marker.txt': marker };
  return [
    ...(refused.length > 0 ? [`undo refuses ${JSON.stringify(refused)}`] : []),
    ...(commands.length === started.length ? [] : [`undo names ${commands.length} commands`]),
    ...(same(site.tree(), withFolders({ ...MIXED.files, ...left }))
      ? []
      : [`undo leaves ${JSON.stringify(site.tree())}, restored ${restored}`]),
    ...(same(site.context(), MIXED.context.before) ? [] : [`undo leaves the context ${site.context()}`]),
    ...(same(site.memos(), MIXED.memos.before) ? [] : [`undo leaves the memos ${site.memos()}`]),
  ];
}

/** Runs what is left of the plan: the end is that of a run that nobody killed, but for commands begun a second time. */
async function goOn(site: Site, run: Run | undefined): Promise<string[]> {
  const isOpen = (at: number) => run?.actions[at]?.outcome.status !== 'success';
  const isUnchanged = (section: string) =>
    run?.stateChanges.some((change) => change.section === section && change.decision.status === 'skipped') ??
    true;
  const rest = MIXED.actions.filter((_, at) => isOpen(at));
  if (rest.length === 0) return [];
  const around = {
    memos: isUnchanged('Memos') ? MIXED.around!.memos! : [],
    context: isUnchanged('Active Context') ? MIXED.around!.context! : [],
  };
  const { exit, stdout, stderr } = await teddy(site, ['execute', '-', '-y'], planOf(rest, around));
  if (exit !== 0) return [`the rest ends with ${exit}: ${stderr}${stdout}`];
  const files = Object.assign({}, MIXED.files, ...Object.values(MIXED.writes), { 'marker.txt': 'made\n' });
  const open = (number: number) =>
    isOpen(number - 1) && run?.actions[number - 1]?.outcome.status === 'failure' ? 2 : 1;
  const context = applySteps(MIXED.context.before, [...MIXED.context.changes, ...Object.values(MIXED.looks)]);
  return [
    ...(same(site.tree(), withFolders(files)) ? [] : [`the rest leaves ${JSON.stringify(site.tree())}`]),
    ...(same(site.memos(), MIXED.memos.after) ? [] : [`the rest leaves the memos ${site.memos()}`]),
    ...(same(site.context().toSorted(), context.toSorted())
      ? []
      : [`the rest leaves the context ${site.context()}`]),
    ...[5, 9].flatMap((number) => {
      const times = site.ran(MIXED.commands[number]!.line).length;
      return times <= open(number) && times > 0 ? [] : [`command ${number} ran ${times} times`];
    }),
  ];
}

function same(one: unknown, other: unknown): boolean {
  const sorted = (value: unknown) =>
    JSON.stringify(
      value && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value).sort() : value,
    );
  return sorted(one) === sorted(other);
}

async function timeWhole(): Promise<Record<Moment['since'], number>> {
  const site = newSite();
  const begun = performance.now();
  const child = start(site, ['execute', '-', '-y'], PLAN);
  child.stdout!.resume();
  const word = await new Promise<number>((resolve) =>
    child.stderr!.once('data', () => resolve(performance.now())),
  );
  child.stderr!.resume();
  const exit = await new Promise((resolve) => child.once('close', resolve));
  const ended = performance.now();
  expect(exit).toBe(0);
  expect(judge(site, { end: 'ended' })).toEqual([]);
  return { start: ended - begun, word: ended - word };
}

function newSite(): Site {
  const base = mkdtempSync(join(tmpdir(), 'teddy-kill-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return new Site(realpathSync(base), MIXED);
}

function start(site: Site, words: string[], input: string): ChildProcess {
  const child = spawn(process.execPath, [TEDDY, ...words], {
    cwd: site.root,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: site.base },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  return child;
}

function teddy(
  site: Site,
  words: string[],
  input = '',
): Promise<{ exit: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = start(site, words, input);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]!.setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    child.on('close', (exit) => resolve({ exit, ...texts }));
  });
}

interface Moment {
  /** From the start of the process, or from its first word on standard error. */
  since: 'start' | 'word';
  ms: number;
}

function kill(site: Site, { since, ms }: Moment): Promise<'killed' | 'ended'> {
  return new Promise((resolve) => {
    const child = start(site, ['execute', '-', '-y'], PLAN);
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      timer ??= setTimeout(() => child.kill('SIGKILL'), ms);
    };
    child.stdout!.resume();
    child.stderr!.on('data', wait);
    if (since === 'start') wait();
    child.on('exit', (_code, signal) => {
      clearTimeout(timer);
      resolve(signal === 'SIGKILL' ? 'killed' : 'ended');
    });
  });
}

/** So many processes that do nothing but take time. */
