import { files } from '../../node/file-calls.js';
import { MB } from '../../node/files.js';
import { closing, type Folder, readAll } from '../../node/folder.js';
import { sha256 } from '../../node/ids.js';
import type { ResolvedPath } from '../jail.js';
import { linkHash } from './change.js';

// What is at a place: its bytes, its hash, its mark.

const LARGEST_FILE = 1024 * MB;

/** The bytes that stand at a place, or null for no file. */
export function readPlace({ folder, name, stats }: ResolvedPath): Uint8Array | null {
  return stats === undefined ? null : readNamed(folder, name);
}

export function readNamed(folder: Folder, name: string): Uint8Array {
  return closing(folder.openToRead(name), (file) => {
    const stats = files.stat(file);
    const bytes = stats.isFile() ? readAll(file, stats.size, LARGEST_FILE) : undefined;
    if (bytes === undefined) throw new Error(`${name} is not a file of at most ${LARGEST_FILE / MB} MB`);
    return bytes;
  });
}

/** Of a link, that of its target; null for nothing. */
export function contentHash(place: ResolvedPath): string | null {
  if (place.stats?.isSymbolicLink()) return linkHash(place.folder.readlink(place.name));
  if (place.stats?.isDirectory()) return 'folder';
  const bytes = readPlace(place);
  return bytes === null ? null : sha256(bytes);
}

/** What `entryMark` says of the entry that is there; null for nothing. */
export function placeMark(place: ResolvedPath): string | null {
  const hash = contentHash(place);
  if (hash === null || !place.stats?.isFile()) return hash;
  return `${isExecutable(place.stats.mode) ? 'executable' : 'file'}:${hash}`;
}

/** As git has it: for its owner. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}
