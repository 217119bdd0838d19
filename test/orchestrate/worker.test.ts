import { expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../src/node/errors.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { runWorker } from '../../src/orchestrate/attempt/worker.js';
import { openLocalQueue } from '../../src/orchestrate/queue/local-queue.js';
import type { Job, Queue } from '../../src/orchestrate/queue/types.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { job, listen, type Payload, type Result, states } from './queue/queue-cases.js';

const FAST = { heartbeatMs: 10 };

type Run = (job: Job<Payload>, signal: AbortSignal) => Promise<Result>;

type Answer = Queue<Payload, Result>['complete'];

/** `answer`: what stands between the worker and the queue that it tells of an end. */
async function start(run: Run, answer?: (complete: Answer) => Answer) {
  const queue = await openLocalQueue<Payload, Result>(new Workspace(makeFolder()), FAST);
  onTestFinished(() => queue.close());
  onTestFinished(() => setFileSeam(undefined));
  const stop = new AbortController();
  if (answer) queue.complete = answer(queue.complete.bind(queue));
  const ended = runWorker({ queue, name: 'w1', run, signal: stop.signal });
  return { queue, told: listen(queue), stop, ended };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

test('it works on jobs until the queue is closed', async () => {
  const { queue, told, ended } = await start(async ({ task, payload }) => ({ text: task + payload.prompt }));
  await queue.enqueue([job('a'), job('b')]);
  const events = await told(2);
  expect(events).toMatchObject([
    { type: 'completed', task: 'a', result: { text: `a${job('a').payload.prompt}` }, superseded: false },
    { type: 'completed', task: 'b', superseded: false },
  ]);
  await queue.close();
  await ended;
});

test('what it throws is why the job could not be run, and it goes on', async () => {
  const { queue, told } = await start(async ({ task }) => {
    if (task === 'a') throw new Error('There is no such program.');
    return { text: task };
  });
  await queue.enqueue([job('a'), job('b')]);
  expect(await told(2)).toMatchObject([
    { type: 'failed', task: 'a', reason: 'There is no such program.' },
    { type: 'completed', task: 'b' },
  ]);
});

test('a job that nobody wants any more is broken off, and brings nothing', async () => {
  const begun = deferred();
  const { queue, told } = await start(async ({ task }, signal) => {
    if (task === 'b') return { text: 'b' };
    begun.resolve();
    await untilAborted(signal);
    return { text: 'half of a' };
  });
  await queue.enqueue([job('a')]);
  await begun.promise;
  await queue.cancel('a');
  await queue.enqueue([job('b')]);
  expect(await told(1)).toMatchObject([{ type: 'completed', task: 'b' }]);
  expect(await states(queue)).toEqual(['b/1 completed']);
});

test('told to stop, it breaks off its job, keeps what that brings, and begins no other', async () => {
  const begun = deferred();
  const { queue, told, stop, ended } = await start(async (_job, signal) => {
    begun.resolve();
    await untilAborted(signal);
    return { text: 'cancelled' };
  });
  await queue.enqueue([job('a'), job('b')]);
  await begun.promise;
  stop.abort();
  await ended;
  expect(await told(1)).toMatchObject([{ type: 'completed', task: 'a', result: { text: 'cancelled' } }]);
  expect(await states(queue)).toEqual(['a/1 completed', 'b/1 waiting']);
});

test('it ends when the queue has dealt with what it brought, not before', async () => {
  const [brought, dealtWith] = [deferred(), deferred()];
  const { queue, told, stop, ended } = await start(
    async () => ({ text: 'a' }),
    (complete) => async (lease, result) => {
      brought.resolve();
      await dealtWith.promise;
      return complete(lease, result);
    },
  );
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await queue.enqueue([job('a')]);
  await brought.promise;
  stop.abort();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  dealtWith.resolve();
  await ended;
  expect(await told(1)).toMatchObject([{ type: 'completed', task: 'a' }]);
});

test('it ends with the sentence of a queue that cannot write', async () => {
  const { queue, ended } = await start(async () => {
    breakDisk();
    return { text: 'a' };
  });
  const failing = expect(ended).rejects.toThrow(UserError);
  await queue.enqueue([job('a')]);
  await failing;
});

/** Nothing can be written from here on. */
function breakDisk(): void {
  setFileSeam((call, perform) => {
    if (call.name === 'write') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return perform(call.args);
  });
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((each) => {
    resolve = each;
  });
  return { promise, resolve };
}
