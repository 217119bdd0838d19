import {
  closeQuietly,
  closing,
  type Folder,
  files,
  randomId,
  sha256,
  tryLock,
  writeAll,
} from '../platform/index.js';
import type { Change } from './commit/change.js';
import { makeFolder } from './store.js';

const INCOMING = 'incoming';

/**
 * A text that somebody handed over, on disk before anything else happens to it: `.teddy/incoming/…`, for this user's
 * eyes alone. Who holds it lives; what nobody holds was left by a process that died.
 */
export interface Incoming {
  /** Relative to the root. */
  path: string;
  /** Takes it away, as part of the commit that makes it part of something else. */
  removal: Change;
  /** Lets go of it; the file stays where its removal was not committed. */
  release(): void;
}

export function keepIncoming(store: Folder, bytes: Uint8Array): Incoming {
  if (makeFolder(store, INCOMING, 0o700)) store.sync();
  const folder = store.openFolder(INCOMING);
  try {
    const name = `${Date.now().toString(36)}-${randomId(8)}`;
    const file = folder.create(name, 0o600);
    try {
      // Locked before it holds anything: a file that nobody holds is never one that is still being written.
      tryLock(file);
      writeAll(file, bytes);
      files.sync(file);
      folder.sync();
    } catch (error) {
      closeQuietly(file);
      throw error;
    }
    const path = `.teddy/${INCOMING}/${name}`;
    return {
      path,
      removal: { path, before: sha256(bytes), after: null },
      release: () => closeQuietly(file),
    };
  } finally {
    folder.close();
  }
}

/** The texts that processes left which died before they were done with them, relative to the root. */
export function listLeftIncoming(store: Folder): string[] {
  if (!store.lstat(INCOMING)?.isDirectory()) return [];
  const folder = store.openFolder(INCOMING);
  try {
    return folder
      .list()
      .filter((name) => isLeft(folder, name))
      .sort()
      .map((name) => `.teddy/${INCOMING}/${name}`);
  } finally {
    folder.close();
  }
}

function isLeft(folder: Folder, name: string): boolean {
  try {
    return (
      folder.lstat(name)?.isFile() === true && closing(folder.openToWrite(name), (file) => tryLock(file))
    );
  } catch {
    // Gone since it was listed.
    return false;
  }
}
