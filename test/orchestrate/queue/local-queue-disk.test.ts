// What a queue does about the disk: a write that fails, and a sync for what is not dealt with.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../../folder.js';
import { job, leaseOf, listen, states } from './queue-cases.js';
import { DONE, expectUnusable, full, openIn, operations, read, watchFiles } from './queue-place.js';

let root: string;
beforeEach(() => {
  root = makeFolder();
});

async function openWith(...tasks: string[]) {
  const watch = watchFiles();
  const queue = await openIn(root);
  await queue.enqueue(tasks.map((task) => job(task)));
  const leases = await Promise.all(tasks.map(() => leaseOf(queue)));
  watch.commits();
  return { watch, queue, leases };
}

describe('a write that fails', () => {
  test.each([
    ['nothing of it is there', 0],
    ['half of it is there', 0.5],
  ])('throws, is not told, and is the last one: %s', async (_name, part) => {
    const { watch, queue, leases } = await openWith('a', 'b', 'c');
    const [a, b, c] = leases;
    await queue.complete(a!, DONE);
    const before = read(root);
    const told = listen(queue);
    watch.disturb('write', (perform) => {
      if (part > 0) perform(part);
      return full();
    });
    await expectUnusable('cannot be written.', queue.complete(b!, DONE), queue.fail(c!, 'no'));
    watch.disturb('write', undefined);
    const left = read(root);
    expect(left.startsWith(before)).toBe(true);
    expect(left === before).toBe(part === 0);
    watch.calls();
    // The disk is whole again, but what was cut off would spoil what came after it.
    await queue.cancel('a');
    await expectUnusable('cannot be written.', queue.complete(b!, DONE), queue.flush('a'));
    expect(await states(queue)).toEqual(['b/1 leased', 'c/1 leased']);
    expect(await queue.heartbeat(b!)).toBe(true);
    await queue.close();
    await expectUnusable('cannot be written.', queue.fail(c!, 'no'));
    expect(watch.calls()).toEqual([]);
    expect(read(root)).toBe(left);
    expect(await told(1)).toMatchObject([{ type: 'completed', task: 'a' }]);
    const next = await openIn(root);
    expect(await states(next)).toEqual(['a/1 completed']);
  });

  test('a write that is done in parts is whole', async () => {
    const { watch, queue, leases } = await openWith('a');
    watch.disturb('write', (perform) => perform(0.4));
    expect(await queue.complete(leases[0]!, DONE)).toBe(true);
    expect(watch.calls().length).toBeGreaterThan(2);
    expect(operations(root)).toEqual(['tokens', 'complete']);
    expect(await states(await openIn(root))).toEqual(['a/1 completed']);
  });

  test('what nobody waits for is in effect all the same, and the queue is closed', async () => {
    const { watch, queue, leases } = await openWith('a');
    await queue.complete(leases[0]!, DONE);
    await queue.cancel('a');
    await queue.enqueue([job('b')]);
    watch.disturb('write', full);
    expect((await leaseOf(queue)).job).toEqual(job('b'));
    await queue.close();
    watch.disturb('write', undefined);
    expect(await states(await openIn(root))).toEqual(['a/1 completed']);
  });
});

describe('a while after an end', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());
  const wait = () => vi.advanceTimersByTime(20);

  test('its file is synced, once for all that came meanwhile', async () => {
    const { watch, queue, leases } = await openWith('a', 'b', 'c');
    await queue.complete(leases[0]!, DONE);
    await queue.fail(leases[1]!, 'no');
    expect(watch.calls()).toEqual(['write', 'write']);
    wait();
    expect(watch.calls()).toEqual(['sync']);
    wait();
    expect(watch.calls()).toEqual([]);
    await queue.complete(leases[2]!, DONE);
    wait();
    expect(watch.calls()).toEqual(['write', 'sync']);
    expect(watch.commits()).toBe(0);
  });

  test('it is not where all was taken back', async () => {
    const { watch, queue, leases } = await openWith('a', 'b');
    queue.listen(({ task }) => void queue.cancel(task));
    await queue.complete(leases[0]!, DONE);
    await queue.fail(leases[1]!, 'no');
    wait();
    expect(watch.calls()).toEqual(['write', 'write']);
    expect(await queue.list()).toEqual([]);
  });

  test('it is for one that came too late, and for one of two', async () => {
    const { watch, queue, leases } = await openWith('a', 'b');
    await queue.cancel('a');
    expect(await queue.complete(leases[0]!, DONE)).toBe(false);
    wait();
    expect(watch.calls()).toEqual(['write', 'sync']);
    await queue.complete(leases[1]!, DONE);
    await queue.cancel('a');
    wait();
    expect(watch.calls()).toEqual(['write', 'sync']);
  });

  test('where that fails, whoever brings something next hears of it', async () => {
    const { watch, queue, leases } = await openWith('a', 'b');
    await queue.complete(leases[0]!, DONE);
    watch.disturb('sync', full);
    wait();
    watch.disturb('sync', undefined);
    await expectUnusable('cannot be written.', queue.complete(leases[1]!, DONE));
    expect(await states(queue)).toEqual(['a/1 completed', 'b/1 leased']);
    expect(await states(await openIn(root))).toEqual(['a/1 completed']);
  });

  test('flush syncs what was taken back, be it written or not, and nothing else', async () => {
    const { watch, queue, leases } = await openWith('a', 'b', 'c');
    await queue.complete(leases[0]!, DONE);
    wait();
    watch.calls();
    await queue.flush('a');
    expect(watch.calls()).toEqual([]);
    await queue.cancel('a');
    await queue.flush('b');
    expect(watch.calls()).toEqual([]);
    await queue.flush('a');
    expect(watch.calls()).toEqual(['write', 'sync']);
    await queue.flush('a');
    expect(watch.calls()).toEqual([]);
    await queue.complete(leases[1]!, DONE);
    await queue.cancel('b');
    await queue.complete(leases[2]!, DONE);
    expect(watch.calls()).toEqual(['write', 'write']);
    await queue.flush('b');
    expect(watch.calls()).toEqual(['sync']);
    await queue.cancel('c');
    watch.disturb('sync', full);
    await expectUnusable('cannot be written.', queue.flush('c'));
  });
});
