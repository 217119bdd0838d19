import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setFileSeam } from '../../../src/node/file-calls.js';
import type { Change } from '../../../src/workspace/commit/change.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { Random } from '../../corpus/random.js';

/** What one process of the stress is told. */
export interface Work {
  root: string;
  /** Outside the root: what was said to be committed, what was said not to be, what went wrong. */
  records: string;
  seed: number;
  /** Milliseconds since the epoch. */
  until: number;
  /** The process ends itself before this file call, counted from its first commit on. */
  dieBefore?: number;
}

export const COUNTERS = ['one.json', 'deep/two.json', 'deep/er/three.json', 'four.json'];
/** Counted in commits of their own, which nothing but the comparison with what was read keeps apart. */
export const TALLIES = ['tally.json', 'deep/tally.json'];
export const JOURNAL = 'journal.txt';
/** Of the files that commits make, the last so many are there; each commit also removes the oldest. */
export const KEPT = 5;

export const madeFile = (number: number) => `made/${number % 3}/${number}.txt`;

/** A text that carries its own checksum. */
function seal(body: string): string {
  return `${createHash('sha256').update(body).digest('hex')}\n${body}\n`;
}

/** The body of a sealed text; undefined for one that is torn. */
export function unseal(text: string): string | undefined {
  const at = text.indexOf('\n');
  const body = text.slice(at + 1, -1);
  return seal(body) === text ? body : undefined;
}

interface Counter {
  count: number;
  /** Makes the file's length different each time. */
  filler: string;
}

/** Commits until its time is over or its end comes. */
export async function work({ root, records, seed, until, dieBefore }: Work): Promise<void> {
  const random = new Random(seed);
  const workspace = new Workspace(root);
  if (dieBefore !== undefined) endBefore(dieBefore);
  while (Date.now() < until) {
    const token = randomUUID();
    const tallies = random.chance(0.3);
    const changes = tallies ? countUp(root, TALLIES, random)?.changes : nextChanges(root, token, random);
    if (changes === undefined) continue;
    const result = await workspace.commit(changes);
    if (result.status === 'committed') record(join(records, tallies ? 'tallied' : 'committed'), token);
    else if (result.status === 'conflict') record(join(records, 'not-committed'), token);
    else record(join(records, 'trouble'), JSON.stringify(result));
  }
}

function endBefore(calls: number): void {
  let made = 0;
  setFileSeam((call, perform) => {
    if (++made >= calls) process.kill(process.pid, 'SIGKILL');
    return perform(call.args);
  });
}

/** Every counter plus one, one line more, one file more and one less; undefined when another was faster. */
function nextChanges(root: string, token: string, random: Random): Change[] | undefined {
  const offset = statSync(join(root, JOURNAL)).size;
  const counted = countUp(root, COUNTERS, random);
  if (!counted) return undefined;
  const { number, changes } = counted;
  changes.push({
    path: JOURNAL,
    append: Buffer.from(`${seal(`${number} ${token}`).replace('\n', ' ')}`),
    offset,
  });
  changes.push({ path: madeFile(number), before: null, after: Buffer.from(seal(String(number))) });
  if (number > KEPT) {
    const oldest = number - KEPT;
    changes.push({ path: madeFile(oldest), before: hashOf(seal(String(oldest))), after: null });
  }
  return changes;
}

/** Files plus one each; undefined when another counted while they were read. */
function countUp(
  root: string,
  paths: readonly string[],
  random: Random,
): { number: number; changes: Change[] } | undefined {
  const texts = paths.map((path) => readFileSync(join(root, path)));
  const counts = texts.map((text) => (JSON.parse(unseal(text.toString())!) as Counter).count);
  const number = counts[0]! + 1;
  if (counts.some((count) => count !== number - 1)) return undefined;
  const changes = paths.map((path, i) => ({
    path,
    before: hashOf(texts[i]!),
    after: counterBytes(number, random),
  }));
  return { number, changes };
}

export function counterBytes(count: number, random: Random): Uint8Array {
  const counter: Counter = { count, filler: 'x'.repeat(random.below(20_000)) };
  return Buffer.from(seal(JSON.stringify(counter)));
}

function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** On disk before anything else is done. */
function record(path: string, line: string): void {
  const file = openSync(path, 'a');
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}
