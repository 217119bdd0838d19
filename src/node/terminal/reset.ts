// Undoes what a program may leave behind in a terminal, so that teddy's lines and the review appear as they are.

/** A new terminal's state, except for text, cursor position, title and colours. */
export const RESET = [
  // Ends an unfinished sequence, which would hide the next text.
  '\x18',
  // The usual screen, drawn at once, in its colours and not inverse.
  '\x1b[?1047l\x1b[?2026l\x1b[?5l',
  // The whole screen scrolls: a soft reset, and for terminals without one its parts.
  '\x1b[!p\x1b[?69l\x1b7\x1b[r\x1b8',
  // Plain character sets in UTF-8; lines wrap, no insert mode.
  '\x0f\x1b(B\x1b%G\x1b[?7h\x1b[4l',
  // No mouse, no focus, no pasting in brackets, usual keys; a visible cursor, and plain text.
  '\x1b[?9;1000;1002;1003;1005;1006;1015;1016l\x1b[?1004l\x1b[?2004l\x1b[?1l\x1b>\x1b[=0u\x1b[>4m\x1b[?25h\x1b[0m',
].join('');

/** Palette, text, background, cursor and selection. Only if they were changed: many users have colours of their own. */
export const RESET_COLOURS = [104, 105, 110, 111, 112, 117, 119].map((code) => `\x1b]${code}\x07`).join('');

/** Titles, folders, links, notes, the clipboard, marks of prompts, and questions for a colour. */
const HARMLESS = /^(?:(?:[012789]|52|133|633|777|1337);|1\d;\?[\x07\x1b])/;
/** Commands to the terminal (OSC), also within UTF-8, and a change of its encoding. */
const COMMAND = /\x1b%|\x1b\]|\xc2\x9d/g;
/** The part of a command that is needed to judge it. */
const JUDGED = 6;

/** Finds colour changes in a program's output, which could make text invisible. */
export class ColourWatch {
  #rest = '';
  hasChanged = false;

  see(bytes: Uint8Array): void {
    if (this.hasChanged) return;
    const text = this.#rest + Buffer.from(bytes).toString('latin1');
    let rest = text.length - 1;
    for (const { 0: command, index } of text.matchAll(COMMAND)) {
      const begin = index + command.length;
      if (command === '\x1b%') this.hasChanged = true;
      else if (text.length < begin + JUDGED) rest = index;
      else this.hasChanged ||= !HARMLESS.test(text.slice(begin, begin + JUDGED));
    }
    this.#rest = text.slice(rest);
  }
}
