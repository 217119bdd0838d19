import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Change } from '../src/workspace/commit/change.js';
import { Workspace } from '../src/workspace/workspace.js';
import { type Replay, recordCalls } from './replay.js';
import type { Check } from './table.js';

const FILES = 2000;
const FOLDERS = 20;
/** On a disk that is slow to sync one round takes seconds. */
const LARGE_ROUNDS = 5;
const SMALL_ROUNDS = 150;

/** `commit` against the calls that it cannot do without. */
export async function benchCommit(): Promise<Check[]> {
  // The key that commits are sealed with is the user's own otherwise.
  const state = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = state;
  try {
    return await measure();
  } finally {
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
    fs.rmSync(state, { recursive: true, force: true });
  }
}

async function measure(): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { where, folder, binds } of places()) {
    const add = (name: string, value: number, limit: number | null) =>
      checks.push({
        name: `${name}, ${where}`,
        value,
        limit: binds ? limit : null,
        bound: 'at most',
        unit: '×',
      });
    add(`${FILES} new files in one commit / write, fsync, rename`, await compareLarge(folder, false), 2);
    add(`${FILES} edits in one commit / write, fsync, rename`, await compareLarge(folder, true), null);
    add('one edit / the file calls that it makes', await compareSmall(folder), 1.5);
  }
  return checks;
}

/** Where temporary files go; and memory, where syncing costs nothing and only our own work is left. */
function places(): { where: string; folder: string; binds: boolean }[] {
  const memory = '/dev/shm';
  return [
    { where: 'on disk', folder: fs.realpathSync(tmpdir()), binds: true },
    ...(fs.existsSync(memory) ? [{ where: 'in memory', folder: memory, binds: false }] : []),
  ];
}

/** The least time of each, taken in turns in fresh folders so that both meet the same weather. */
export async function compare(
  folder: string,
  rounds: number,
  prepare: (root: string) => Promise<void>,
  subject: (root: string) => Promise<void>,
  base: (root: string) => void,
): Promise<number> {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds * 2; round++) {
    const root = fs.mkdtempSync(join(folder, 'teddy-bench-'));
    try {
      await prepare(root);
      settle(root);
      const start = process.hrtime.bigint();
      if (round % 2 === 0) await subject(root);
      else base(root);
      best[round % 2] = Math.min(best[round % 2]!, Number(process.hrtime.bigint() - start));
    } finally {
      fs.rmSync(root, { recursive: true, force: true });
    }
  }
  return best[0]! / best[1]!;
}

/** What was prepared must not be left for the first sync that is measured. */
function settle(root: string): void {
  const file = fs.openSync(root, 'r');
  fs.fsyncSync(file);
  fs.closeSync(file);
}

const LARGE = Array.from({ length: FILES }, (_, i) => ({
  path: `folder-${i % FOLDERS}/file-${i}.txt`,
  old: Buffer.from(`old ${i}\n`.repeat(40)),
  bytes: Buffer.from(`line ${i} of a file that says nothing in particular\n`.repeat(40)),
}));

async function compareLarge(folder: string, edits: boolean): Promise<number> {
  const changes: Change[] = LARGE.map(({ path, old, bytes }) => ({
    path,
    before: edits ? createHash('sha256').update(old).digest('hex') : null,
    after: bytes,
  }));
  const prepare = async (root: string) => {
    await warmUp(root);
    if (!edits) return;
    for (const { path, old } of LARGE) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), old);
    }
    settleAll(root);
  };
  const plain = (root: string) => {
    for (let i = 0; i < FOLDERS; i++) fs.mkdirSync(join(root, `folder-${i}`), { recursive: true });
    for (const { path, bytes } of LARGE) writeAndRename(join(root, path), bytes);
  };
  return compare(folder, LARGE_ROUNDS, prepare, (root) => commit(root, changes), plain);
}

function settleAll(root: string): void {
  for (const { path } of LARGE) settle(join(root, path));
}

function writeAndRename(path: string, bytes: Uint8Array): void {
  const file = fs.openSync(`${path}.new`, 'wx');
  fs.writeSync(file, bytes);
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(`${path}.new`, path);
}

async function commit(root: string, changes: readonly Change[]): Promise<void> {
  const result = await new Workspace(root).commit(changes);
  if (result.status !== 'committed') throw new Error(`the commit was answered ${JSON.stringify(result)}`);
}

/** The tool's own folder is there, as after any first commit. */
async function warmUp(root: string): Promise<void> {
  await commit(root, [{ path: 'edited.txt', before: null, after: Buffer.from('old\n') }]);
}

const EDIT: Change = {
  path: 'edited.txt',
  before: createHash('sha256').update('old\n').digest('hex'),
  after: Buffer.from('new\n'),
};

async function compareSmall(folder: string): Promise<number> {
  const replay = await recordEdit(folder);
  const check = (root: string) => {
    replay(root);
    // Calls that all fail would be fast.
    if (fs.readFileSync(join(root, 'edited.txt'), 'utf8') !== 'new\n')
      throw new Error('the replay did nothing');
  };
  await compare(folder, 1, warmUp, (root) => commit(root, [EDIT]), check);
  return compare(folder, SMALL_ROUNDS, warmUp, (root) => commit(root, [EDIT]), replay);
}

async function recordEdit(folder: string): Promise<Replay> {
  const root = fs.mkdtempSync(join(folder, 'teddy-bench-'));
  try {
    await warmUp(root);
    return await recordCalls(root, () => commit(root, [EDIT]));
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}
