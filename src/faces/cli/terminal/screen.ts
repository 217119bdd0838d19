// The terminal of the review and the board. Its state is restored on every exit, including crashes and
// signals.
import { monotonicMs } from '../../../node/clock.js';
import { writeError } from '../../../node/terminal/terminal.js';
import { openTty, type Tty } from '../../../node/terminal/tty.js';
import { chooseLook, type Look } from '../output.js';
import { wrapWords } from '../table.js';
import { Keyboard } from './keyboard.js';
import { type Line, layOut, paintRow, rowsOf } from './line.js';

const CLEAR = '\u001b[H\u001b[2J';
const CLEAR_ROW = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const SECOND_SCREEN = '\u001b[?1049h';
const FIRST_SCREEN = '\u001b[?1049l';
const MARK_PASTES = '\u001b[?2004h';
const NO_MARKS = '\u001b[?2004l';
/** Resets what a crashed editor may leave behind: colours, a hidden cursor, mouse reporting. */
const RESET_MODES = '\u001b[0m\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l';

/** The smallest size that is laid out; below it, the terminal wraps. */
const LEAST_COLUMNS = 10;
const LEAST_ROWS = 3;
/** The minimum height of a board, and its share of a higher screen. */
const BOARD_ROWS = 2;
const BOARD_PART = 5;
/** The board is redrawn at most this often. */
const PAUSE_MS = 100;
/** Lines to print again after a screen with a board was cleared. */
const KEPT = 200;

export interface BoardSize {
  width: number;
  /** The maximum number of rows. */
  height: number;
}

/** The rows at the bottom. The cursor is at their end by default. */
interface Foot {
  rows: readonly string[];
  cursor?: { row: number; column: number } | undefined;
}

type BuildBoard = (size: BoardSize) => string[];

const NO_FOOT: Foot = { rows: [] };

/** Undefined without a controlling terminal, or without one that can draw the board. */
export function openScreen(options: { color: boolean }, board?: BuildBoard): Screen | undefined {
  const look = chooseLook(options);
  if (board !== undefined && !look.inPlace) return undefined;
  const tty = openTty();
  return tty && new Screen(tty, look, board);
}

/**
 * Permanent lines above a foot that is redrawn in place. Board and questions are part of the foot; without a
 * board, questions stay. Without cursor movement, each foot is written below the last.
 */
export class Screen {
  readonly look: Look;
  readonly keyboard: Keyboard;
  readonly #tty: Tty;
  readonly #board: BuildBoard | undefined;
  #queue: Line[] = [];
  #kept: Line[] = [];
  #asked: readonly string[] = [];
  #foot = NO_FOOT;
  /** The foot on the screen. */
  #drawn = NO_FOOT;
  /** The cursor's row within the foot. */
  #row = 0;
  /** The last printed row; undefined if it is not known. */
  #lastRow: string | undefined;
  #isPaged = false;
  #isClosed = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tty: Tty, look: Look, board: BuildBoard | undefined) {
    this.#tty = tty;
    this.look = look;
    this.#board = board;
    this.keyboard = new Keyboard(tty, () => this.#leave());
  }

  /** Leaves one column free, because terminals differ in where the cursor is after the last one. */
  get width(): number {
    return Math.max(LEAST_COLUMNS, this.#tty.size().columns - 1);
  }

  get rows(): number {
    return Math.max(LEAST_ROWS, this.#tty.size().rows);
  }

  /** Rows for questions and input: the rest of the screen below the board and its title. */
  get height(): number {
    if (this.#board === undefined) return this.rows;
    const board = Math.max(BOARD_ROWS, Math.floor(this.rows / BOARD_PART));
    return Math.max(LEAST_ROWS, this.rows - board - 1);
  }

  openKeyboard(): void {
    this.keyboard.open();
    this.#write(MARK_PASTES);
  }

  closeKeyboard(): void {
    this.clearFoot();
    this.keyboard.close();
  }

  /** Releases the terminal while another program uses it. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.closeKeyboard();
    try {
      return await work();
    } finally {
      this.#write(RESET_MODES);
      this.openKeyboard();
    }
  }

  close(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.closeKeyboard();
    this.#leave();
    this.#isClosed = true;
    this.#tty.close();
  }

  /** Prints permanent lines above the foot. */
  print(lines: readonly Line[]): void {
    if (this.#isClosed) {
      writeError(asText(rowsOf(lines, this.width, this.look)));
      return;
    }
    this.#queue.push(...lines);
    if (this.#board === undefined) this.draw();
    else this.change();
  }

  /** `print` for painted text. */
  printText(text: string): void {
    this.draw(text.split('\n').flatMap((line) => wrapIndented(line, this.width)));
  }

  /** Shows a question instead of the foot. */
  ask(rows: readonly string[]): void {
    this.#foot = NO_FOOT;
    if (this.#board !== undefined) this.#asked = rows;
    this.draw(this.#board === undefined ? rows : []);
  }

  endAsking(): void {
    this.#asked = [];
    this.clearFoot();
  }

  /** `rows` must fit the screen. `cursor`: row and cell within the foot. */
  drawFoot(rows: readonly string[], cursor?: Foot['cursor']): void {
    this.#foot = { rows, cursor };
    this.draw();
  }

  clearFoot(): void {
    this.drawFoot([]);
  }

  /** Writes directly, for terminals that cannot redraw. */
  echo(text: string): void {
    this.#tty.write(text);
  }

  row(line: Line): string {
    return paintRow(layOut(line, this.width)[0]!, this.look);
  }

  /** Schedules a redraw of the board. */
  change(): void {
    if (this.#timer !== undefined || this.#isPaged || this.#isClosed) return;
    const wait = Math.max(0, this.#drawnAt + PAUSE_MS - monotonicMs());
    this.#timer = setTimeout(() => this.draw(), wait);
    this.#timer.unref();
  }

  /** Redraws everything after a resize or foreign output. The caller must ask an open question again. */
  redraw(): void {
    if (this.#isClosed) return;
    this.#forgetDrawn();
    this.#asked = [];
    this.#foot = NO_FOOT;
    if (!this.look.inPlace) {
      this.#tty.write('\n');
      return;
    }
    const room = Math.max(0, this.rows - this.#compose().rows.length - 1);
    const kept = room === 0 ? [] : rowsOf(this.#kept, this.width, this.look).slice(-room);
    this.#tty.write(`${CLEAR}${MARK_PASTES}${asText(kept)}`);
    this.draw();
  }

  draw(printed: readonly string[] = []): void {
    if (this.#isPaged || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawnAt = monotonicMs();
    const queued = this.#takeQueue();
    const isBelowBlank = (queued.at(-1) ?? this.#lastRow) === '' && printed[0] === '';
    const above = [...queued, ...printed.slice(isBelowBlank ? 1 : 0)];
    this.#lastRow = above.at(-1) ?? this.#lastRow;
    const foot = this.#compose();
    this.#tty.write(this.look.inPlace ? this.#drawInPlace(above, foot) : this.#drawBelow(above, foot));
  }

  /** Shows a page, on the alternate screen if there is one. Printed lines are delayed until `endPaging`. */
  page(rows: readonly string[]): void {
    if (!this.look.inPlace) {
      this.#tty.write(`\n${rows.join('\n')}`);
      return;
    }
    const begin = this.look.twoScreens ? SECOND_SCREEN : '';
    this.#tty.write(`${this.#isPaged ? '' : begin + MARK_PASTES}${CLEAR}${rows.join('\n')}`);
    this.#isPaged = true;
  }

  /** Returns whether the question from before is visible again. */
  endPaging(): boolean {
    if (!this.look.inPlace) this.#tty.write('\n');
    if (!this.#isPaged) return false;
    this.#leavePage();
    if (this.#board !== undefined) this.redraw();
    return this.look.twoScreens && this.#board === undefined;
  }

  #leavePage(): void {
    this.#isPaged = false;
    this.#tty.write(this.look.twoScreens ? FIRST_SCREEN : CLEAR);
    if (!this.look.twoScreens) this.#forgetDrawn();
  }

  /** Restores the terminal: printed lines stay, the foot is removed. */
  #leave(): void {
    if (!this.look.inPlace || this.#isClosed) return;
    if (this.#isPaged) this.#leavePage();
    this.#tty.write(`${this.#drawInPlace(this.#takeQueue(), NO_FOOT)}${SHOW_CURSOR}${NO_MARKS}`);
  }

  #compose(): Foot {
    if (this.#board === undefined) return this.#foot;
    const height = this.rows - 1;
    const typed = this.#foot.rows.slice(0, height);
    const asked = this.#asked.slice(0, height - typed.length);
    const left = height - typed.length - asked.length;
    const above = [...this.#board({ width: this.width, height: left }), ...asked];
    const { cursor } = this.#foot;
    return {
      rows: [...above, ...typed],
      cursor: cursor && { row: above.length + cursor.row, column: cursor.column },
    };
  }

  #takeQueue(): string[] {
    const lines = this.#queue;
    this.#queue = [];
    if (this.#board !== undefined) this.#kept = [...this.#kept, ...lines].slice(-KEPT);
    return rowsOf(lines, this.width, this.look);
  }

  #drawInPlace(printed: readonly string[], foot: Foot): string {
    const before = this.#drawn;
    if (printed.length === 0 && isSame(foot, before)) return '';
    this.#drawn = foot;
    // A board is redrawn every second, so only changed rows are sent if their number is unchanged.
    const isWhole =
      this.#board === undefined || printed.length > 0 || foot.rows.length !== before.rows.length;
    const text = isWhole ? this.#drawWhole(printed, foot.rows) : this.#drawChanges(before.rows, foot.rows);
    return text + this.#placeCursor(foot.cursor);
  }

  /** Printed lines replace the foot, which is redrawn below them. */
  #drawWhole(printed: readonly string[], rows: readonly string[]): string {
    const text = `${moveBy(-this.#row)}${CLEAR_BELOW}${asText(printed)}${rows.join('\n')}`;
    this.#row = Math.max(0, rows.length - 1);
    return text;
  }

  #drawChanges(before: readonly string[], rows: readonly string[]): string {
    let text = '';
    for (const [at, row] of rows.entries()) {
      if (row === before[at]) continue;
      text += `${moveBy(at - this.#row)}${row}${CLEAR_ROW}`;
      this.#row = at;
    }
    return text;
  }

  #drawBelow(printed: readonly string[], foot: Foot): string {
    const end = this.#drawn.rows.length === 0 ? '' : '\n';
    this.#drawn = foot;
    return `${end}${asText(printed)}${foot.rows.join('\n')}`;
  }

  /** A board shows the cursor only while text is typed. */
  #placeCursor(cursor: Foot['cursor']): string {
    if (cursor === undefined) return this.#board === undefined ? '' : HIDE_CURSOR;
    const move = moveBy(cursor.row - this.#row);
    this.#row = cursor.row;
    return `${move}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}${SHOW_CURSOR}`;
  }

  #forgetDrawn(): void {
    this.#drawn = NO_FOOT;
    this.#row = 0;
    this.#lastRow = undefined;
  }

  #write(sequence: string): void {
    if (this.look.inPlace) this.#tty.write(sequence);
  }
}

/** Moves to the start of another row, relative to the current one. */
function moveBy(rows: number): string {
  return rows < 0 ? `\r\u001b[${-rows}A` : `\r${'\n'.repeat(rows)}`;
}

function isSame(one: Foot, other: Foot): boolean {
  const sameCursor = one.cursor?.row === other.cursor?.row && one.cursor?.column === other.cursor?.column;
  return (
    sameCursor && one.rows.length === other.rows.length && one.rows.every((row, at) => row === other.rows[at])
  );
}

function wrapIndented(line: string, width: number): string[] {
  const indent = /^ */.exec(line)![0];
  return wrapWords(line.slice(indent.length), width - indent.length).map((row) => indent + row);
}

function asText(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}
