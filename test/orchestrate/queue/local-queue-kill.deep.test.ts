// The process ends before every file call of what a queue is asked for, or in the middle of a write, and every call fails
// once. What is found then is what was written line by line; whatever was told or said to be done is there until it is
// taken back.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLocalQueue } from '../../../src/orchestrate/queue/local-queue.js';
import type { Lease, Queue } from '../../../src/orchestrate/queue/types.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import {
  attempt,
  die,
  dieBefore,
  FAULTS,
  fail as failing,
  type Injection,
  MemoryMachine,
  nothing,
  shorter,
} from '../../workspace/faults/machine.js';
import { crashStates } from '../../workspace/faults/power-cut.js';
import { SOAK } from '../../workspace/faults/random.js';
import { Tally } from '../../workspace/faults/tally.js';
import { job, type Payload, type Result } from './queue-cases.js';

const PATH = '.ultraplan/state/queue.jsonl';

// A queue syncs its file some time after an end: here that is a step like the others.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

interface Done {
  steps: number;
  told: { step: number; task: string; event: string }[];
  /** Ends that were said to be written and that nobody took back, by what is to be found of them. */
  kept: Map<string, string>;
  /** By task: in which step it was taken back last. */
  takenBack: Map<string, { step: number }>;
}

const newDone = (): Done => ({ steps: 0, told: [], kept: new Map(), takenBack: new Map() });

interface Site {
  workspace: Workspace;
  queue: Queue<Payload, Result>;
  leases: Map<string, Lease<Payload>>;
  done: Done;
}

const open = async (site: Site) => {
  site.queue = await openLocalQueue(site.workspace);
};

const close = ({ queue }: Site) => queue.close();

const take = async ({ queue, leases }: Site) => {
  const lease = await queue.lease('w');
  leases.set(lease!.job.task, lease!);
};

const keep = async ({ kept, takenBack }: Done, task: string, said: string, end: Promise<unknown>) => {
  const before = takenBack.get(task);
  await end;
  if (takenBack.get(task) === before) kept.set(said, task);
};

const complete = ({ queue, leases, done }: Site, task: string, text: string) =>
  keep(done, task, text, queue.complete(leases.get(task)!, { text }));

const fail = ({ queue, leases, done }: Site, task: string, reason: string) =>
  keep(done, task, reason, queue.fail(leases.get(task)!, reason));

const cancel = async ({ queue, done: { kept, takenBack, steps } }: Site, task: string) => {
  for (const [said, of] of kept) if (of === task) kept.delete(said);
  takenBack.set(task, { step: steps });
  await queue.cancel(task);
};

const wait = async () => {
  vi.advanceTimersByTime(20);
};

type Step = (site: Site) => Promise<unknown>;

const STEPS: Step[] = [
  open,
  (site) => Promise.all([site.queue.enqueue([job('a'), job('b')]), take(site)]),
  (site) => complete(site, 'a', 'of a, größer'),
  wait,
  (site) => Promise.all([cancel(site, 'a'), site.queue.enqueue([job('c')])]),
  take,
  (site) => fail(site, 'b', 'no b'),
  (site) => complete(site, 'a', 'of a, again'),
  take,
  (site) => Promise.all([complete(site, 'c', 'of c'), cancel(site, 'b')]),
  ({ queue }) => queue.enqueue([job('forgotten')]),
  // Another process.
  open,
  (site) => Promise.all([site.queue.enqueue([job('d'), job('e')]), take(site), take(site)]),
  (site) => Promise.all([complete(site, 'd', 'of d'), fail(site, 'e', 'no e')]),
  wait,
  (site) => Promise.all(['a', 'b', 'c', 'd', 'e'].map((task) => cancel(site, task))),
  ({ queue }) => queue.flush('a'),
  (site) => Promise.all([site.queue.enqueue([job('f'), job('g')]), take(site), take(site)]),
  async (site) => {
    await Promise.all([complete(site, 'f', 'of f'), cancel(site, 'f')]);
    await wait();
  },
  (site) => complete(site, 'g', 'of g'),
  close,
  open,
  (site) => cancel(site, 'g'),
  close,
];

/** All of the steps, or until one is refused twice; `done` counts those that said that they are. */
async function work(workspace: Workspace, steps: readonly Step[], done: Done): Promise<void> {
  const site: Site = { workspace, queue: undefined!, leases: new Map(), done };
  for (const step of steps) {
    const before = site.queue;
    await step(site).catch(() => step(site));
    if (site.queue !== before)
      site.queue.listen((event) =>
        done.told.push({ step: done.steps, task: event.task, event: textOf(event) }),
      );
    await new Promise((resolve) => setImmediate(resolve));
    done.steps++;
  }
}

/** Without tokens: how many processes there were before says nothing about what is there. */
function textOf(value: object): string {
  return JSON.stringify(value, (key, each) => (key === 'token' ? undefined : each));
}

interface Found {
  found: string;
  told: string[];
}

/** What whoever opens it next finds. The machine stays as it is. */
async function look(machine: MemoryMachine): Promise<Found> {
  vi.clearAllTimers();
  const looked = await attempt(machine.fork(), nothing, async (workspace) => {
    const queue = await openLocalQueue<Payload, Result>(workspace);
    const told: string[] = [];
    queue.listen((event) => told.push(textOf(event)));
    await new Promise((resolve) => setImmediate(resolve));
    const jobs = (await queue.list()).map(textOf);
    await queue.close();
    return { found: JSON.stringify([jobs, told]), told };
  });
  if (looked.how !== 'returned')
    return { found: `the look ${looked.how}: ${'error' in looked && looked.error}`, told: [] };
  return looked.value;
}

const start = MemoryMachine.of({});

async function begin(): Promise<MemoryMachine> {
  vi.clearAllTimers();
  if (start.list('').length === 0) await attempt(start, nothing, (workspace) => workspace.recover());
  return start.fork();
}

interface Stage extends Found {
  calls: number;
  machine: MemoryMachine;
}

/** What is found after each step that ended well, with how many calls that took. */
async function stagesOf(steps: readonly Step[]): Promise<Stage[]> {
  const all: Stage[] = [];
  for (let count = 0; count <= steps.length; count++) {
    const machine = await begin();
    const { how, calls } = await attempt(machine, nothing, (workspace) =>
      work(workspace, steps.slice(0, count), newDone()),
    );
    expect(how).toBe('returned');
    all.push({ ...(await look(machine)), calls, machine });
  }
  return all;
}

/** What may be found where a step was not done to its end: its first lines. */
async function between(before: Stage, after: Stage): Promise<string[]> {
  const [old, bytes] = [before.machine.read(PATH), after.machine.read(PATH)];
  const found = [before.found, after.found];
  // Written anew at once, or not at all.
  if (!old || !bytes?.subarray(0, old.length).equals(old)) return found;
  for (let end = bytes.indexOf('\n', old.length); end !== -1; end = bytes.indexOf('\n', end + 1))
    found.push((await look(cutFile(after.machine, end + 1))).found);
  return found;
}

function cutFile(machine: MemoryMachine, length: number): MemoryMachine {
  const cut = machine.fork();
  cut.disk.put(PATH, { kind: 'file', mode: 0o600, bytes: machine.read(PATH)!.subarray(0, length) });
  return cut;
}

interface Known {
  steps: readonly Step[];
  stages: Stage[];
  /** By the number of steps that were done: what may be there. */
  allowed: string[][];
  calls: number;
}

async function know(steps: readonly Step[]): Promise<Known> {
  const stages = await stagesOf(steps);
  const allowed: string[][] = [];
  for (const [index, stage] of stages.entries())
    allowed.push(await between(stage, stages[index + 1] ?? stage));
  return { steps, stages, allowed, calls: stages.at(-1)!.calls };
}

/** What is wrong with what the machine is left with. */
async function judge(machine: MemoryMachine, done: Done, { steps, allowed }: Known) {
  const { found, told } = await look(machine);
  // A queue is closed even where that cannot be written.
  const since = steps[done.steps - 1] === close ? done.steps - 1 : done.steps;
  if (
    !allowed
      .slice(since, done.steps + 1)
      .flat()
      .includes(found)
  )
    return `after ${done.steps} steps it is ${found.slice(0, 1000)}`;
  const lost = [...done.kept.keys()].filter((said) => !told.some((event) => event.includes(`"${said}"`)));
  if (lost.length > 0) return `it lost ${lost}`;
  // Whatever was told while it ran is there to be found, unless it was taken back.
  const unfounded = done.told.filter(
    ({ step, task, event }) => !told.includes(event) && (done.takenBack.get(task)?.step ?? -1) < step,
  );
  return unfounded.length > 0 ? `it told ${unfounded.map(({ event }) => event.slice(0, 100))}` : undefined;
}

/** Runs the steps on a machine that does what `inject` says, and judges what is left. */
async function disturb(known: Known, inject: Injection): Promise<{ wrong: string | undefined; done: Done }> {
  const machine = await begin();
  const done: Done = newDone();
  await attempt(machine, inject, (workspace) => work(workspace, known.steps, done));
  return { wrong: await judge(machine, done, known), done };
}

/** The process ends in call `at`, where that is a write: a part of it is there. */
function dieWithin(at: number, divisor: number): Injection {
  return (index, call, perform) => {
    if (index < at) return perform();
    if (index === at && call.name === 'write') perform(shorter(call.args, divisor));
    return die();
  };
}

test('only what comes of a job makes something be written, and then all that was before it', async () => {
  const found = (await stagesOf(STEPS)).map((stage) => stage.found);
  const written = found.flatMap((each, steps) => (steps > 0 && each !== found[steps - 1] ? [steps - 1] : []));
  // Two ends, a late one, one with a cancel after it, two at once, a flush, two ends, a close.
  expect(written).toEqual([2, 6, 7, 9, 13, 16, 18, 19, 23]);
  expect(found.at(-1)).toBe(found[0]);
});

test('killed before any call or within a write, nothing that was told or said to be done is lost', async () => {
  const known = await know(STEPS);
  const tally = new Tally();
  for (let at = 0; at < known.calls; at += SOAK ? 1 : 3) {
    tally.add(`call ${at}`, (await disturb(known, dieBefore(at))).wrong);
    for (const divisor of SOAK ? [1, 1.01, 2, 50] : [2])
      tally.add(`within call ${at}`, (await disturb(known, dieWithin(at + 1, divisor))).wrong);
  }
  tally.expectClean('kill points of a queue', SOAK ? 1000 : 200);
});

test('cut off anywhere, a write is there as far as its last whole line', async () => {
  const { machine } = (await stagesOf(STEPS.slice(0, 10))).at(-1)!;
  const bytes = machine.read(PATH)!;
  const tally = new Tally();
  let whole = { end: -1, found: '' };
  for (let length = 0; length <= bytes.length; length++) {
    const end = bytes.subarray(0, length).lastIndexOf('\n') + 1;
    if (whole.end !== end) whole = { end, found: (await look(cutFile(machine, end))).found };
    const { found } = await look(cutFile(machine, length));
    tally.add(`${length} bytes`, found === whole.found ? undefined : found);
  }
  tally.expectClean('lengths of a queue', 500);
});

test('a call that fails is a step that is refused, or one that is done', async () => {
  const known = await know(STEPS);
  const tally = new Tally();
  let whole = 0;
  for (const fault of SOAK ? FAULTS : (['ENOSPC', 'EIO after', 'half, then ENOSPC'] as const)) {
    for (let at = 0; at < known.calls; at += SOAK ? 1 : 13) {
      const { wrong, done } = await disturb(
        known,
        failing(fault, (index) => index === at),
      );
      if (done.steps === STEPS.length) whole++;
      tally.add(`${fault} at call ${at}`, wrong);
    }
  }
  tally.expectClean('faults of a queue', SOAK ? 2000 : 70);
  expect(whole).toBeGreaterThan(tally.count / 2);
});

test('a commit that leaves its traces behind does not stand in the way of what is added to the file', async () => {
  const known = await know(STEPS);
  const tally = new Tally();
  for (let at = 0, found = true; found; at++) {
    let renames = 0;
    found = false;
    const { wrong } = await disturb(known, (index, call, perform) => {
      if (call.name !== 'rename' || renames++ !== at) return perform();
      found = true;
      return failing('EIO', () => true)(index, call, perform);
    });
    tally.add(`rename ${at}`, wrong);
  }
  tally.expectClean('renames', 5);
});

test('after a power cut it opens, with every end that was there for a while', async () => {
  const machine = await begin();
  let synced = 0;
  await attempt(machine, nothing, async (workspace) => {
    const site: Site = { workspace, queue: undefined!, leases: new Map(), done: newDone() };
    for (const step of STEPS.slice(0, 4)) await step(site);
    synced = machine.disk.calls;
    await take(site);
    await fail(site, 'b', 'no b');
  });
  const tally = new Tally();
  for (const { calls, label, disk } of crashStates(
    machine.disk,
    { pairs: 5, subsets: 3, seed: 1 },
    new Set(),
  )) {
    const { found, told } = await look(new MemoryMachine(disk));
    const isWhole = calls < synced || told.some((event) => event.includes('größer'));
    tally.add(`${label} after ${calls} calls`, isWhole && found.startsWith('[') ? undefined : found);
  }
  tally.expectClean('power cuts of a queue', 50);
});
