import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FileCall, setFileSeam } from '../src/platform/index.js';
import type { Change } from '../src/workspace/commit/change.js';
import { Workspace } from '../src/workspace/workspace.js';
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
async function compare(
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

interface Recorded {
  call: FileCall;
  /** Undefined also where the call failed, as it then does again. */
  result: unknown;
}

type Replay = (root: string) => void;

/** The file calls of one edit, to be made again in another root by node's own functions. */
async function recordEdit(folder: string): Promise<Replay> {
  const recorded: Recorded[] = [];
  const root = fs.mkdtempSync(join(folder, 'teddy-bench-'));
  try {
    await warmUp(root);
    setFileSeam((call, perform) => {
      const made: Recorded = { call, result: undefined };
      recorded.push(made);
      made.result = perform(call.args);
      return made.result;
    });
    await commit(root, [EDIT]);
  } finally {
    setFileSeam(undefined);
    fs.rmSync(root, { recursive: true, force: true });
  }
  return toReplay(root, recorded);
}

/** A file has another number each time: it is known by the call that opened it. */
function toReplay(recordedRoot: string, recorded: readonly Recorded[]): Replay {
  const opened = new Map<number, number>();
  const calls = recorded.map(({ call, result }, i) => {
    const args = call.args.map((arg) => translate(arg, recordedRoot, opened));
    const file = typeof call.args[0] === 'number' ? opened.get(call.args[0])! : -1;
    if (call.name === 'open') opened.set(result as number, i);
    return PLAIN[call.name](args, file);
  });
  return (root) => {
    const files: number[] = [];
    for (let i = 0; i < calls.length; i++) {
      try {
        files[i] = calls[i]!(root, files) as number;
      } catch {}
    }
  };
}

/** A path in terms of the root and of files opened earlier. */
type Part = (root: string, files: readonly number[]) => string;

function translate(arg: unknown, root: string, opened: ReadonlyMap<number, number>): unknown {
  if (typeof arg !== 'string') return arg;
  const [, start, number, rest] = /^(\/proc\/self\/fd(?:info)?\/)(\d+)(.*)$/s.exec(arg) ?? [];
  if (start !== undefined) {
    const by = opened.get(Number(number))!;
    return ((_, files) => `${start}${files[by]}${rest}`) satisfies Part;
  }
  if (!arg.startsWith(root)) return (() => arg) satisfies Part;
  const inside = arg.slice(root.length);
  return ((there) => there + inside) satisfies Part;
}

type Plain = (args: readonly unknown[], file: number) => (root: string, files: readonly number[]) => unknown;

const onPath =
  (act: (path: string, args: readonly unknown[]) => unknown): Plain =>
  ([path, ...args]) =>
  (root, files) =>
    act((path as Part)(root, files), args);

const onPaths =
  (act: (from: string, to: string) => unknown): Plain =>
  ([from, to]) =>
  (root, files) =>
    act((from as Part)(root, files), (to as Part)(root, files));

const onFile =
  (act: (file: number, args: readonly unknown[]) => unknown): Plain =>
  ([, ...args], file) =>
  (_, files) =>
    act(files[file]!, args);

const PLAIN: Record<FileCall['name'], Plain> = {
  open: onPath((path, [flags, mode]) => fs.openSync(path, flags as number, mode as number | undefined)),
  close: onFile((file) => fs.closeSync(file)),
  read: onFile((file, [into, offset, length, position]) =>
    fs.readSync(file, into as Uint8Array, offset as number, length as number, position as number | null),
  ),
  write: onFile((file, [bytes, offset, length, position]) =>
    fs.writeSync(file, bytes as Uint8Array, offset as number, length as number, position as number | null),
  ),
  sync: onFile((file) => fs.fsyncSync(file)),
  truncate: onFile((file, [length]) => fs.ftruncateSync(file, length as number)),
  chmod: onFile((file, [mode]) => fs.fchmodSync(file, mode as number)),
  chown: onFile((file, [user, group]) => fs.fchownSync(file, user as number, group as number)),
  stat: onFile((file) => fs.fstatSync(file)),
  lstat: onPath((path) => fs.lstatSync(path, { throwIfNoEntry: false })),
  statAt: onPath((path) => fs.statSync(path, { throwIfNoEntry: false })),
  rename: onPaths(fs.renameSync),
  link: onPaths(fs.linkSync),
  unlink: onPath((path) => fs.unlinkSync(path)),
  mkdir: onPath((path, [mode]) => fs.mkdirSync(path, mode as number)),
  rmdir: onPath((path) => fs.rmdirSync(path)),
  list: onPath((path) => fs.readdirSync(path)),
  readlink: onPath((path) => fs.readlinkSync(path)),
  realpath: onPath((path) => fs.realpathSync.native(path)),
  access: onPath((path, [mode]) => fs.accessSync(path, mode as number)),
};
