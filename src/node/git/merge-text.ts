import { join } from 'node:path';
import { files } from '../file-calls.js';
import { MB, readBytes, removeTree } from '../files.js';
import { closing, Folder, writeAll } from '../folder.js';
import { git } from './command.js';

export type MergedText =
  | { status: 'merged'; bytes: Uint8Array }
  /** With git's markers around each side. */
  | { status: 'conflict'; bytes: Uint8Array }
  /** `reason` completes the sentence "git cannot merge: …". */
  | { status: 'failed'; reason: string };

const LARGEST = 64 * MB;

/**
 * Merges a text with git's own algorithm, in `folder`, which it creates and removes. Ignores the config, attributes and
 * drivers of all repositories. Never throws.
 */
export async function mergeText(
  { base, theirs, ours }: Readonly<Record<'base' | 'theirs' | 'ours', Uint8Array>>,
  folder: string,
): Promise<MergedText> {
  try {
    files.mkdir(folder, 0o700);
    writeFiles(folder, { base, theirs, ours });
    const labels = ['-L', 'in the project', '-L', 'at the start', '-L', 'by the agent'];
    const result = await git(['merge-file', '-q', ...labels, 'ours', 'base', 'theirs'], {
      cwd: folder,
      config: ['merge.conflictStyle=merge'],
      env: {
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CEILING_DIRECTORIES: folder.slice(0, folder.lastIndexOf('/')),
      },
    });
    // The exit code is the number of conflicts; beyond 127 git failed.
    const conflicts = result.status === 'ok' ? 0 : (result.code ?? 255);
    if (result.status !== 'ok' && conflicts > 127) return { status: 'failed', reason: result.reason };
    const read = readBytes(join(folder, 'ours'), LARGEST);
    if (read.status !== 'bytes') return { status: 'failed', reason: 'its result cannot be read' };
    return { status: conflicts === 0 ? 'merged' : 'conflict', bytes: read.bytes };
  } catch (error) {
    return { status: 'failed', reason: String(error) };
  } finally {
    removeTree(folder);
  }
}

function writeFiles(path: string, contents: Readonly<Record<string, Uint8Array>>): void {
  const folder = Folder.open(path);
  try {
    for (const [name, bytes] of Object.entries(contents))
      closing(folder.create(name, 0o600), (file) => writeAll(file, bytes));
  } finally {
    folder.close();
  }
}
