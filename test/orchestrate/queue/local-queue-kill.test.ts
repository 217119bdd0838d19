// The process ends before every file call of what a queue is asked for, and every call fails once. What is found then is
// what was there before that step or after it, and what a worker was told to be written is there until it is taken back.
import { expect, test } from 'vitest';
import { openLocalQueue } from '../../../src/orchestrate/queue/local-queue.js';
import type { Lease, Queue } from '../../../src/orchestrate/queue/types.js';
import type { Workspace } from '../../../src/workspace/index.js';
import {
  attempt,
  dieBefore,
  FAULTS,
  fail as failing,
  type Injection,
  MemoryMachine,
  nothing,
} from '../../workspace/faults/machine.js';
import { SOAK } from '../../workspace/faults/random.js';
import { Tally } from '../../workspace/faults/tally.js';
import { job, type Payload, type Result } from './queue-cases.js';

interface Site {
  workspace: Workspace;
  queue: Queue<Payload, Result>;
  leases: Map<string, Lease<Payload>>;
  /** Ends that were said to be written and that nobody took back, by what is to be found of them. */
  kept: Map<string, string>;
}

const open = async (site: Site) => {
  site.queue = await openLocalQueue(site.workspace);
};

const take = async ({ queue, leases }: Site) => {
  const lease = await queue.lease('w');
  leases.set(lease!.job.task, lease!);
};

const complete = async ({ queue, leases, kept }: Site, task: string, text: string) => {
  await queue.complete(leases.get(task)!, { text });
  kept.set(text, task);
};

const fail = async ({ queue, leases, kept }: Site, task: string, reason: string) => {
  await queue.fail(leases.get(task)!, reason);
  kept.set(reason, task);
};

const cancel = async ({ queue, kept }: Site, task: string) => {
  for (const [said, of] of kept) if (of === task) kept.delete(said);
  await queue.cancel(task);
};

const STEPS: ((site: Site) => Promise<unknown>)[] = [
  open,
  (site) => Promise.all([site.queue.enqueue([job('a'), job('b')]), take(site)]),
  (site) => complete(site, 'a', 'of a'),
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
  (site) => Promise.all(['a', 'c', 'd', 'e'].map((task) => cancel(site, task))),
  ({ queue }) => queue.flush('a'),
  // Another one, which writes the file anew.
  open,
];

interface Done {
  steps: number;
  told: string[];
  kept: Map<string, string>;
}

const newDone = (): Done => ({ steps: 0, told: [], kept: new Map() });

/** All of the steps, or until one is refused twice; `done` counts those that said that they are. */
async function work(workspace: Workspace, done: Done): Promise<void> {
  const site: Site = { workspace, queue: undefined!, leases: new Map(), kept: done.kept };
  for (const step of STEPS) {
    const before = site.queue;
    await step(site).catch(() => step(site));
    if (site.queue !== before) site.queue.listen((event) => done.told.push(textOf(event)));
    await new Promise((resolve) => setImmediate(resolve));
    done.steps++;
  }
}

/** Without tokens: how many processes there were before says nothing about what is there. */
function textOf(value: object): string {
  return JSON.stringify(value, (key, each) => (key === 'token' ? undefined : each));
}

/** What whoever opens it next finds. */
async function look(machine: MemoryMachine): Promise<{ found: string; told: string[] }> {
  const looked = await attempt(machine, nothing, async (workspace) => {
    const queue = await openLocalQueue<Payload, Result>(workspace);
    const told: string[] = [];
    queue.listen((event) => told.push(textOf(event)));
    await new Promise((resolve) => setImmediate(resolve));
    const jobs = (await queue.list()).map(textOf);
    await queue.close();
    return { found: JSON.stringify([jobs, told]), told };
  });
  if (looked.how !== 'returned')
    throw new Error(`the look ${looked.how}: ${'error' in looked && looked.error}`);
  return looked.value;
}

const start = MemoryMachine.of({});

async function begin(): Promise<MemoryMachine> {
  if (start.list('').length === 0) await attempt(start, nothing, (workspace) => workspace.recover());
  return start.fork();
}

/** What is found after each step that ended well, with how many calls that took. */
async function stages(): Promise<{ found: string; told: string[]; calls: number }[]> {
  const all: { found: string; told: string[]; calls: number }[] = [];
  for (let count = 0; count <= STEPS.length; count++) {
    const machine = await begin();
    const ended = await attempt(machine, nothing, async (workspace) => {
      const site: Site = { workspace, queue: undefined!, leases: new Map(), kept: new Map() };
      for (const step of STEPS.slice(0, count)) await step(site);
    });
    all.push({ ...(await look(machine)), calls: ended.calls });
  }
  return all;
}

type Stages = Awaited<ReturnType<typeof stages>>;

/** What is wrong with what the machine is left with. */
async function judge(machine: MemoryMachine, done: Done, known: Stages) {
  const { found, told } = await look(machine);
  const [before, after] = [known[done.steps]!, known[done.steps + 1] ?? known[done.steps]!];
  if (found !== before.found && found !== after.found) return `after ${done.steps} steps it is ${found}`;
  const lost = [...done.kept.keys()].filter((said) => !told.some((event) => event.includes(`"${said}"`)));
  if (lost.length > 0) return `it lost ${lost}`;
  // Whatever was told while it ran is there to be found, or was before it was taken back.
  const passed = known.slice(0, done.steps + 1).flatMap((stage) => stage.told);
  const invented = done.told.filter((event) => !told.includes(event) && !passed.includes(event));
  return invented.length > 0 ? `it told ${invented}` : undefined;
}

test('only what comes of a job makes something last, and then all that was before it', async () => {
  const found = (await stages()).map((stage) => stage.found);
  const lasting = found.flatMap((each, steps) => (steps > 0 && each !== found[steps - 1] ? [steps - 1] : []));
  // Two ends, a late one, one with a cancel beside it, two at once, and a flush.
  expect(lasting).toEqual([2, 5, 6, 8, 12, 14]);
  expect(found.at(-1)).toBe(found[0]);
});

test('killed before any call, nothing that was said to be written is lost', async () => {
  const known = await stages();
  const calls = known.at(-1)!.calls;
  const tally = new Tally();
  for (let at = 0; at < calls; at += SOAK ? 1 : 3) {
    const machine = await begin();
    const done = newDone();
    await attempt(machine, dieBefore(at), (workspace) => work(workspace, done));
    tally.add(`call ${at}`, await judge(machine, done, known));
  }
  tally.expectClean('kill points of a queue', SOAK ? 900 : 300);
});

test('a call that fails is a step that is refused, or one that is done', async () => {
  const known = await stages();
  const calls = known.at(-1)!.calls;
  const tally = new Tally();
  let whole = 0;
  for (const fault of SOAK ? FAULTS : (['ENOSPC', 'EIO after'] as const)) {
    for (let at = 0; at < calls; at += SOAK ? 1 : 17) {
      const machine = await begin();
      const done = newDone();
      const inject: Injection = failing(fault, (index) => index === at);
      await attempt(machine, inject, (workspace) => work(workspace, done));
      if (done.steps === STEPS.length) whole++;
      tally.add(`${fault} at call ${at}`, await judge(machine, done, known));
    }
  }
  tally.expectClean('faults of a queue', SOAK ? 4000 : 100);
  expect(whole).toBeGreaterThan(tally.count / 2);
});
