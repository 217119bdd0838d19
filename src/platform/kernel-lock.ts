import { createRequire } from 'node:module';

const PACKAGE = 'fs-native-extensions';

/** The addon itself; a lock that another has is an error with the code EAGAIN. */
interface Addon {
  tryLock(file: number, offset: number, length: number, exclusive: boolean): void;
}

let tryLockOf: ((file: number) => boolean) | undefined;

/**
 * Tries to lock an open file for this open file alone. The kernel keeps the lock and frees it when the
 * file is closed or its process ends, however it ends. Loading is put off until it is needed.
 */
export function tryLock(file: number): boolean {
  tryLockOf ??= load();
  return tryLockOf(file);
}

/** The package looks for its addon in many places, which takes 12 ms; where it lies mostly takes half of one. */
function load(): (file: number) => boolean {
  const require = createRequire(import.meta.url);
  let addon: Addon;
  try {
    const base = require.resolve(`${PACKAGE}/package.json`).slice(0, -'package.json'.length);
    addon = require(`${base}prebuilds/${process.platform}-${process.arch}/${PACKAGE}.node`) as Addon;
  } catch {
    return (require(PACKAGE) as { tryLock(file: number): boolean }).tryLock;
  }
  return (file) => {
    try {
      addon.tryLock(file, 0, 0, true);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
      throw error;
    }
  };
}
