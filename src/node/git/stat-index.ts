import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type EntryTable, LATEST, STAT_BYTES } from '../entry-table.js';
import { isEnvironmentError } from '../errors.js';
import { files } from '../file-calls.js';
import { writeNewFile } from '../folder.js';
import { gitList } from './command.js';

// git looks at many files faster than node does, with several threads. It is given an index that only says what the
// files' stat data were, in a git folder that holds nothing else: no config, no filter and no object is involved.

const HEADER_BYTES = 12;
/** After the stat data: an id, and flags. */
const BEFORE_NAME = STAT_BYTES + 22;
const HASH_BYTES = 20;
const LONGEST_NAME = 0xfff;
/** Of an empty file. Of another one, git then takes no notice of the content. */
const EMPTY_BLOB = Buffer.from('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', 'hex');

const SETTINGS = [
  ...['core.trustctime=true', 'core.checkStat=default', 'core.preloadIndex=true', 'core.fileMode=true'],
  ...['core.symlinks=true', 'core.ignoreCase=false', 'core.splitIndex=false', 'core.sparseCheckout=false'],
  ...['core.untrackedCache=false', 'core.precomposeUnicode=false'],
];

/** An index for git of all files whose stat data prove that they are the same. */
export function makeStatIndex(table: EntryTable): Uint8Array {
  const settled: number[] = [];
  let length = HEADER_BYTES + HASH_BYTES;
  for (let i = 0; i < table.size; i++) {
    if (table.isRacyAt(i)) continue;
    settled.push(i);
    length += sizeInIndex(table.pathBytesAt(i));
  }
  settled.sort((a, b) => table.comparePathsAt(a, b));
  const bytes = Buffer.alloc(length);
  bytes.write('DIRC');
  bytes.writeUInt32BE(2, 4);
  bytes.writeUInt32BE(settled.length, 8);
  let at = HEADER_BYTES;
  for (const i of settled) {
    const path = table.pathBytesAt(i);
    bytes.set(table.statAt(i), at);
    bytes.set(EMPTY_BLOB, at + STAT_BYTES);
    bytes.writeUInt16BE(Math.min(path.length, LONGEST_NAME), at + BEFORE_NAME - 2);
    bytes.set(path, at + BEFORE_NAME);
    at += sizeInIndex(path);
  }
  bytes.set(createHash('sha1').update(bytes.subarray(0, at)).digest(), at);
  return bytes;
}

function sizeInIndex(path: Uint8Array): number {
  return (BEFORE_NAME + path.length + 8) & ~7;
}

/** An index for `listTouched`, in a new file. */
export function writeStatIndex(path: string, index: Uint8Array): void {
  writeNewFile(path, index, (file) => files.setTimes(file, LATEST));
}

/**
 * The paths in an index of ours at which something else is now, as far as stat data say, or nothing. `folder` is empty
 * and of our own; `place` puts the index where it is told. Undefined where git does not tell.
 */
export async function listTouched(
  root: string,
  folder: string,
  place: (path: string) => void,
): Promise<string[] | undefined> {
  try {
    for (const name of ['objects', 'refs']) files.mkdir(join(folder, name), 0o700);
    writeNewFile(join(folder, 'HEAD'), Buffer.from('ref: refs/heads/none\n'));
    place(join(folder, 'index'));
  } catch (error) {
    if (!isEnvironmentError(error)) throw error;
    return undefined;
  }
  const listed = await gitList(['diff-files', '--name-only', '-z'], {
    cwd: root,
    outside: [root],
    config: SETTINGS,
    env: {
      GIT_DIR: folder,
      GIT_WORK_TREE: root,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  });
  return listed.status === 'ok' ? listed.items : undefined;
}
