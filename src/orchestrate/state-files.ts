import { join } from 'node:path';
import { isoUtc, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { files } from '../node/file-calls.js';
import { decodeText } from '../node/files.js';
import { processId, sha256 } from '../node/ids.js';
import { isSealOf, sealOf } from '../node/user-folders.js';
import { fileName } from '../tasks/project.js';
import { type Change, describeUncommitted } from '../workspace/commit/change.js';
import type { Lock } from '../workspace/lock.js';
import type { View } from '../workspace/view.js';
import type { Update, Workspace } from '../workspace/workspace.js';

/** The orchestrator's own files, from the root. None of them belongs in a repository. */
export const STATE_FOLDER = '.ultraplan/state';

export const STATE = {
  ignore: `${STATE_FOLDER}/.gitignore`,
  /** Locked by the kernel while an orchestrator runs. */
  lock: `${STATE_FOLDER}/lock`,
  /** Its process. */
  holder: `${STATE_FOLDER}/holder.json`,
  queue: `${STATE_FOLDER}/queue.jsonl`,
  journal: `${STATE_FOLDER}/journal.jsonl`,
  /** Process groups to end after a crash. */
  processes: `${STATE_FOLDER}/processes.jsonl`,
  /** Output of executors. */
  output: `${STATE_FOLDER}/output`,
  worktrees: `${STATE_FOLDER}/worktrees`,
  /** Changes that did not land. */
  patches: `${STATE_FOLDER}/patches`,
} as const;

/** The output of an attempt: `output/03-01-2.1.txt`. */
export function outputFile(task: string, attempt: number): string {
  return `${STATE.output}/${fileName(task.replace(':', '-'))}.${attempt}.txt`;
}

/** The largest file of lines that is read here. */
export const LARGEST_STATE_FILE = 256 * 1024 * 1024;

/** Folders for append-only files, which must exist. git creates the one for worktrees itself. */
const FOLDERS = [STATE_FOLDER, STATE.output, STATE.patches];

/** Creates the folders, and hides them from git. Throws `UserError` if that fails. */
export async function prepareState(workspace: Workspace): Promise<void> {
  await updateStateFile(workspace, STATE_FOLDER, (view) => ({
    changes: FOLDERS.flatMap((folder) => ignoreAll(view, `${folder}/.gitignore`)),
    value: undefined,
  }));
}

/** Overwrites a .gitignore that came with a clone. */
function ignoreAll(view: View, path: string): Change[] {
  const after = new TextEncoder().encode('*\n');
  const read = view.read(path, LARGEST_STATE_FILE);
  const before = read.status === 'bytes' ? sha256(read.bytes) : null;
  return before === sha256(after) ? [] : [{ path, before, after }];
}

/** So many outputs are kept; more than so many are not removed at one start. */
const OUTPUTS = { kept: 200, removed: 100 };

/** Removes the oldest outputs. Throws `UserError` if that fails. */
export async function pruneOutputs(workspace: Workspace): Promise<void> {
  await updateStateFile(workspace, STATE.output, (view) => {
    const names = view.list(STATE.output).filter((name) => name.endsWith('.txt'));
    const surplus = Math.min(OUTPUTS.removed, names.length - OUTPUTS.kept);
    const paths = surplus > 0 ? names.map((name) => `${STATE.output}/${name}`) : [];
    const age = new Map(paths.map((path) => [path, files.statAt(join(workspace.root, path))?.mtimeMs ?? 0]));
    const oldest = paths.sort((one, other) => age.get(one)! - age.get(other)!).slice(0, Math.max(0, surplus));
    return { changes: oldest.flatMap((path) => removalOf(view, path)), value: undefined };
  });
}

function removalOf(view: View, path: string): Change[] {
  const read = view.read(path, LARGEST_STATE_FILE);
  return read.status === 'bytes' ? [{ path, before: sha256(read.bytes), after: null }] : [];
}

/** An update that succeeds, or throws `UserError`: that of `work`, otherwise one about `path`. */
export async function updateStateFile<T>(
  workspace: Workspace,
  path: string,
  work: (view: View) => Update<T>,
): Promise<T> {
  let thrown: unknown;
  const result = await workspace.update((view) => {
    try {
      return work(view);
    } catch (error) {
      thrown = error;
      throw error;
    }
  });
  if (thrown instanceof UserError) throw thrown;
  if (result.status !== 'committed')
    throw new UserError(`${path} cannot be written: ${describeUncommitted(result)}.`);
  if (result.lost.length === 0) return result.value;
  throw new UserError(`${result.lost.join(', ')}: another program wrote there at the same time.`);
}

/** The same for a file that is then appended to: recovery must not compare it with a commit that left its log behind. */
export async function rewriteState<T>(
  workspace: Workspace,
  path: string,
  work: (view: View) => Update<T>,
): Promise<T> {
  const value = await updateStateFile(workspace, path, work);
  const { status } = await workspace.recover();
  if (status === 'stopped' || status === 'locked') throw new UserError(`${path} cannot be written.`);
  return value;
}

const OPENING = '{"seal":"';
const SEAL_LENGTH = 64;
const SEALED = OPENING.length + SEAL_LENGTH;

/** `torn`: the last line has no newline and does not count. `reason` completes the sentence "<path>, line <line>, …". */
export type SealedLines =
  | { status: 'read'; records: Record<string, unknown>[]; torn: boolean }
  | { status: 'refused'; line: number; reason: string };

/** A line that only this user's teddy can have written to that file: a clone may bring such files, and teddy acts on them. */
export function sealLine(path: string, record: object): string {
  const body = JSON.stringify(record);
  return `${OPENING}${sealOf(`${path}\n${body}`)}",${body.slice(1)}\n`;
}

/** The records of a file, if all of them have our seal. */
export function readSealedLines(path: string, bytes: Uint8Array): SealedLines {
  const decoded = decodeText(bytes);
  if (decoded.status === 'refused') return { status: 'refused', line: 1, reason: decoded.reason };
  const { text } = decoded;
  const records: Record<string, unknown>[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    if (end === -1) return { status: 'read', records, torn: true };
    const line = text.slice(start, end);
    const body = `{${line.slice(SEALED + '",'.length)}`;
    if (!line.startsWith(OPENING) || !isSealOf(`${path}\n${body}`, line.slice(OPENING.length, SEALED))) {
      return {
        status: 'refused',
        line: records.length + 1,
        reason: 'was not written by your teddy, or was changed since',
      };
    }
    records.push(JSON.parse(body) as Record<string, unknown>);
    start = end + 1;
  }
  return { status: 'read', records, torn: false };
}

/** The process that holds a project. */
interface Holder {
  pid: number;
  /** ISO 8601. */
  startedAt: string;
}

const LARGEST_HOLDER = 4096;
const TIME = /^[0-9T:Z-]{1,32}$/;

/**
 * Makes this process the only orchestrator of the project, until it releases it or dies. Throws `UserError` that names the
 * other one, if there is one. The kernel's lock is taken under the root's lock, together with the holder's name.
 */
export async function holdProject(workspace: Workspace): Promise<{ release(): void }> {
  await prepareState(workspace);
  let lock: Lock | undefined;
  try {
    const other = await updateStateFile(workspace, STATE.holder, (view) => {
      lock = workspace.hold(STATE.lock);
      if (!lock) return { changes: [], value: { holder: readHolder(view) } };
      return { changes: [nameHolder(view)], value: undefined };
    });
    if (lock && !other) return lock;
    throw new UserError(
      `Another teddy orchestrate is running in this project (${describeHolder(other?.holder)}).`,
    );
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function nameHolder(view: View) {
  const old = view.read(STATE.holder, LARGEST_HOLDER);
  if (old.status === 'refused') throw new UserError(`${STATE.holder} ${old.reason}.`);
  const text = `${JSON.stringify({ pid: processId(), started_at: isoUtc(now()) })}\n`;
  return {
    path: STATE.holder,
    before: old.status === 'bytes' ? sha256(old.bytes) : null,
    after: new TextEncoder().encode(text),
  };
}

function readHolder(view: View): Holder | undefined {
  const read = view.read(STATE.holder, LARGEST_HOLDER);
  const text = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  if (text?.status !== 'text') return undefined;
  try {
    const { pid, started_at } = JSON.parse(text.text) as { pid?: unknown; started_at?: unknown };
    return Number.isSafeInteger(pid) && typeof started_at === 'string' && TIME.test(started_at)
      ? { pid: pid as number, startedAt: started_at }
      : undefined;
  } catch {
    return undefined;
  }
}

function describeHolder(holder: Holder | undefined): string {
  return holder ? `process ${holder.pid}, since ${holder.startedAt}` : 'unknown process';
}
