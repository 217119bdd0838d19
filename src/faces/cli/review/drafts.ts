import { join } from 'node:path';
import type { Action } from '../../../core/plan/types.js';
import { errorCode } from '../../../node/errors.js';
import { files } from '../../../node/file-calls.js';
import { decodeText, MB, readBytes } from '../../../node/files.js';
import { closing, isAlreadyThere, writeText } from '../../../node/folder.js';
import { sameAction } from '../../../review/compose.js';

const LIMIT = 10 * MB;

/** Texts of the user, each in a file that is never deleted here. */
export class Drafts {
  /** Texts left with Esc, by the name of their draft: the next try starts with them. */
  readonly unfinished = new Map<string, string>();
  readonly #folder: () => string;
  readonly #edited = new Map<number, { path: string; action: Action }>();

  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** Writes a new file, `action-3.md` or the next free name. Returns its path, or why it failed. */
  create(name: string, text: string, ending = '.md'): { path: string } | { reason: string } {
    try {
      for (let copy = 1; ; copy++) {
        const path = join(this.#folder(), `${name}${copy === 1 ? '' : `-${copy}`}${ending}`);
        try {
          closing(files.open(path, 'wx', 0o600), (file) => writeText(file, text));
          return { path };
        } catch (error) {
          if (!isAlreadyThere(error) || copy > 1000) throw error;
        }
      }
    } catch (error) {
      const why = errorCode(error);
      return { reason: `The draft could not be written (${why}).` };
    }
  }

  /** Writes unfinished texts to disk. */
  keepUnfinished(): void {
    for (const [name, text] of this.unfinished) if (text.trim() !== '') this.create(name, `${text.trim()}\n`);
    this.unfinished.clear();
  }

  read(path: string): { text: string } | { reason: string } {
    const read = readBytes(path, LIMIT);
    if (read.status !== 'bytes')
      return { reason: `The draft ${read.status === 'missing' ? 'was deleted' : read.reason}.` };
    const decoded = decodeText(read.bytes);
    return decoded.status === 'text' ? decoded : { reason: `The draft ${decoded.reason}.` };
  }

  /** The draft that an action was read from, if any. */
  remembered(number: number, action: Action): string | undefined {
    const edited = this.#edited.get(number);
    return edited !== undefined && sameAction(edited.action, action) ? edited.path : undefined;
  }

  remember(number: number, path: string, action: Action): void {
    this.#edited.set(number, { path, action });
  }
}
