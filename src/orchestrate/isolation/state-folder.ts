import { join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { lookAtFile } from '../../node/files.js';
import { Folder, isAlreadyThere } from '../../node/folder.js';
import { errorCode } from '../../node/system-error.js';
import { hideFromGit } from '../../workspace/store.js';

const STATE = ['.ultraplan', 'state'];

export type StateFolder = { status: 'ok'; path: string } | { status: 'refused'; reason: string };

/** A folder under `.ultraplan/state`, made where it is missing. A link on the way there leads nowhere. */
export function prepareFolder(root: string, name: string): StateFolder {
  let path = root;
  try {
    for (const part of [...STATE, name]) {
      path = join(path, part);
      if (lookAtFile(path) === 'missing') makeFolder(path);
      const look = lookAtFile(path);
      if (look !== 'folder')
        return {
          status: 'refused',
          reason: `${JSON.stringify(path)} is in the way: it has to be a folder, and is none.`,
        };
    }
    const state = Folder.open(files.realpath(join(root, ...STATE)));
    try {
      hideFromGit(state);
    } finally {
      state.close();
    }
    return { status: 'ok', path };
  } catch (error) {
    return { status: 'refused', reason: `${JSON.stringify(path)} cannot be made (${errorCode(error)}).` };
  }
}

/** Another process may be quicker. */
function makeFolder(path: string): void {
  try {
    files.mkdir(path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  }
}
