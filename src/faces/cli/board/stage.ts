import { monotonicMs } from '../../../node/clock.js';
import { writeError } from '../../../node/terminal/terminal.js';
import { openTty, type Tty } from '../../../node/terminal/tty.js';
import { type Line, rowsOf } from '../terminal/line.js';
import { chooseLook, type Look } from '../terminal/look.js';
import { Screen } from '../terminal/screen.js';
import type { BoardSize } from './board-rows.js';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_ROW = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CLEAR = '\u001b[H\u001b[2J';
/** Drawn no more often than this: nobody reads faster. */
const PAUSE_MS = 100;
/** Lines that are printed once more where the screen had to be cleared. */
const KEPT = 200;
/** Rows that the board has however much there is below it, at least; and on a higher screen this part of it. */
const BOARD_ROWS = 2;
const BOARD_PART = 5;

/** Rows with the cursor in one of them, which is then to be seen. */
interface Part {
  rows: readonly string[];
  cursor?: { row: number; column: number } | undefined;
}

type BuildBoard = (size: BoardSize, look: Look) => string[];

/**
 * Lines that stay, and below them a foot of three parts: the board, what is asked, and what is typed. Only rows that
 * changed are sent, all of them at once. Nothing of it is left when the terminal is given back.
 */
export class Stage {
  readonly look: Look;
  readonly tty: Tty;
  /** Where whoever asks draws: their lines and their foot are parts of ours. */
  readonly screen: Screen;
  readonly #build: BuildBoard;
  #queue: Line[] = [];
  #kept: Line[] = [];
  #question: readonly string[] = [];
  #title: (() => Line) | undefined;
  #foot: Part = { rows: [] };
  #drawn: readonly string[] = [];
  /** The row of the foot that the cursor is in. */
  #row = 0;
  #cursor: Part['cursor'];
  #begun = false;
  #isAway = false;
  #closed = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tty: Tty, look: Look, build: BuildBoard) {
    this.tty = tty;
    this.look = look;
    this.#build = build;
    this.screen = new AskScreen(tty, look, this);
  }

  get width(): number {
    return this.screen.width;
  }

  get rows(): number {
    return Math.max(3, this.tty.size().rows);
  }

  print(lines: readonly Line[]): void {
    if (this.#closed) {
      writeError(asText(rowsOf(lines, this.width, this.look)));
      return;
    }
    this.#queue.push(...lines);
    this.change();
  }

  /** The board is another by now: it is drawn soon. */
  change(): void {
    if (this.#timer !== undefined || this.#isAway || this.#closed) return;
    const wait = Math.max(0, this.#drawnAt + PAUSE_MS - monotonicMs());
    this.#timer = setTimeout(() => this.draw(), wait);
    this.#timer.unref();
  }

  /** Rows that nothing below the board takes from it. */
  get boardRows(): number {
    return Math.max(BOARD_ROWS, Math.floor(this.rows / BOARD_PART));
  }

  /** What stands above whatever is asked from now on. It is made anew whenever it is drawn. */
  entitle(title: () => Line): void {
    this.#title = title;
  }

  ask(rows: readonly string[]): void {
    this.#question = rows;
    this.draw();
  }

  type(foot: Part): void {
    this.#foot = foot;
    this.draw();
  }

  endAsking(): void {
    this.#question = [];
    this.#title = undefined;
    this.type({ rows: [] });
  }

  /** Somebody else has the screen until `comeBack`: what is printed meanwhile waits. */
  goAway(): void {
    this.#isAway = true;
  }

  /** `asBefore`: what was on the screen is there again. */
  comeBack(asBefore: boolean): void {
    this.#isAway = false;
    if (asBefore) this.draw();
    else this.redraw();
  }

  /** Everything once more, since nobody knows where anything is by now. */
  redraw(): void {
    if (this.#isAway || this.#closed) return;
    this.#begun = false;
    this.#drawn = [];
    this.#row = 0;
    const rows = rowsOf(this.#kept, this.width, this.look);
    const room = Math.max(0, this.rows - this.#compose().rows.length - 1);
    const last = room === 0 ? [] : rows.slice(-room);
    this.tty.write(`${CLEAR}${asText(last)}`);
    this.draw();
  }

  draw(): void {
    if (this.#isAway || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawnAt = monotonicMs();
    const { rows, cursor } = this.#compose();
    const printed = rowsOf(this.#takeQueue(), this.width, this.look);
    const before = this.#begun ? '' : HIDE_CURSOR;
    this.#begun = true;
    const body = printed.length > 0 ? this.#drawBelow(printed, rows) : this.#drawChanges(rows);
    const after = this.#placeCursor(cursor, body !== '');
    this.#drawn = rows;
    if (before !== '' || body !== '' || after !== '') this.tty.write(before + body + after);
  }

  /** Before the terminal is somebody else's: what was printed stays, the foot goes. */
  leave(): void {
    const printed = asText(rowsOf(this.#takeQueue(), this.width, this.look));
    const foot = this.#begun ? `${this.#toTop()}${CLEAR_BELOW}` : '';
    if (foot !== '' || printed !== '') this.tty.write(`${foot}${printed}${SHOW_CURSOR}`);
    this.#begun = false;
    this.#drawn = [];
    this.#row = 0;
    this.#cursor = undefined;
  }

  close(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.leave();
    this.#closed = true;
  }

  #compose(): Part {
    const height = this.rows - 1;
    const foot = this.#foot.rows.slice(0, height);
    const title = this.#question.length === 0 || this.#title === undefined ? [] : [this.#title()];
    const asked = [...rowsOf(title, this.width, this.look), ...this.#question];
    const question = asked.slice(0, height - foot.length);
    const left = height - foot.length - question.length;
    const isAsking = foot.length + question.length > 0;
    const most = isAsking ? left : Math.min(left, Math.max(BOARD_ROWS, Math.ceil((height * 2) / 3)));
    const board = this.#build({ width: this.width, height: most }, this.look);
    const above = board.length + question.length;
    const { cursor } = this.#foot;
    return {
      rows: [...board, ...question, ...foot],
      cursor: cursor && { row: above + cursor.row, column: cursor.column },
    };
  }

  #takeQueue(): Line[] {
    const lines = this.#queue;
    this.#queue = [];
    this.#kept = [...this.#kept, ...lines].slice(-KEPT);
    return lines;
  }

  #toTop(): string {
    return `\r${this.#row > 0 ? `\u001b[${this.#row}A` : ''}`;
  }

  /** What was printed goes where the foot began, and all of the foot below it. */
  #drawBelow(printed: readonly string[], rows: readonly string[]): string {
    const above = printed.map((row) => `${row}${CLEAR_ROW}\r\n`).join('');
    const below = rows.map((row) => `${row}${CLEAR_ROW}`).join('\r\n');
    const text = `${this.#toTop()}${above}${below}${CLEAR_BELOW}`;
    this.#row = Math.max(0, rows.length - 1);
    return text;
  }

  #drawChanges(rows: readonly string[]): string {
    const fewer = rows.length < this.#drawn.length;
    const last = rows.length - 1;
    // What is cleared below begins at the cursor, which has to be behind the last row then.
    const changed = rows.flatMap((row, at) =>
      row !== this.#drawn[at] || (fewer && at === last) ? [{ row, at }] : [],
    );
    if (changed.length === 0 && !fewer) return '';
    let text = this.#toTop();
    this.#row = 0;
    for (const { row, at } of changed) {
      text += `${'\r\n'.repeat(at - this.#row)}${row}${CLEAR_ROW}`;
      this.#row = at;
    }
    return fewer ? text + CLEAR_BELOW : text;
  }

  #placeCursor(cursor: Part['cursor'], moved: boolean): string {
    const before = this.#cursor;
    this.#cursor = cursor;
    if (cursor === undefined) return before === undefined ? '' : HIDE_CURSOR;
    if (!moved && before?.row === cursor.row && before.column === cursor.column) return '';
    const by = cursor.row - this.#row;
    this.#row = cursor.row;
    const vertical = by === 0 ? '' : by > 0 ? `\u001b[${by}B` : `\u001b[${-by}A`;
    return `\r${vertical}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}${SHOW_CURSOR}`;
  }
}

function asText(rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join('');
}

/** What panels, texts and pages are drawn on: their lines and their foot become parts of the stage's. */
class AskScreen extends Screen {
  readonly #stage: Stage;

  constructor(tty: Tty, look: Look, stage: Stage) {
    super(tty, look);
    this.#stage = stage;
  }

  override get height(): number {
    // One row is the title's.
    return Math.max(3, this.#stage.rows - this.#stage.boardRows - 1);
  }

  override printRows(rows: readonly string[]): void {
    this.#stage.ask(rows);
  }

  override footRows(rows: readonly string[], cursor?: { row: number; column: number }): void {
    this.#stage.type({ rows, cursor });
  }

  override clearFoot(): void {
    this.#stage.type({ rows: [] });
  }

  override clear(): void {
    this.#stage.redraw();
  }

  override page(rows: readonly string[]): void {
    this.#stage.goAway();
    super.page(rows);
  }

  override endPaging(): boolean {
    const asBefore = super.endPaging();
    this.#stage.comeBack(asBefore);
    // The stage shows what was asked again, whatever the screen was.
    return true;
  }

  override leave(): void {
    super.leave();
    this.#stage.leave();
  }
}

/** Undefined where nothing can be drawn in place, or there is no controlling terminal. */
export function openStage(options: { color: boolean }, build: BuildBoard): Stage | undefined {
  const look = chooseLook(options);
  if (!look.inPlace) return undefined;
  const tty = openTty();
  return tty && new Stage(tty, look, build);
}
