// Whatever is asked of the queue, alone or together, with crashes in between: it does what a model of a few lists does.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLocalQueue } from '../../../src/orchestrate/queue/local-queue.js';
import type { Lease } from '../../../src/orchestrate/queue/types.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import { attempt, MemoryMachine, nothing } from '../../workspace/faults/machine.js';
import { SOAK } from '../../workspace/faults/random.js';
import { job, type Payload, type Result } from './queue-cases.js';
import { type Ask, type Handed, QueueModel } from './queue-model.js';

const task = fc.constantFrom('03-01:1', '03-01:2', 'ü/"\u2028 3');
const lease = fc.nat(9);
const ask: fc.Arbitrary<Ask> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ ask: fc.constant('enqueue'), task, attempt: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ ask: fc.constant('lease') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ask: fc.constant('complete'),
      lease,
      text: fc.constantFrom('', 'one\n', '\ud800'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ ask: fc.constant('fail'), lease, reason: fc.constantFrom('no', 'never') }),
  },
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('cancel'), task }) },
  { weight: 1, arbitrary: fc.record({ ask: fc.constant('flush'), task }) },
);
/** Things that are asked for at once, a while, or the end of the process. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(ask, { minLength: 1, maxLength: 4 }) },
  { weight: 2, arbitrary: fc.constantFrom('crash' as const, 'close' as const, 'wait' as const) },
);

// A queue syncs its file some time after an end: here that is a step like the others.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('it does what its model does', async () => {
  const start = MemoryMachine.of({});
  await attempt(start, nothing, (workspace) => workspace.recover());
  let crashes = 0;
  let ended = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
    const run = await attempt(start.fork(), nothing, (workspace) => follow(workspace, steps));
    if (run.how === 'threw') throw run.error;
    crashes += steps.filter((each) => each === 'crash' || each === 'close').length;
    ended += run.how === 'returned' ? run.value : 0;
  });
  await fc.assert(property, { numRuns: SOAK ? 5000 : 100 });
  // It would be easy to try nothing.
  expect(crashes).toBeGreaterThan(50);
  expect(ended).toBeGreaterThan(50);
});

type Step = readonly Ask[] | 'crash' | 'close' | 'wait';

async function follow(workspace: Workspace, steps: readonly Step[]): Promise<number> {
  const model = new QueueModel();
  const leases: Lease<Payload>[] = [];
  let ended = 0;
  let { queue, told } = await open(workspace);
  for (const step of [...steps, 'close' as const, 'crash' as const]) {
    if (step === 'wait') vi.advanceTimersByTime(20);
    else if (typeof step === 'string') {
      if (step === 'close') await queue.close();
      model[step]();
      vi.clearAllTimers();
      ({ queue, told } = await open(workspace));
    } else {
      const patience = new AbortController();
      const handed: [Handed, Promise<unknown>][] = [];
      const answers: [unknown, Promise<unknown>][] = [];
      for (const each of step) {
        const held = 'lease' in each ? leases[each.lease % Math.max(1, leases.length)] : undefined;
        if (each.ask === 'enqueue') {
          model.enqueue(each.task, each.attempt);
          answers.push([undefined, queue.enqueue([job(each.task, each.attempt)])]);
        } else if (each.ask === 'cancel' || each.ask === 'flush') {
          model[each.ask](each.task);
          answers.push([undefined, queue[each.ask](each.task)]);
        } else if (each.ask === 'lease') {
          handed.push([model.lease(), queue.lease('w', patience.signal)]);
        } else if (held && each.ask === 'complete') {
          const result = { text: each.text };
          answers.push([model.end(held, { result }), queue.complete(held, result)]);
          ended++;
        } else if (held && each.ask === 'fail') {
          answers.push([model.end(held, { reason: each.reason }), queue.fail(held, each.reason)]);
          ended++;
        }
      }
      model.settle();
      patience.abort();
      const all = [...answers, ...handed.map(([{ lease }, promise]) => [lease, promise] as const)];
      expect(await Promise.all(all.map(([, promise]) => promise))).toEqual(all.map(([value]) => value));
      leases.push(...handed.flatMap(([{ lease }]) => lease ?? []));
    }
    await new Promise((resolve) => setImmediate(resolve));
    // After a crash they are in the order of their ends.
    expect((await queue.list()).toSorted(byText)).toEqual(model.jobs.toSorted(byText));
    expect(told.toSorted(byText)).toEqual(model.told.toSorted(byText));
  }
  expect(new Set(leases.map(({ token }) => token)).size).toBe(leases.length);
  await queue.close();
  return ended;
}

async function open(workspace: Workspace) {
  const queue = await openLocalQueue<Payload, Result>(workspace);
  const told: object[] = [];
  queue.listen((event) => told.push(event));
  return { queue, told };
}

function byText(one: object, other: object): number {
  const [a, b] = [one, other].map((each) => JSON.stringify(Object.entries(each).sort()));
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}
