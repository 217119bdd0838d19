import { files } from '../../node/file-calls.js';
import { closing, type Folder, isAbsent, readText, writeText } from '../../node/folder.js';
import { sealOf } from '../commit/log.js';

const PROGRESS = 'progress.jsonl';

/** Adds an entry to what is known of a run; it is on disk when this returns. */
export function appendNote(journal: Folder, entry: unknown): void {
  const body = JSON.stringify(entry);
  closing(journal.openToAppend(PROGRESS, 0o600), (file) => {
    writeText(file, `${sealOf(body)} ${body}\n`);
    files.sync(file);
  });
}

/** The entries of a run, in order; those that this user's teddy did not write, or not wholly, are none. */
export function readNotes(journal: Folder): unknown[] {
  try {
    return readText(journal, PROGRESS)
      .split('\n')
      .flatMap((line) => {
        const seal = line.slice(0, line.indexOf(' '));
        const body = line.slice(seal.length + 1);
        return seal !== '' && seal === sealOf(body) ? [JSON.parse(body) as unknown] : [];
      });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
