import { join } from 'node:path';
import { files } from '../file-calls.js';
import { BaseRepository } from './base-repository.js';
import { findObjectStores } from './copied-repository.js';
import { findRepository } from './repository.js';

/**
 * Writes contents from git into `folder`/out, byte for byte, each under its name, except those that git no longer has.
 * `folder` is an empty one of teddy's own; the project's repository does not change. Throws only if the disk is full.
 */
export async function writeGitContents(
  root: string,
  folder: string,
  contents: readonly { id: string; name: string }[],
): Promise<string> {
  const out = join(folder, 'out');
  files.mkdir(out, 0o700);
  const found = findRepository(root);
  if (found.status !== 'ok' || contents.length === 0) return out;
  const repository = new BaseRepository(join(folder, 'base.git'), [root, folder]);
  const format = contents[0]!.id.length === 64 ? 'sha256' : 'sha1';
  repository.create(format, findObjectStores(join(found.commonFolder, 'objects')), new Uint8Array());
  await repository.writeContents(out, contents);
  return out;
}
