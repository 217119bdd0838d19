import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Folder } from '../../../src/node/folder.js';
import { tryAcquire } from '../../../src/workspace/lock.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { COUNTERS, JOURNAL, KEPT, madeFile, TALLIES, unseal } from './worker.js';

/** Reads the counters again and again while others write: never torn, never counting backwards. */
export class Watcher {
  readonly violations: string[] = [];
  private readonly highest = new Map<string, number>();

  constructor(private readonly root: string) {}

  look(): void {
    for (const path of [...COUNTERS, ...TALLIES]) {
      const count = readCount(this.root, path);
      if (count === undefined) this.violations.push(`${path} is torn while others write`);
      else if (count < (this.highest.get(path) ?? 0)) this.violations.push(`${path} counts back to ${count}`);
      else this.highest.set(path, count);
    }
  }
}

/** Whether everything said to be committed is there, nothing else, and nothing is left behind. */
export async function checkStress(
  root: string,
  records: string,
  kills: number,
): Promise<{ commits: number; violations: string[] }> {
  const violations: string[] = [];
  const recovery = await new Workspace(root).recover();
  if (recovery.status !== 'recovered') violations.push(`recovery: ${JSON.stringify(recovery)}`);
  const committed = readLines(join(records, 'committed'));
  const tallied = readLines(join(records, 'tallied'));
  const count = checkCounts(root, COUNTERS, committed.length, kills, violations);
  const tally = checkCounts(root, TALLIES, tallied.length, kills, violations);
  violations.push(
    ...checkJournal(root, count, committed, readLines(join(records, 'not-committed'))),
    ...checkTree(root, count),
    ...checkLock(root),
    ...readLines(join(records, 'trouble')).map((line) => `a commit was answered: ${line}`),
  );
  return { commits: count + tally, violations };
}

/** All alike: what was said to be committed, and at most what each killed process had under way. */
function checkCounts(
  root: string,
  paths: readonly string[],
  said: number,
  kills: number,
  violations: string[],
): number {
  const counts = paths.map((path) => readCount(root, path));
  const [count = 0] = counts;
  if (counts.some((each) => each !== count))
    violations.push(`counters differ: ${paths.map((path, i) => `${path} ${counts[i]}`).join(', ')}`);
  if (count < said || count > said + kills)
    violations.push(`${paths[0]} counts ${count}; committed ${said}, killed ${kills}`);
  return count;
}

function checkJournal(root: string, count: number, committed: string[], not: string[]): string[] {
  const violations: string[] = [];
  const tokens = new Set<string>();
  const text = readFileSync(join(root, JOURNAL), 'utf8');
  if (text !== '' && !text.endsWith('\n')) violations.push('the last line of the journal is torn');
  const lines = text.split('\n').slice(0, -1);
  if (lines.length !== count) violations.push(`${lines.length} lines for a count of ${count}`);
  for (const [i, line] of lines.entries()) {
    const [number, token] = unseal(`${line.replace(' ', '\n')}\n`)?.split(' ') ?? [];
    if (token === undefined) violations.push(`line ${i + 1} is torn: ${line}`);
    else if (number !== String(i + 1)) violations.push(`line ${i + 1} says ${number}`);
    else if (tokens.has(token)) violations.push(`line ${i + 1} is there twice`);
    else tokens.add(token);
  }
  for (const token of committed)
    if (!tokens.has(token)) violations.push(`${token} was committed and is lost`);
  for (const token of not) if (tokens.has(token)) violations.push(`${token} was not committed and is there`);
  return violations;
}

/** Exactly the files that there should be. */
function checkTree(root: string, count: number): string[] {
  const made = Array.from({ length: Math.min(KEPT, count) }, (_, i) => madeFile(count - i));
  const expected = new Set([...COUNTERS, ...TALLIES, JOURNAL, ...made]);
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.teddy') && statSync(join(root, path)).isFile())
    .sort();
  const violations = found.filter((path) => !expected.has(path)).map((path) => `${path} should not be there`);
  for (const path of expected) if (!found.includes(path)) violations.push(`${path} is missing`);
  for (const path of made.filter((each) => found.includes(each)))
    if (unseal(readFileSync(join(root, path), 'utf8')) === undefined) violations.push(`${path} is torn`);
  for (const name of readdirSync(join(root, '.teddy/tx')).filter((each) => !each.startsWith('.gitignore')))
    violations.push(`.teddy/tx/${name} is left behind`);
  return violations;
}

function checkLock(root: string): string[] {
  const folder = Folder.open(join(root, '.teddy'));
  try {
    const lock = tryAcquire(folder, 'lock');
    lock?.release();
    return lock ? [] : ['the lock is held by nobody, and held'];
  } finally {
    folder.close();
  }
}

function readCount(root: string, path: string): number | undefined {
  const body = unseal(readFileSync(join(root, path), 'utf8'));
  return body === undefined ? undefined : (JSON.parse(body) as { count: number }).count;
}

function readLines(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}
