import type { Tty } from '../../../node/terminal/tty.js';
import { type Line, layOut, paintRow, rowsOf } from './line.js';
import type { Look } from './look.js';

const CLEAR = '\u001b[H\u001b[2J';
const CLEAR_BELOW = '\r\u001b[J';
const SECOND_SCREEN = '\u001b[?1049h';
const FIRST_SCREEN = '\u001b[?1049l';
const MARK_PASTES = '\u001b[?2004h';
const NO_MARKS = '\u001b[?2004l';
/** What an editor that came to grief may have left behind: colours, a hidden cursor, a mouse that types. */
const SOBER = '\u001b[0m\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l';

/** Narrower than this, nothing is drawn to fit: the terminal wraps. */
const LEAST_COLUMNS = 10;
const LEAST_ROWS = 3;

/**
 * Lines that stay, and below them a foot that is drawn again and again. Everything is wrapped here, so that the number
 * of rows is known; on a terminal without a movable cursor a new foot is simply written below the old one.
 */
export class Screen {
  readonly look: Look;
  readonly #tty: Tty;
  /** Rows of the foot above the one that the cursor is in; -1 where there is no foot. */
  #above = -1;
  #paged = false;

  constructor(tty: Tty, look: Look) {
    this.#tty = tty;
    this.look = look;
  }

  /** One column stays free: a cursor beyond the last one is somewhere else on every terminal. */
  get width(): number {
    return Math.max(LEAST_COLUMNS, this.#tty.size().columns - 1);
  }

  get height(): number {
    return Math.max(LEAST_ROWS, this.#tty.size().rows);
  }

  print(lines: readonly Line[]): void {
    this.printRows(rowsOf(lines, this.width, this.look));
  }

  printRows(rows: readonly string[]): void {
    if (rows.length === 0) return;
    this.#tty.write(`${this.#eraseFoot()}${rows.join('\n')}\n`);
  }

  /** The foot, no more than fits. `cursor` is where it stays, by row and cell; at the end unless said. */
  footRows(rows: readonly string[], cursor?: { row: number; column: number }): void {
    let text = this.#eraseFoot() + rows.join('\n');
    this.#above = rows.length - 1;
    if (cursor !== undefined && this.look.inPlace) {
      const up = rows.length - 1 - cursor.row;
      text += `\r${up > 0 ? `\u001b[${up}A` : ''}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`;
      this.#above = cursor.row;
    }
    this.#tty.write(text);
  }

  /** As it comes, in the foot: for terminals on which nothing can be drawn again. */
  echo(text: string): void {
    this.#tty.write(text);
  }

  clearFoot(): void {
    this.#tty.write(this.#eraseFoot());
  }

  /** Away with everything, since nobody knows where it is by now. */
  clear(): void {
    this.#above = -1;
    if (this.look.inPlace) this.#tty.write(CLEAR);
    else this.#tty.write('\n');
  }

  /** One page, on a screen of its own where there is one. */
  page(rows: readonly string[]): void {
    if (!this.look.inPlace) {
      this.#tty.write(`\n${rows.join('\n')}`);
      return;
    }
    const begin = this.#paged || !this.look.twoScreens ? '' : SECOND_SCREEN;
    this.#paged = true;
    this.#tty.write(`${begin}${CLEAR}${rows.join('\n')}`);
  }

  /** Whether what was there before paging is there again. */
  endPaging(): boolean {
    if (!this.look.inPlace) this.#tty.write('\n');
    if (!this.#paged) return false;
    this.#paged = false;
    this.#tty.write(this.look.twoScreens ? FIRST_SCREEN : CLEAR);
    return this.look.twoScreens;
  }

  markPastes(): void {
    if (this.look.inPlace) this.#tty.write(MARK_PASTES);
  }

  /** Before the terminal is somebody else's: everything as it is usual. */
  leave(): void {
    if (!this.look.inPlace) return;
    if (this.#paged) this.endPaging();
    this.#tty.write(NO_MARKS);
  }

  sober(): void {
    this.#above = -1;
    if (this.look.inPlace) this.#tty.write(SOBER);
  }

  row(line: Line): string {
    return paintRow(layOut(line, this.width)[0]!, this.look);
  }

  #eraseFoot(): string {
    const above = this.#above;
    this.#above = -1;
    if (above < 0) return '';
    if (!this.look.inPlace) return '\n';
    return `${above > 0 ? `\u001b[${above}A` : ''}${CLEAR_BELOW}`;
  }
}
