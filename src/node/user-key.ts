import { join } from 'node:path';
import { type Folder, isAlreadyThere, readText } from './folder.js';
import { randomId } from './ids.js';
import { refuseShown } from './ownership.js';
import { UserError } from './user-error.js';
import { inUserFolder, orUnusable, stateFolder, writeNew } from './user-state.js';

let known: string | undefined;

/**
 * A secret of this user, kept outside every project and made on first use. What is sealed with it, nobody
 * else wrote: no repository that was cloned and no archive that was unpacked.
 */
export function userKey(): string {
  known ??= readKey(stateFolder());
  return known;
}

function readKey(path: string): string {
  const key = orUnusable(path, () =>
    inUserFolder(path, (folder) => {
      if (folder.lstat('key') === undefined) makeKey(folder);
      // Who else can read it can write what counts as this user's, too.
      const stats = folder.lstat('key');
      const refusal = stats && refuseShown(join(path, 'key'), stats);
      if (refusal !== undefined) throw new UserError(refusal);
      return readText(folder, 'key').trim();
    }),
  );
  if (key.length >= 32) return key;
  throw new UserError(`${join(path, 'key')} is damaged; remove it, and a new one is made.`);
}

/** Under another name first: whoever finds the key finds all of it. */
function makeKey(folder: Folder): void {
  const part = `key-${randomId(8)}`;
  writeNew(folder, part, `${randomId(48)}\n`);
  try {
    folder.link(part, folder, 'key');
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
  folder.unlink(part);
  folder.sync();
}
