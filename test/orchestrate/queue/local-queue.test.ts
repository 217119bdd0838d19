import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalQueue } from '../../../src/orchestrate/queue/local-queue.js';
import { sealLine } from '../../../src/orchestrate/sealed-lines.js';
import { setFileSeam, Unusable } from '../../../src/platform/index.js';
import { Workspace } from '../../../src/workspace/index.js';
import { makeFolder } from '../../folder.js';
import { job, leaseOf, listen, type Payload, queueCases, type Result, states } from './queue-cases.js';

const PATH = '.ultraplan/state/queue.jsonl';
const DONE: Result = { text: 'done' };

queueCases('the local queue', () => {
  const root = makeFolder();
  return { open: (options) => openLocalQueue<Payload, Result>(new Workspace(root), options) };
});

async function openIn(root: string) {
  const queue = await openLocalQueue<Payload, Result>(new Workspace(root));
  onTestFinished(() => queue.close());
  return queue;
}

const read = (root: string) => readFileSync(join(root, PATH), 'utf8');
const operations = (root: string) =>
  read(root)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { op: string }).op);

/** Counts commits by the one name that each of them gives its log. */
function countCommits(): () => number {
  let commits = 0;
  setFileSeam((call, perform) => {
    if (call.name === 'rename' && String(call.args[1]).endsWith('.log')) commits++;
    return perform(call.args);
  });
  onTestFinished(() => setFileSeam(undefined));
  return () => commits;
}

/** Every call that makes something last fails, until the disk is whole again. */
function breakDisk(): () => void {
  setFileSeam((call, perform) => {
    if (call.name === 'sync') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return perform(call.args);
  });
  onTestFinished(() => setFileSeam(undefined));
  return () => setFileSeam(undefined);
}

async function expectFull(...asked: Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(asked)) {
    expect(end.status).toBe('rejected');
    const { reason } = end as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(Unusable);
    expect((reason as Error).message).toBe(`${PATH} cannot be written: ENOSPC.`);
  }
}

test('its file is for this user alone, and git does not see it', async () => {
  const root = makeFolder();
  await openIn(root);
  expect(statSync(join(root, PATH)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(root, '.ultraplan/state/.gitignore'), 'utf8')).toBe('*\n');
});

test('a job costs one commit, with all that happened before its end in the order in which it did', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  const commits = countCommits();
  const lease = leaseOf(queue);
  await queue.enqueue([job('a'), job('b')]);
  await queue.cancel('b');
  expect([commits(), operations(root)]).toEqual([0, ['tokens']]);
  await queue.complete(await lease, DONE);
  expect(commits()).toBe(1);
  expect(operations(root)).toEqual(['tokens', 'enqueue', 'enqueue', 'lease', 'cancel', 'complete']);
  await queue.cancel('a');
  await queue.enqueue([job('c')]);
  expect(commits()).toBe(1);
  await queue.close();
  expect(commits()).toBe(2);
  expect(operations(root).slice(6)).toEqual(['cancel', 'enqueue']);
});

test('what nobody waits for is in effect while the disk cannot be written, and is written when it can', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a'), job('b')]);
  const lease = await leaseOf(queue);
  const mend = breakDisk();
  await expectFull(queue.complete(lease, DONE));
  await queue.cancel('b');
  await queue.enqueue([job('c')]);
  const next = await leaseOf(queue);
  expect(next.job).toEqual(job('c'));
  await expectFull(queue.fail(next, 'no'), queue.complete(lease, DONE), queue.flush('b'));
  expect(await states(queue)).toEqual(['a/1 leased', 'c/1 leased']);
  expect(operations(root)).toEqual(['tokens']);
  mend();
  expect(await queue.complete(lease, DONE)).toBe(true);
  const expected = ['tokens', 'enqueue', 'enqueue', 'lease', 'cancel', 'enqueue', 'lease', 'complete'];
  expect(operations(root)).toEqual(expected);
  expect(await states(await openIn(root))).toEqual(['a/1 completed', 'c/1 waiting']);
});

test('what is asked for during a commit goes into the next one, all of it', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a'), job('b'), job('c')]);
  const [a, b, c] = [await leaseOf(queue), await leaseOf(queue), await leaseOf(queue)];
  const commits = countCommits();
  const first = queue.complete(a, DONE);
  await Promise.resolve();
  await Promise.all([first, queue.complete(b, DONE), queue.fail(c, 'no'), queue.enqueue([job('d')])]);
  expect(commits()).toBe(2);
});

test('what changes nothing is no commit', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  const lease = await leaseOf(queue);
  await queue.complete(lease, DONE);
  const commits = countCommits();
  await Promise.all([queue.enqueue([job('a')]), queue.complete(lease, DONE), queue.cancel('b')]);
  await queue.flush('a');
  await queue.close();
  expect(commits()).toBe(0);
});

test('an end that cannot be written is rejected, with those that came meanwhile, and was never there', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a'), job('b')]);
  const [a, b] = [await leaseOf(queue), await leaseOf(queue)];
  const told = listen(queue);
  const before = read(root);
  const mend = breakDisk();
  const first = queue.complete(a, DONE);
  await Promise.resolve();
  const meanwhile = [queue.complete(a, DONE), queue.fail(a, 'after all'), queue.complete(b, DONE)];
  expect(await states(queue)).toEqual(['a/1 leased', 'b/1 leased']);
  await expectFull(first, ...meanwhile);
  mend();
  expect(await states(queue)).toEqual(['a/1 leased', 'b/1 leased']);
  expect(read(root)).toBe(before);
  expect(await queue.heartbeat(a)).toBe(true);
  expect(await queue.fail(a, 'after all')).toBe(true);
  expect(await told(1)).toMatchObject([{ type: 'failed', task: 'a', superseded: false }]);
  expect(await states(await openIn(root))).toEqual(['a/1 failed', 'b/1 waiting']);
});

test('a queue whose last lines cannot be written is closed all the same', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  await queue.complete(await leaseOf(queue), DONE);
  await queue.cancel('a');
  const mend = breakDisk();
  await queue.close();
  mend();
  expect(await states(await openIn(root))).toEqual(['a/1 completed']);
});

test('opened with nothing that counts, it keeps only its tokens; else it sheds what is most of it', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  for (let number = 0; number < 10; number++) {
    await queue.enqueue([job(`t${number}`)]);
    await queue.complete(await leaseOf(queue), DONE);
    if (number < 9) await queue.cancel(`t${number}`);
  }
  await openIn(root);
  expect(operations(root)).toEqual(['tokens', 'enqueue', 'lease', 'complete']);
  expect(statSync(join(root, PATH)).mode & 0o777).toBe(0o600);
  const next = await openIn(root);
  expect(operations(root)).toEqual(['tokens', 'enqueue', 'lease', 'complete', 'opened', 'tokens']);
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

test('while it is open it does not grow without end, and what is leased stays so', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('long')]);
  const long = await leaseOf(queue);
  const prompt = 'x'.repeat(200_000);
  for (let number = 0; number < 12; number++) {
    await queue.enqueue([{ task: `t${number}`, attempt: 1, payload: { prompt } }]);
    await queue.complete(await leaseOf(queue), DONE);
    await queue.cancel(`t${number}`);
  }
  expect(read(root).length).toBeLessThan(1_500_000);
  expect(await queue.complete(long, DONE)).toBe(true);
  const after = await openIn(root);
  expect(await states(after)).toEqual(['long/1 completed']);
});

test('another program in the file is found out, and nothing of it is written over', async () => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  const lease = await leaseOf(queue);
  appendFileSync(join(root, PATH), 'hello\n');
  const found = read(root);
  await expect(queue.complete(lease, DONE)).rejects.toThrow(
    /^\.ultraplan\/state\/queue\.jsonl cannot be written: .*bytes/,
  );
  expect(read(root)).toBe(found);
});

test.each([
  ['a line of another', (text: string) => text + text.replaceAll('"task":"a"', '"task":"b"'), 6],
  ['a cut line', (text: string) => text.slice(0, -5), 4],
  ['a line without a seal', (text: string) => `{"op":"cancel","task":"a"}\n${text}`, 1],
  ['bytes that are no text', (text: string) => `${text}\0\n`, 1],
  ['a line of a newer teddy', (text: string) => text + sealLine(PATH, { op: 'pause' }), 5],
  ['a line of another file of ours', (text: string) => text + sealLine('journal.jsonl', { op: 'opened' }), 5],
])('%s makes it unusable, by file and line', async (_name, damage, line) => {
  const root = makeFolder();
  const queue = await openIn(root);
  await queue.enqueue([job('a')]);
  await queue.complete(await leaseOf(queue), DONE);
  writeFileSync(join(root, PATH), damage(read(root)));
  const damaged = read(root);
  const opening = openLocalQueue(new Workspace(root));
  await expect(opening).rejects.toThrow(Unusable);
  await expect(opening).rejects.toThrow(`${PATH}, line ${line}, `);
  expect(read(root)).toBe(damaged);
});
