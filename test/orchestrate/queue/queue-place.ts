import { constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { UserError } from '../../../src/node/errors.js';
import { type FileCall, setFileSeam } from '../../../src/node/file-calls.js';
import { openLocalQueue } from '../../../src/orchestrate/queue/local-queue.js';
import type { Queue } from '../../../src/orchestrate/queue/types.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import type { Payload, Result } from './queue-cases.js';

export const PATH = '.ultraplan/state/queue.jsonl';
export const DONE: Result = { text: 'done' };

export async function openIn(root: string): Promise<Queue<Payload, Result>> {
  const queue = await openLocalQueue<Payload, Result>(new Workspace(root));
  onTestFinished(() => queue.close());
  return queue;
}

export const read = (root: string) => readFileSync(join(root, PATH), 'utf8');

export const operations = (root: string) =>
  read(root)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { op: string }).op);

interface Watch {
  /** Calls on the file of a queue, as far as it grows, since this was asked last. */
  calls(): FileCall['name'][];
  /** Commits since this was asked last, by the one name that each of them gives its log. */
  commits(): number;
  /** What such a call does from here on, instead of what it should. */
  disturb(
    name: FileCall['name'],
    instead: ((perform: (part?: number) => unknown) => unknown) | undefined,
  ): void;
}

/** Looks at what queues do that are opened from here on. */
export function watchFiles(): Watch {
  const growing = new Set<unknown>();
  const instead = new Map<FileCall['name'], (perform: (part?: number) => unknown) => unknown>();
  const calls: FileCall['name'][] = [];
  let commits = 0;
  setFileSeam((call, perform) => {
    const { name, args } = call;
    if (name === 'rename' && String(args[1]).endsWith('.log')) commits++;
    if (name === 'open' && String(args[0]).endsWith('/queue.jsonl')) {
      const file = perform(args);
      if ((Number(args[1]) & constants.O_APPEND) !== 0) growing.add(file);
      return file;
    }
    if (!growing.has(args[0])) return perform(args);
    if (name === 'close') growing.delete(args[0]);
    if (name === 'write' || name === 'sync') calls.push(name);
    const performPart = (part = 1) =>
      perform(name === 'write' ? [...args.slice(0, 3), Math.ceil(Number(args[3]) * part), args[4]] : args);
    return (instead.get(name) ?? ((make) => make()))(performPart);
  });
  onTestFinished(() => setFileSeam(undefined));
  return {
    calls: () => calls.splice(0),
    commits: () => {
      const before = commits;
      commits = 0;
      return before;
    },
    disturb: (name, work) => void (work ? instead.set(name, work) : instead.delete(name)),
  };
}

export function full(): never {
  throw Object.assign(new Error('full'), { code: 'ENOSPC' });
}

export async function expectUnusable(sentence: string, ...asked: Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(asked)) {
    expect(end.status).toBe('rejected');
    const { reason } = end as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(UserError);
    expect((reason as Error).message).toBe(`${PATH} ${sentence}`);
  }
}
