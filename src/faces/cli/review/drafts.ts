import { join } from 'node:path';
import type { Action } from '../../../core/plan/types.js';
import { errorCode } from '../../../node/errors.js';
import { files } from '../../../node/file-calls.js';
import { decodeText, MB, readBytes } from '../../../node/files.js';
import { closing, isAlreadyThere, writeText } from '../../../node/folder.js';
import { sameAction } from '../../../review/rest.js';

const LIMIT = 10 * MB;

/** What the user wrote, each text in a file of its own that stays: nothing typed is lost. */
export class Drafts {
  /** Texts left with Esc, by the name of their draft: the next try starts with them. */
  readonly unfinished = new Map<string, string>();
  readonly #folder: () => string;
  readonly #edited = new Map<number, { path: string; action: Action }>();

  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** Writes a new file, `action-3.md` or the next name that is free. Its path, or why not. */
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

  /** Writes the texts that were not finished to disk. */
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

  /** The file that an action came from, when it came from one. */
  remembered(number: number, action: Action): string | undefined {
    const edited = this.#edited.get(number);
    return edited !== undefined && sameAction(edited.action, action) ? edited.path : undefined;
  }

  remember(number: number, path: string, action: Action): void {
    this.#edited.set(number, { path, action });
  }
}
