import { monotonicMs, sleep } from '../node/clock.js';
import { tryLock } from '../node/file-calls.js';
import { closeQuietly, type Folder } from '../node/folder.js';
import { randomId } from '../node/ids.js';
import type { Change, CommitListener, CommitResult, TreeChange } from './commit/change.js';
import type { FolderSteps } from './commit/folders.js';
import type { Journal } from './commit/journal.js';
import { type Recovery, recover } from './commit/recover.js';
import { Transaction } from './commit/transaction.js';
import { describeError, Jail } from './jail.js';
import { Store } from './store.js';

/** A lock that the kernel holds for this process. */
export interface Lock {
  release(): void;
}

const FIRST_WAIT = 1;
const LONGEST_WAIT = 50;

/**
 * Locks the file `name` in `folder`, waiting up to `timeout` milliseconds; undefined when that is
 * not enough, or when `isNeedless` says that there is nothing to wait for any more. The file itself stays for ever: a
 * lock file that is removed can be locked twice.
 */
export async function acquireLock(
  folder: Folder,
  name: string,
  timeout: number,
  isNeedless: () => boolean = () => false,
): Promise<Lock | undefined> {
  const file = folder.openLock(name);
  try {
    const deadline = monotonicMs() + timeout;
    for (let wait = FIRST_WAIT; !tryLock(file); wait = Math.min(wait * 2, LONGEST_WAIT)) {
      if (isNeedless() || monotonicMs() >= deadline) {
        closeQuietly(file);
        return undefined;
      }
      await sleep(wait * (0.5 + Math.random()));
    }
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
  return { release: () => closeQuietly(file) };
}

/** The lock if it is free. */
export function tryAcquire(folder: Folder, name: string): Lock | undefined {
  const file = folder.openLock(name);
  try {
    if (tryLock(file)) return { release: () => closeQuietly(file) };
  } catch (error) {
    closeQuietly(file);
    throw error;
  }
  closeQuietly(file);
  return undefined;
}

/** The system reported an error, or the lock was not free in time. */
export type NotChanged = { status: 'failed'; reason: string } | { status: 'locked' };

export interface Committing {
  /** A plan's paths never lead into the protected trees. */
  origin: 'plan' | 'tool';
  /** Keeps what the commit overwrites, with `note`. */
  journal?: Journal | undefined;
  note?: unknown;
  folders?: FolderSteps;
}

/** What a change works with, while the root lock is held. */
export interface LockedAccess {
  store: Store;
  /** Has resolved no path yet. */
  jail: Jail;
  /** All of the changes or none. Never throws. */
  commit(changes: readonly (Change | TreeChange)[], options: Committing): CommitResult;
}

/** The root lock. Taking it completes or discards the commits of processes that died. */
export class LockedRoot {
  /** Called while files are written. */
  onProgress: CommitListener | undefined;

  constructor(
    private readonly root: string,
    private readonly lockRoot: string,
    readonly timeout: number,
  ) {}

  /** Works on a root without unfinished commits. Never throws. */
  change<T>(work: (access: LockedAccess) => T): Promise<T | NotChanged> {
    return this.whileLocked<T | NotChanged>((store, recovery) => {
      if (recovery.status === 'stopped') return { status: 'failed', reason: recovery.reason };
      const jail = new Jail(this.root);
      try {
        return work({ store, jail, commit: (...what) => this.commit(store, jail, ...what) });
      } finally {
        jail.close();
      }
    });
  }

  async whileLocked<T>(work: (store: Store, recovery: Recovery) => T): Promise<T | NotChanged> {
    let store: Store | undefined;
    let jail: Jail | undefined;
    let lock: Lock | undefined;
    try {
      store = Store.open(this.root);
      lock = await this.lock(store);
      if (!lock) return { status: 'locked' };
      jail = new Jail(this.root);
      return work(store, recover(jail, store, this.onProgress));
    } catch (error) {
      return { status: 'failed', reason: describeError(error) };
    } finally {
      jail?.close();
      lock?.release();
      store?.close();
    }
  }

  /** Recovers at once from a commit that failed half-way, if the system allows it. */
  private commit(
    store: Store,
    jail: Jail,
    changes: readonly (Change | TreeChange)[],
    { origin, journal, note, folders }: Committing,
  ): CommitResult {
    const id = `${Date.now().toString(36)}-${randomId(8)}`;
    const transaction = new Transaction(jail, store, id, this.onProgress, folders);
    const result = transaction.run(changes, { origin }, journal, note);
    if (result.status !== 'stuck') return result;
    let fresh: Jail | undefined;
    try {
      fresh = new Jail(this.root);
      const recovery = recover(fresh, store, this.onProgress);
      if (recovery.status === 'stopped') return result;
      return recovery.completed.includes(id)
        ? { status: 'committed', id }
        : { status: 'failed', reason: result.reason };
    } catch {
      return result;
    } finally {
      fresh?.close();
    }
  }

  private async lock(store: Store): Promise<Lock | undefined> {
    if (this.lockRoot === this.root) return acquireLock(store.folder, 'lock', this.timeout);
    const main = Store.open(this.lockRoot);
    try {
      return await acquireLock(main.folder, 'lock', this.timeout);
    } finally {
      main.close();
    }
  }
}
