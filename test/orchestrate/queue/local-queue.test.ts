import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../../src/node/errors.js';
import { openLocalQueue } from '../../../src/orchestrate/queue/local-queue.js';
import { sealLine } from '../../../src/orchestrate/state-files.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { job, leaseOf, listen, type Payload, queueCases, type Result, states } from './queue-cases.js';
import { DONE, expectUnusable, openIn, operations, PATH, read, watchFiles } from './queue-place.js';

queueCases('the local queue', () => {
  const root = makeFolder();
  return { open: () => openLocalQueue<Payload, Result>(new Workspace(root)) };
});

test('its file is for this user alone, and git does not see it', async () => {
  const root = makeFolder();
  await openIn(root);
  expect(statSync(join(root, PATH)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(root, '.ultraplan/state/.gitignore'), 'utf8')).toBe('*\n');
});

test('a job costs one write, with what was cancelled before its end, and no commit', async () => {
  const root = makeFolder();
  const watch = watchFiles();
  const queue = await openIn(root);
  watch.commits();
  const lease = leaseOf(queue);
  await queue.enqueue([job('a'), job('b'), job('c')]);
  await queue.cancel('b');
  expect([watch.calls(), operations(root)]).toEqual([[], ['tokens']]);
  await queue.complete(await lease, DONE);
  expect(watch.calls()).toEqual(['write']);
  await queue.cancel('a');
  expect(watch.calls()).toEqual([]);
  await queue.complete(await leaseOf(queue), DONE);
  expect(watch.calls()).toEqual(['write']);
  expect(operations(root)).toEqual(['tokens', 'complete', 'cancel', 'complete']);
  await queue.cancel('c');
  await queue.close();
  expect(watch.calls()).toEqual(['write', 'sync']);
  expect(operations(root).slice(4)).toEqual(['cancel']);
  expect(watch.commits()).toBe(0);
});

test('an end is written before it is told and before whoever brought it hears of it', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  const lease = await leaseOf(queue);
  const whenTold = new Promise<string[]>((resolve) => queue.listen(() => resolve(operations(root))));
  const end = queue.complete(lease, DONE);
  expect(await whenTold).toEqual(['tokens', 'complete']);
  expect(await end).toBe(true);
  // The process dies here.
  const next = await openIn(root);
  expect(await states(next)).toEqual(['a/1 completed']);
  expect(await listen(next)(1)).toMatchObject([{ type: 'completed', task: 'a', result: DONE }]);
});

test('ends that are asked for at once are written in that order', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a'), job('b'), job('c')]);
  const [a, b, c] = [await leaseOf(queue), await leaseOf(queue), await leaseOf(queue)];
  await queue.complete(a, DONE);
  const before = operations(root).length;
  await Promise.all([
    queue.cancel('a'),
    queue.complete(b, DONE),
    queue.fail(c, 'no'),
    queue.cancel('b'),
    queue.enqueue([job('d')]),
  ]);
  expect(operations(root).slice(before)).toEqual(['cancel', 'complete', 'fail']);
  await queue.flush('b');
  expect(operations(root).slice(before + 3)).toEqual(['cancel']);
  expect(await states(await openIn(root))).toEqual(['c/1 failed']);
});

test('what changes nothing is not written', async () => {
  const root = makeFolder();
  const watch = watchFiles();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  const lease = await leaseOf(queue);
  await queue.complete(lease, DONE);
  watch.calls();
  await Promise.all([queue.enqueue([job('a')]), queue.complete(lease, DONE), queue.cancel('b')]);
  await queue.flush('a');
  await queue.flush('b');
  await queue.close();
  expect(watch.calls().filter((name) => name === 'write')).toEqual([]);
});

test('what was taken back and is offered again is another job, and an end of the first came too late', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  const first = await leaseOf(queue);
  const end = queue.complete(first, DONE);
  await queue.cancel('a');
  await queue.enqueue([job('a')]);
  expect(await end).toBe(true);
  expect(await states(queue)).toEqual(['a/1 waiting']);
  const second = await leaseOf(queue);
  expect(await queue.complete(first, DONE)).toBe(false);
  expect(await queue.complete(second, { text: 'second' })).toBe(true);
  const found = await (await openIn(root)).list();
  expect(found).toEqual([
    { task: 'a', attempt: 1, state: 'completed', token: second.token, result: { text: 'second' } },
  ]);
});

test('nothing is written once it is closed', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  const lease = await leaseOf(queue);
  await queue.close();
  const before = read(root);
  await expectUnusable('cannot be written.', queue.complete(lease, DONE));
  expect(read(root)).toBe(before);
});

test('a file of an earlier version, with jobs and leases, is read', async () => {
  const root = makeFolder();
  await (await openIn(root)).close();
  const lease = { task: 'a', attempt: 1, token: 7 };
  const lines = [
    { op: 'tokens', next: 1_000_000_001 },
    { op: 'opened' },
    { op: 'enqueue', ...job('a') },
    { op: 'enqueue', ...job('b') },
    { op: 'lease', ...lease, worker: 'w' },
    { op: 'complete', ...lease, result: DONE },
  ];
  writeFileSync(join(root, PATH), lines.map((line) => sealLine(PATH, line)).join(''));
  const queue = await openIn(root);
  expect(await queue.list()).toEqual([{ task: 'a', attempt: 1, state: 'completed', token: 7, result: DONE }]);
  await queue.enqueue([job('b')]);
  expect((await leaseOf(queue)).token).toBe(1_000_000_001);
});

test('opened, it is written anew with what counts, in one commit', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  for (let number = 0; number < 10; number++) {
    await queue.enqueue([job(`t${number}`)]);
    await queue.complete(await leaseOf(queue), DONE);
    if (number < 9) await queue.cancel(`t${number}`);
  }
  const watch = watchFiles();
  await openIn(root);
  expect(watch.commits()).toBe(1);
  expect(operations(root)).toEqual(['tokens', 'complete']);
  expect(statSync(join(root, PATH)).mode & 0o777).toBe(0o600);
  const next = await openIn(root);
  expect(operations(root)).toEqual(['tokens', 'complete']);
  expect(await states(next)).toEqual(['t9/1 completed']);
  await next.cancel('t9');
  await next.close();
  await openIn(root);
  expect(operations(root)).toEqual(['tokens']);
});

test('no token is given twice, whatever was written of the leases before', async () => {
  const root = makeFolder();
  const tokens: number[] = [];
  for (let opening = 0; opening < 3; opening++) {
    const queue = await openLocalQueue<Payload, Result>(new Workspace(root));
    await queue.enqueue([job('a'), job('b')]);
    tokens.push((await leaseOf(queue)).token, (await leaseOf(queue)).token);
  }
  expect(tokens).toEqual([1, 2, 1_000_000_001, 1_000_000_002, 2_000_000_001, 2_000_000_002]);
});

test.each([
  ['a line without its end', (root: string) => truncateSync(join(root, PATH), byteLength(root) - 1)],
  ['half a line', (root: string) => truncateSync(join(root, PATH), byteLength(root) - 50)],
  // The last characters are `ü"},"superseded":false}` and a newline.
  ['half a character', (root: string) => truncateSync(join(root, PATH), byteLength(root) - 24)],
])('%s at the end counts for nothing, and is gone from then on', async (_name, cut) => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a'), job('b')]);
  const [a, b] = [await leaseOf(queue), await leaseOf(queue)];
  await queue.complete(a, DONE);
  await queue.complete(b, { text: 'ü' });
  cut(root);
  const next = await openIn(root);
  expect(await states(next)).toEqual(['a/1 completed']);
  expect(operations(root)).toEqual(['tokens', 'complete']);
  await next.enqueue([job('b')]);
  expect(await next.complete(await leaseOf(next), DONE)).toBe(true);
  expect(await states(await openIn(root))).toEqual(['a/1 completed', 'b/1 completed']);
});

test('a length without its bytes, as a power cut may leave it, counts for nothing', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  await queue.complete(await leaseOf(queue), DONE);
  appendFileSync(join(root, PATH), '\0'.repeat(300));
  expect(await states(await openIn(root))).toEqual(['a/1 completed']);
  expect(read(root)).not.toContain('\0');
});

test.each([
  ['a line of another', (text: string) => text + text.replaceAll('"task":"a"', '"task":"b"'), 4],
  ['a cut line that others follow', (text: string) => `${text.slice(0, -5)}\n${text}`, 2],
  ['a line without a seal', (text: string) => `{"op":"cancel","task":"a"}\n${text}`, 1],
  ['bytes that are no text', (text: string) => `${text}\0\n`, 1],
  ['a line of a newer teddy', (text: string) => text + sealLine(PATH, { op: 'pause' }), 3],
  ['a line of another file of ours', (text: string) => text + sealLine('journal.jsonl', { op: 'opened' }), 3],
])('%s makes it unusable, by file and line', async (_name, damage, line) => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  await queue.complete(await leaseOf(queue), DONE);
  writeFileSync(join(root, PATH), damage(read(root)));
  const damaged = read(root);
  const opening = openLocalQueue(new Workspace(root));
  await expect(opening).rejects.toThrow(UserError);
  await expect(opening).rejects.toThrow(`${PATH}, line ${line}, `);
  expect(read(root)).toBe(damaged);
});

function byteLength(root: string): number {
  return statSync(join(root, PATH)).size;
}
