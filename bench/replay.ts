import * as fs from 'node:fs';
import { type FileCall, setFileSeam } from '../src/node/file-calls.js';

interface Recorded {
  call: FileCall;
  /** Undefined also where the call failed, as it then does again. */
  result: unknown;
}

/** Makes the recorded calls again in another root, by node's own functions. */
export type Replay = (root: string) => void;

/** The file calls that `work` makes in `root`, or those of them that are wanted. */
export async function recordCalls(
  root: string,
  work: () => Promise<unknown>,
  isWanted: (call: FileCall) => boolean = () => true,
): Promise<Replay> {
  const recorded: Recorded[] = [];
  setFileSeam((call, perform) => {
    const made: Recorded = { call, result: undefined };
    if (isWanted(call)) recorded.push(made);
    made.result = perform(call.args);
    return made.result;
  });
  try {
    await work();
  } finally {
    setFileSeam(undefined);
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
  chmodAt: onPath((path, [mode]) => fs.chmodSync(path, mode as number)),
  setTimes: onFile((file, [seconds]) => fs.futimesSync(file, seconds as number, seconds as number)),
  chown: onFile((file, [user, group]) => fs.fchownSync(file, user as number, group as number)),
  // Node has no call for it: what it takes is counted against the product.
  keepAttributes: onFile(() => []),
  stat: onFile((file) => fs.fstatSync(file)),
  lstat: onPath((path) => fs.lstatSync(path, { throwIfNoEntry: false })),
  statAt: onPath((path) => fs.statSync(path, { throwIfNoEntry: false })),
  rename: onPaths(fs.renameSync),
  link: onPaths(fs.linkSync),
  symlink: onPath((path, [target]) => fs.symlinkSync(target as string, path)),
  copy: onPaths(fs.copyFileSync),
  unlink: onPath((path) => fs.unlinkSync(path)),
  mkdir: onPath((path, [mode]) => fs.mkdirSync(path, mode as number)),
  rmdir: onPath((path) => fs.rmdirSync(path)),
  list: onPath((path) => fs.readdirSync(path)),
  readlink: onPath((path) => fs.readlinkSync(path)),
  realpath: onPath((path) => fs.realpathSync.native(path)),
  access: onPath((path, [mode]) => fs.accessSync(path, mode as number)),
};
