import { describe, expect, onTestFinished, test } from 'vitest';
import type { Job, Lease, Queue, QueueEvent } from '../../../src/orchestrate/queue/types.js';

export type Payload = { prompt: string };
export type Result = { text: string };
type Event = QueueEvent<Result>;
type TestQueue = Queue<Payload, Result>;

/** Where a queue is kept. */
export interface QueueSite {
  /** As a new process would, after the one that had it open died, if one had. */
  open(): Promise<TestQueue>;
}

const DONE: Result = { text: 'status: success\n' };

/** What every queue has to do, whatever it is made of. */
export function queueCases(name: string, makeSite: () => QueueSite | Promise<QueueSite>): void {
  const open = async (site: QueueSite) => {
    const queue = await site.open();
    onTestFinished(() => queue.close());
    return queue;
  };
  const openNew = async () => open(await makeSite());

  describe(name, () => {
    test('a job is offered, leased and completed, and its end is told', async () => {
      const queue = await openNew();
      const told = listen(queue);
      await queue.enqueue([job('a')]);
      expect(await queue.list()).toEqual([{ task: 'a', attempt: 1, state: 'waiting' }]);
      const lease = await leaseOf(queue, 'w1');
      expect(lease).toEqual({ job: job('a'), token: expect.any(Number), worker: 'w1' });
      expect(await queue.list()).toEqual([
        { task: 'a', attempt: 1, state: 'leased', token: lease.token, worker: 'w1' },
      ]);
      expect(await queue.complete(lease, DONE)).toBe(true);
      expect(await queue.list()).toEqual([
        { task: 'a', attempt: 1, state: 'completed', token: lease.token, result: DONE },
      ]);
      expect(await told(1)).toEqual([completed(lease, DONE)]);
    });

    test('jobs are leased in the order in which they were offered, each to one worker', async () => {
      const queue = await openNew();
      const waiting = [1, 2, 3].map((each) => leaseOf(queue, `w${each}`));
      await queue.enqueue([job('b'), job('a'), job('c')]);
      const leases = await Promise.all(waiting);
      expect(leases.map((lease) => lease.job.task)).toEqual(['b', 'a', 'c']);
      expect(new Set(leases.map(({ token }) => token)).size).toBe(3);
    });

    test('a job that is known is not offered again, another attempt at its task is', async () => {
      const queue = await openNew();
      await queue.enqueue([job('a'), job('a')]);
      await queue.enqueue([job('a'), job('a', 2)]);
      expect(await states(queue)).toEqual(['a/1 waiting', 'a/2 waiting']);
      await queue.complete(await leaseOf(queue), DONE);
      await queue.enqueue([job('a')]);
      expect(await states(queue)).toEqual(['a/1 completed', 'a/2 waiting']);
    });

    test('who waits hears of a closed queue, and of its own signal', async () => {
      const queue = await openNew();
      const patience = new AbortController();
      const left = queue.lease('w1', patience.signal);
      const stays = queue.lease('w2');
      patience.abort();
      expect(await left).toBeUndefined();
      expect(await queue.lease('w3', patience.signal)).toBeUndefined();
      await queue.close();
      expect(await stays).toBeUndefined();
      expect(await queue.lease('w4')).toBeUndefined();
    });

    test('a worker that left before its job came is not given it, and the next one is', async () => {
      const queue = await openNew();
      const patience = new AbortController();
      const left = queue.lease('w1', patience.signal);
      const next = leaseOf(queue, 'w2');
      patience.abort();
      await queue.enqueue([job('a')]);
      expect(await left).toBeUndefined();
      expect(await next).toMatchObject({ job: job('a'), worker: 'w2' });
    });

    test('what was taken back while its end was being written stays so', async () => {
      const site = await makeSite();
      const queue = await open(site);
      const told = listen(queue);
      await queue.enqueue([job('a')]);
      const lease = await leaseOf(queue);
      const ended = queue.complete(lease, DONE);
      await Promise.resolve();
      await queue.cancel('a');
      expect(await ended).toBe(true);
      expect(await queue.list()).toEqual([]);
      expect(await told(1)).toEqual([completed(lease, DONE)]);
      await queue.flush('a');
      expect(await (await open(site)).list()).toEqual([]);
    });

    test('what was leased and then forgotten is superseded, and told', async () => {
      const site = await makeSite();
      const before = await open(site);
      await before.enqueue([job('a')]);
      const forgotten = await leaseOf(before);
      const after = await open(site);
      await after.enqueue([job('a')]);
      const lease = await leaseOf(after);
      expect(lease.token).toBeGreaterThan(forgotten.token);
      const told = listen(after);
      expect(await after.complete(forgotten, DONE)).toBe(false);
      expect(await told(1)).toEqual([completed(forgotten, DONE, true)]);
      expect(await after.complete(lease, DONE)).toBe(true);
      const last = await open(site);
      expect(await listen(last)(2)).toEqual([completed(lease, DONE), completed(forgotten, DONE, true)]);
    });

    test('a job that could not be run says why', async () => {
      const queue = await openNew();
      await queue.enqueue([job('a')]);
      const told = listen(queue);
      const lease = await leaseOf(queue);
      expect(await queue.fail(lease, 'There is no claude.')).toBe(true);
      expect(await told(1)).toEqual([failed(lease, 'There is no claude.')]);
      expect(await queue.list()).toEqual([
        { task: 'a', attempt: 1, state: 'failed', token: lease.token, reason: 'There is no claude.' },
      ]);
    });

    test('the same end twice is told once; another one under the same lease came too late', async () => {
      const queue = await openNew();
      const told = listen(queue);
      await queue.enqueue([job('a')]);
      const lease = await leaseOf(queue);
      expect(await queue.complete(lease, DONE)).toBe(true);
      expect(await queue.complete(lease, { ...DONE })).toBe(true);
      const other = { text: 'status: failure\n' };
      expect(await queue.complete(lease, other)).toBe(false);
      expect(await queue.complete(lease, other)).toBe(false);
      expect(await queue.fail(lease, 'no')).toBe(false);
      expect(await told(3)).toEqual([
        completed(lease, DONE),
        completed(lease, other, true),
        failed(lease, 'no', true),
      ]);
      expect(await queue.list()).toEqual([
        { task: 'a', attempt: 1, state: 'completed', token: lease.token, result: DONE },
      ]);
    });

    test('cancel takes back everything of a task and of no other', async () => {
      const queue = await openNew();
      await queue.enqueue([job('a'), job('a', 2), job('b')]);
      const lease = await leaseOf(queue);
      await queue.cancel('a');
      await queue.cancel('nothing of it');
      expect(await states(queue)).toEqual(['b/1 waiting']);
      expect(await queue.heartbeat(lease)).toBe(false);
      expect((await leaseOf(queue)).job).toEqual(job('b'));
    });

    test('what comes of a cancelled job is told as superseded, and changes nothing', async () => {
      const queue = await openNew();
      const told = listen(queue);
      await queue.enqueue([job('a')]);
      const first = await leaseOf(queue);
      await queue.cancel('a');
      await queue.enqueue([job('a')]);
      const second = await leaseOf(queue);
      expect(second.token).toBeGreaterThan(first.token);
      expect(await queue.complete(first, DONE)).toBe(false);
      expect(await told(1)).toEqual([completed(first, DONE, true)]);
      expect(await states(queue)).toEqual(['a/1 leased']);
      expect(await queue.complete(second, { text: 'mine' })).toBe(true);
    });

    test('a listener is told first what ended before it, and nothing more once it has left', async () => {
      const queue = await openNew();
      await queue.enqueue([job('a'), job('b'), job('c')]);
      const [a, b, c] = [await leaseOf(queue), await leaseOf(queue), await leaseOf(queue)];
      await queue.complete(a, DONE);
      const events: Event[] = [];
      const leave = queue.listen((event) => events.push(event));
      await queue.complete(b, DONE);
      const told = listen(queue);
      expect(await told(2)).toEqual([completed(a, DONE), completed(b, DONE)]);
      leave();
      await queue.complete(c, DONE);
      await told(3);
      expect(events).toEqual([completed(a, DONE), completed(b, DONE)]);
    });

    test('after a crash leases are void and ends are told again, until they are cancelled', async () => {
      const site = await makeSite();
      const before = await open(site);
      await before.enqueue([job('a'), job('b'), job('c')]);
      const [a, b, c] = [await leaseOf(before), await leaseOf(before), await leaseOf(before)];
      await before.complete(a, DONE);
      await before.fail(b, 'no');
      const after = await open(site);
      expect(await listen(after)(2)).toEqual([completed(a, DONE), failed(b, 'no')]);
      // A queue may have forgotten it, or offer it again.
      await after.enqueue([job('c')]);
      expect(await states(after)).toEqual(['a/1 completed', 'b/1 failed', 'c/1 waiting']);
      const again = await leaseOf(after);
      expect(again.job).toEqual(job('c'));
      expect(again.token).toBeGreaterThan(c.token);
      await after.cancel('a');
      await after.flush('a');
      const last = await open(site);
      expect(await listen(last)(1)).toEqual([failed(b, 'no')]);
    });

    test('what a dead process leased is superseded after any number of crashes', async () => {
      const site = await makeSite();
      const before = await open(site);
      await before.enqueue([job('a')]);
      const lease = await leaseOf(before);
      const after = await open(site);
      expect(await after.heartbeat(lease)).toBe(false);
      expect(await after.complete(lease, DONE)).toBe(false);
      const last = await open(site);
      expect(await listen(last)(1)).toEqual([completed(lease, DONE, true)]);
      await last.cancel('a');
      await last.close();
      const clean = await open(site);
      expect(await clean.list()).toEqual([]);
      await clean.enqueue([job('a')]);
      expect((await leaseOf(clean)).token).toBeGreaterThan(lease.token);
    });

    test('many workers and many jobs at once: each job is done by one', async () => {
      const queue = await openNew();
      const told = listen(queue);
      const done: string[] = [];
      const workers = Array.from({ length: 4 }, async (_, number) => {
        for (let lease = await queue.lease(`w${number}`); lease; lease = await queue.lease(`w${number}`)) {
          done.push(lease.job.task);
          await queue.complete(lease, { text: lease.job.task });
        }
      });
      const tasks = Array.from({ length: 30 }, (_, number) => `t${number}`);
      await Promise.all(tasks.map((task) => queue.enqueue([job(task)])));
      const events = await told(30);
      await queue.close();
      await Promise.all(workers);
      expect(done.toSorted()).toEqual(tasks.toSorted());
      expect(events.map(({ task }) => task).toSorted()).toEqual(tasks.toSorted());
    });
  });
}

export function job(task: string, attempt = 1): Job<Payload> {
  return { task, attempt, payload: { prompt: `Do ${task}, "as it is written".\n` } };
}

export async function leaseOf(queue: TestQueue, worker = 'w'): Promise<Lease<Payload>> {
  const lease = await queue.lease(worker);
  if (!lease) throw new Error('the queue is closed');
  return lease;
}

export async function states(queue: TestQueue): Promise<string[]> {
  return (await queue.list()).map(({ task, attempt, state }) => `${task}/${attempt} ${state}`);
}

/** Waits until so many events were told, and gives all of them. */
export function listen(queue: TestQueue): (count: number) => Promise<Event[]> {
  const events: Event[] = [];
  let hear = () => {};
  queue.listen((event) => {
    events.push(event);
    hear();
  });
  return async (count) => {
    while (events.length < count) {
      await new Promise<void>((resolve) => {
        hear = resolve;
      });
    }
    // Whatever is told too much comes now.
    await new Promise((resolve) => setImmediate(resolve));
    return events;
  };
}

function completed(lease: Lease<Payload>, result: Result, superseded = false): Event {
  return { type: 'completed', ...nameOf(lease), result, superseded };
}

function failed(lease: Lease<Payload>, reason: string, superseded = false): Event {
  return { type: 'failed', ...nameOf(lease), reason, superseded };
}

function nameOf({ job: { task, attempt }, token }: Lease<Payload>) {
  return { task, attempt, token };
}
