import { createRequire } from 'node:module';

const PACKAGE = 'fs-native-extensions';

/** The addon itself: its calls are synchronous, and throw errors with a code. */
interface Addon {
  /** A lock that another has is EAGAIN. */
  tryLock(file: number, offset: number, length: number, exclusive: boolean): void;
  listAttrsSync(file: number): string[];
  /** Null where there is none. */
  getAttrSync(file: number, name: string): ArrayBuffer | null;
  setAttrSync(file: number, name: string, value: ArrayBufferLike, offset: number, length: number): void;
  removeAttrSync(file: number, name: string): void;
}

let loaded: Addon | undefined;

/**
 * Tries to lock an open file for this open file alone. The kernel keeps the lock and frees it when the
 * file is closed or its process ends, however it ends. Loading is put off until it is needed.
 */
export function tryLock(file: number): boolean {
  try {
    loadAddon().tryLock(file, 0, 0, true);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error;
  }
}

/** The package looks for its addon in many places, which takes 12 ms; where it lies mostly takes half of one. */
export function loadAddon(): Addon {
  loaded ??= load();
  return loaded;
}

function load(): Addon {
  const require = createRequire(import.meta.url);
  try {
    const base = require.resolve(`${PACKAGE}/package.json`).slice(0, -'package.json'.length);
    return require(`${base}prebuilds/${process.platform}-${process.arch}/${PACKAGE}.node`) as Addon;
  } catch {
    return require(`${PACKAGE}/binding`) as Addon;
  }
}
