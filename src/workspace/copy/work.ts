import { join } from 'node:path';
import { isoUtc, now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { tryLock } from '../../node/file-calls.js';
import { removeTree } from '../../node/files.js';
import { closing, type Folder } from '../../node/folder.js';
import { newRunId, randomId } from '../../node/ids.js';
import { endProcesses } from '../../node/process/end.js';
import type { ProcessMark } from '../../node/process/process-table.js';
import { describeError } from '../jail.js';
import { acquireLock, type Lock, tryAcquire } from '../lock.js';
import type { RootMark } from '../runs/run-folder.js';
import { RUN_ID } from '../runs/runs.js';
import { SealedFiles } from '../runs/sealed-files.js';
import { inStore, openContent, openOwn, Store } from '../store.js';
import type { Workspace } from '../workspace.js';
import { createCopy } from './create-copy.js';
import type { ProjectCopy } from './types.js';

// An agent's work in a copy of the project, `.teddy/changes/<id>`, from its start until it is landed or dropped. A folder
// gets its id when the copy and the sealed record are complete, and loses it before anything of it is removed: a process
// that is killed leaves either the whole work or a folder that is not listed, which the next start removes.

export interface WorkRecord {
  id: string;
  /** The program and its arguments. */
  command: readonly string[];
  /** The agent whose state folders it could write. */
  agent?: string;
  /** The command that must succeed before anything lands. */
  verify?: string;
  /** The id of the task whose work it is. */
  task?: string;
  /** The name of the session whose messages the agent gets. */
  session?: string;
  createdAt: string;
  /** How the program ended. Missing while it runs, and for ever if teddy was killed meanwhile. */
  end?: { at: string; exitCode: number };
  /** Of the program, so that what teddy left running when it was killed can be ended. */
  processes?: ProcessMark;
  /** What the last review says to the agent: its next prompt. */
  feedback?: string;
  /** Everything in it was decided on, and no program was started in it since. */
  reviewed?: true;
  /** Decisions of a review that was not finished, by the hash of what was shown; runs read it. */
  draft?: Readonly<Record<string, unknown>>;
}

/** What changes of a record; undefined removes it. */
type WorkFacts = { [Key in Exclude<keyof WorkRecord, 'id' | 'createdAt'>]?: WorkRecord[Key] | undefined };

type WorkStatus =
  /** The agent's program is running. */
  | 'running'
  /** teddy was killed while it ran. */
  | 'interrupted'
  /** It has ended, and is not decided on. */
  | 'pending'
  /** Another process reviews or lands it. */
  | 'in-review';

export interface ListedWork {
  record: WorkRecord;
  status: WorkStatus;
  /** Absolute. */
  folder: string;
}

export interface WorkStart {
  command: readonly string[];
  agent?: string;
  verify?: string;
  task?: string;
  session?: string;
  /** Globs of ignored files with secrets that the agent may see. */
  bring?: readonly string[];
}

export type OpenedWork =
  | { status: 'ok'; work: Work }
  | { status: 'unknown' }
  /** Its program runs, or another process reviews it. */
  | { status: 'busy' }
  /** `reason` is a whole sentence. */
  | { status: 'failed'; reason: string };

/** What is on disk beside the record: the parts of a `ProjectCopy` that do not follow from the folder. */
type CopyFacts = Pick<ProjectCopy, 'root' | 'base' | 'lent' | 'withheld' | 'notes'>;

interface Stored {
  record: WorkRecord;
  copy: CopyFacts;
  mark: RootMark;
}

const CHANGES = 'changes';
const RECORD = 'work.json';
const LOCK = 'lock';
/** Of folders that do not count: not complete yet, or no longer. */
const UNCOUNTED = /^(?:new|old)-/;
const LOCK_TIMEOUT = 60_000;
/** Who lists works holds each lock for a moment. */
const OPEN_TIMEOUT = 500;

/** One that this process has: no other can change or drop it until it is closed. */
export class Work {
  constructor(
    readonly copy: ProjectCopy,
    private stored: Stored,
    private lock: Lock | undefined,
  ) {}

  get id(): string {
    return this.stored.record.id;
  }

  get record(): WorkRecord {
    return this.stored.record;
  }

  /** On disk when this returns. Throws `UserError`. */
  update(facts: WorkFacts): void {
    this.write({ ...this.stored.record, ...facts } as WorkRecord);
  }

  private write(record: WorkRecord): void {
    const stored = { ...this.stored, record };
    orUnusable(() => inWork(this.copy.root, this.id, (files) => files.replace(RECORD, stored)));
    this.stored = stored;
  }

  /** Before a program is started in the same copy again. */
  restart(facts: Pick<WorkStart, 'command' | 'agent' | 'verify'>): void {
    const { end: _, processes: __, reviewed: ___, ...record } = this.stored.record;
    this.write({ ...record, ...facts });
  }

  /** It stays, and others can open it. */
  close(): void {
    this.lock?.release();
    this.lock = undefined;
  }
}

/** Copies the project, and records what will be done in the copy. Never throws. */
export async function startWork(
  workspace: Workspace,
  { bring, ...facts }: WorkStart,
): Promise<{ status: 'ok'; work: Work } | { status: 'failed'; reason: string }> {
  let unborn: { name: string; lock: Lock } | undefined;
  const { root } = workspace;
  const createdAt = isoUtc(now());
  try {
    const begun = await inChanges(root, (changes) => {
      removeUncounted(changes);
      return makeUnborn(changes);
    });
    unborn = begun;
    const copied = await createCopy(root, join(root, '.teddy', CHANGES, begun.name), { bring: bring ?? [] });
    if (copied.status === 'failed') {
      await abandon(root, begun);
      return copied;
    }
    const { base, lent, withheld, notes } = copied.copy;
    const stored = await inChanges(root, (changes) => {
      const others = [...workspace.takenIds(), ...changes.list().filter((name) => RUN_ID.test(name))].sort();
      const record: WorkRecord = { id: newRunId(now(), others), ...facts, createdAt };
      const whole: Stored = { record, copy: { root, base, lent, withheld, notes }, mark: workspace.mark };
      closingFiles(new SealedFiles(record.id, changes.openFolder(begun.name)), (files) =>
        files.replace(RECORD, whole),
      );
      changes.rename(begun.name, changes, record.id);
      changes.sync();
      return whole;
    });
    return { status: 'ok', work: new Work(copyOf(root, stored), stored, begun.lock) };
  } catch (error) {
    if (unborn) await abandon(root, unborn).catch(() => {});
    const reason =
      error instanceof UserError ? error.message : `.teddy/changes cannot be used (${describeError(error)}).`;
    return { status: 'failed', reason };
  }
}

/** This user's works in this project, oldest first. Throws `UserError`. */
export function listWork(workspace: Workspace): ListedWork[] {
  return orUnusable(() => {
    const ids = lookAtChanges(workspace.root, (changes) =>
      changes.list().filter((name) => RUN_ID.test(name)),
    );
    return (ids ?? []).sort().flatMap((id): ListedWork[] => {
      const stored = readStored(workspace, id);
      if (stored === undefined) return [];
      const isHeld = lookAtChanges(workspace.root, (changes) => isLocked(changes, id)) ?? false;
      const { record } = stored;
      const status = record.end ? (isHeld ? 'in-review' : 'pending') : isHeld ? 'running' : 'interrupted';
      return [{ record, status, folder: folderOf(workspace.root, id) }];
    });
  });
}

/** What can be read of a work at any time: nothing runs in it, and another process may review or drop it meanwhile. */
export type SeenWork = Pick<Work, 'copy' | 'record'>;

/** Without its lock, so that others can use it. Undefined where it is not there, or not this root's. Throws `UserError`. */
export function seeWork(workspace: Workspace, id: string): SeenWork | undefined {
  const stored = RUN_ID.test(id) ? readStored(workspace, id) : undefined;
  if (stored?.copy.root !== workspace.root) return undefined;
  return { copy: copyOf(workspace.root, stored), record: stored.record };
}

/** One that no other process has, and in which nothing runs any more. Only those with this user's seal are known. Throws `UserError`. */
export async function openWork(workspace: Workspace, id: string): Promise<OpenedWork> {
  if (!RUN_ID.test(id) || readStored(workspace, id) === undefined) return { status: 'unknown' };
  const lock = await takeLock(workspace.root, id);
  if (lock === undefined) return { status: 'busy' };
  // What was read before the lock was taken may have changed, or be gone.
  const stored = readStored(workspace, id);
  if (stored === undefined) {
    lock.release();
    return { status: 'unknown' };
  }
  if (stored.copy.root !== workspace.root) {
    lock.release();
    const reason = `${id} was made when this project was at ${stored.copy.root}. Move the project back to review it.`;
    return { status: 'failed', reason };
  }
  const { processes, end } = stored.record;
  if (processes && !end) await endProcesses([processes], 0);
  return { status: 'ok', work: new Work(copyOf(workspace.root, stored), stored, lock) };
}

/** Removes the work with its copy. The reason where something of it cannot be removed: it does not count any more. */
export function dropWork(work: Work): string | undefined {
  try {
    return orUnusable(() =>
      lookAtChanges(work.copy.root, (changes) => {
        const name = `old-${work.id}-${randomId(8)}`;
        changes.rename(work.id, changes, name);
        changes.sync();
        return removeTree(join(changes.path, name));
      }),
    );
  } finally {
    work.close();
  }
}

function copyOf(root: string, { record, copy }: Stored): ProjectCopy {
  const folder = folderOf(root, record.id);
  return { ...copy, folder, copy: join(folder, 'copy') };
}

function folderOf(root: string, id: string): string {
  return join(root, '.teddy', CHANGES, id);
}

/** Undefined where there is none, or none that this user's teddy made in this project. */
function readStored(workspace: Workspace, id: string): Stored | undefined {
  const stored = inWork(workspace.root, id, (files) => files.read(RECORD)) as Stored | undefined;
  const { root, folder } = workspace.mark;
  const isHere = stored?.record.id === id && (stored.mark.root === root || stored.mark.folder === folder);
  return isHere ? stored : undefined;
}

async function takeLock(root: string, id: string): Promise<Lock | undefined> {
  const folder = lookAtChanges(root, (changes) => openIfThere(changes, id));
  try {
    return folder && (await acquireLock(folder, LOCK, OPEN_TIMEOUT));
  } finally {
    folder?.close();
  }
}

/** Made and locked in one step, as others see it: one without a lock is removed. */
function makeUnborn(changes: Folder): { name: string; lock: Lock } {
  const name = `new-${randomId(12)}`;
  changes.makeFolder(name, 0o700);
  const folder = changes.openFolder(name);
  try {
    return { name, lock: tryAcquire(folder, LOCK)! };
  } finally {
    folder.close();
  }
}

async function abandon(root: string, { name, lock }: { name: string; lock: Lock }): Promise<void> {
  await inChanges(root, (changes) => removeTree(join(changes.path, name)));
  lock.release();
}

/** What processes left that died while they began or dropped a work. The caller holds the lock of all. */
function removeUncounted(changes: Folder): void {
  for (const name of changes.list())
    if (UNCOUNTED.test(name) && !isLocked(changes, name)) removeTree(join(changes.path, name));
}

function isLocked(changes: Folder, name: string): boolean {
  const folder = openIfThere(changes, name);
  try {
    if (!folder?.lstat(LOCK)?.isFile()) return false;
    return closing(folder.openToWrite(LOCK), (file) => !tryLock(file));
  } finally {
    folder?.close();
  }
}

function openIfThere(changes: Folder, name: string): Folder | undefined {
  return changes.lstat(name)?.isDirectory() ? openOwn(changes, name) : undefined;
}

/** Works in the folder of all works, made where it is missing, while no other process makes or removes one. */
async function inChanges<T>(root: string, work: (changes: Folder) => T): Promise<T> {
  const store = Store.open(root);
  let changes: Folder | undefined;
  let lock: Lock | undefined;
  try {
    changes = openContent(store.folder, CHANGES);
    lock = await acquireLock(changes, LOCK, LOCK_TIMEOUT);
    if (!lock) throw new UserError('.teddy/changes is locked by another process. Try again later.');
    return work(changes);
  } finally {
    lock?.release();
    changes?.close();
    store.close();
  }
}

/** The same without the lock; undefined where there is no such folder. */
function lookAtChanges<T>(root: string, work: (changes: Folder) => T): T | undefined {
  return inStore(root, (store) => {
    if (!store.lstat(CHANGES)?.isDirectory()) return undefined;
    const changes = openOwn(store, CHANGES);
    try {
      return work(changes);
    } finally {
      changes.close();
    }
  });
}

function inWork<T>(root: string, id: string, work: (files: SealedFiles) => T): T | undefined {
  return lookAtChanges(root, (changes) => {
    const folder = openIfThere(changes, id);
    return folder && closingFiles(new SealedFiles(id, folder), work);
  });
}

function closingFiles<T>(files: SealedFiles, work: (files: SealedFiles) => T): T {
  try {
    return work(files);
  } finally {
    files.close();
  }
}

function orUnusable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`.teddy/changes cannot be used (${describeError(error)}).`, { cause: error });
  }
}
