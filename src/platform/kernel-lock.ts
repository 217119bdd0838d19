import { createRequire } from 'node:module';

interface NativeLocks {
  tryLock(file: number): boolean;
  unlock(file: number): void;
}

let native: NativeLocks | undefined;

/**
 * Tries to lock an open file for this open file alone. The kernel keeps the lock and frees it when the
 * file is closed or its process ends, however it ends. Loading takes some milliseconds, so it is put off.
 */
export function tryLock(file: number): boolean {
  native ??= createRequire(import.meta.url)('fs-native-extensions') as NativeLocks;
  return native.tryLock(file);
}
