import { sleep } from '../node/clock.js';
import { tryLock } from '../node/file-calls.js';
import { closeQuietly, type Folder } from '../node/folder.js';

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
    const deadline = performance.now() + timeout;
    for (let wait = FIRST_WAIT; !tryLock(file); wait = Math.min(wait * 2, LONGEST_WAIT)) {
      if (isNeedless() || performance.now() >= deadline) {
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
