import { cutToWidth, type Line, layOut, paintRow, type Span } from './line.js';
import type { Screen } from './screen.js';

/** The lines that were completely visible. */
export class Seen {
  readonly #lines = new Set<number>();

  add(line: number): void {
    this.#lines.add(line);
  }

  countUnseen(total: number): number {
    let seen = 0;
    for (const line of this.#lines) if (line < total) seen++;
    return total - seen;
  }
}

/** The top of the screen: a line and one of its rows. */
interface Position {
  line: number;
  row: number;
}

/** How often a page with `reload` is rebuilt. */
const RELOAD_MS = 1000;

/**
 * Pages through lines until the reader leaves. With `reload`, the content is rebuilt every second, and a page
 * at the end follows it.
 */
export async function page(
  screen: Screen,
  build: (width: number) => Line[],
  seen?: Seen,
  reload?: () => Promise<void>,
): Promise<'read' | 'interrupted' | 'ended'> {
  const { keyboard } = screen;
  let pager = new Pager(screen, build, seen);
  for (;;) {
    pager.draw();
    const pause = new AbortController();
    const timer = reload && setTimeout(() => pause.abort(), RELOAD_MS);
    const input = await keyboard.within(pause.signal, () => keyboard.key());
    clearTimeout(timer);
    if (pause.signal.aborted) {
      await reload?.();
      pager = new Pager(screen, build, seen, pager.isAtEnd ? Number.POSITIVE_INFINITY : pager.top.line);
      continue;
    }
    if (input.kind === 'ended') return 'ended';
    if (input.kind === 'redraw') {
      pager = new Pager(screen, build, seen, pager.top.line);
      continue;
    }
    if (input.kind !== 'key') continue;
    const { name, text } = input.key;
    if (name === 'ctrl-c') return 'interrupted';
    if (name === 'ctrl-z') keyboard.suspend();
    else if (pager.asking) pager.type(name, text);
    else if (['q', 'escape', 'enter', 'ctrl-d'].includes(name)) return 'read';
    else pager.press(name);
  }
}

class Pager {
  top: Position = { line: 0, row: 0 };
  readonly #screen: Screen;
  readonly #lines: Line[];
  readonly #rows = new Map<number, Span[][]>();
  readonly #seen: Seen | undefined;
  /** The visible rows of wrapped lines; a line counts once all of its rows were visible. */
  readonly #parts = new Map<number, Set<number>>();
  #search: string | undefined;
  #found = '';
  #note = '';

  constructor(screen: Screen, build: (width: number) => Line[], seen: Seen | undefined, line = 0) {
    this.#screen = screen;
    this.#lines = build(screen.width);
    this.#seen = seen;
    this.top = this.#clamp({ line: Math.min(line, Math.max(0, this.#lines.length - 1)), row: 0 });
  }

  get isAtEnd(): boolean {
    const end = this.#end();
    return this.top.line === end.line && this.top.row === end.row;
  }

  get asking(): boolean {
    return this.#search !== undefined;
  }

  get #height(): number {
    return this.#screen.rows - 1;
  }

  draw(): void {
    const { look } = this.#screen;
    const rows: string[] = [];
    let last = this.top.line;
    for (let at: Position | undefined = this.top; at !== undefined && rows.length < this.#height; ) {
      rows.push(paintRow(this.#rowsAt(at.line)[at.row]!, look));
      this.#see(at);
      last = at.line;
      at = this.#after(at);
    }
    this.#screen.page([...rows, this.#status(last)]);
  }

  press(name: string): void {
    this.#note = '';
    const page = Math.max(1, this.#height - 1);
    if ([' ', 'f', 'page-down', 'right', 'ctrl-f'].includes(name)) this.#move(page);
    else if (['b', 'page-up', 'left', 'ctrl-b'].includes(name)) this.#move(-page);
    else if (['down', 'j', 'newline'].includes(name)) this.#move(1);
    else if (['up', 'k'].includes(name)) this.#move(-1);
    else if (['g', 'home'].includes(name)) this.top = { line: 0, row: 0 };
    else if (['G', 'end'].includes(name)) this.top = this.#end();
    else if (name === '/') this.#search = '';
    else if (name === 'n') this.#find();
  }

  /** Handles a key of the search text. */
  type(name: string, text: string | undefined): void {
    if (name === 'escape') this.#search = undefined;
    else if (name === 'backspace') this.#search = [...this.#search!].slice(0, -1).join('');
    else if (name === 'enter') {
      this.#found = this.#search!;
      this.#search = undefined;
      this.#find();
    } else if (text !== undefined) this.#search += text.replace(/[^ -~\u00a1-\uffff]/g, '');
  }

  #find(): void {
    if (this.#found === '') return;
    const wanted = this.#found.toLowerCase();
    const holds = (line: Line) =>
      line.spans
        .map(({ text }) => text)
        .join('')
        .toLowerCase()
        .includes(wanted);
    const at = this.#lines.findIndex((line, index) => index > this.top.line && holds(line));
    if (at !== -1) this.top = { line: at, row: 0 };
    else this.#note = 'not found below';
  }

  #status(last: number): string {
    const { look } = this.#screen;
    const { dot, updown } = look.glyphs;
    const total = this.#lines.length;
    const where = `${this.top.line + 1}-${last + 1} of ${total}`;
    const help = `q: back ${dot} space, b: page ${dot} /: search ${dot} ${updown}: line ${dot} g, G: ends`;
    const words =
      this.#search !== undefined
        ? `/${this.#search}`
        : [this.#note, where, last + 1 === total ? 'end' : '', help].filter((part) => part !== '').join('  ');
    return look.paint('accent', cutToWidth(words, this.#screen.width));
  }

  #see({ line, row }: Position): void {
    if (this.#seen === undefined) return;
    const count = this.#rowsAt(line).length;
    const parts = this.#parts.get(line) ?? new Set();
    parts.add(row);
    if (parts.size === count) this.#seen.add(line);
    else this.#parts.set(line, parts);
  }

  #move(by: number): void {
    let at = this.top;
    for (let step = 0; step < Math.abs(by); step++) {
      const next = by > 0 ? this.#after(at) : this.#before(at);
      if (next === undefined) break;
      at = next;
    }
    this.top = this.#clamp(at);
  }

  /** Keeps the last page full. */
  #clamp(at: Position): Position {
    const end = this.#end();
    return at.line > end.line || (at.line === end.line && at.row > end.row) ? end : at;
  }

  #end(): Position {
    const line = Math.max(0, this.#lines.length - 1);
    let at: Position = { line, row: Math.max(0, this.#rowsAt(line).length - 1) };
    for (let step = 1; step < this.#height; step++) at = this.#before(at) ?? at;
    return at;
  }

  #after({ line, row }: Position): Position | undefined {
    if (row + 1 < this.#rowsAt(line).length) return { line, row: row + 1 };
    return line + 1 < this.#lines.length ? { line: line + 1, row: 0 } : undefined;
  }

  #before({ line, row }: Position): Position | undefined {
    if (row > 0) return { line, row: row - 1 };
    return line > 0 ? { line: line - 1, row: this.#rowsAt(line - 1).length - 1 } : undefined;
  }

  /** Lays out lines on demand. */
  #rowsAt(line: number): Span[][] {
    const known = this.#rows.get(line);
    if (known !== undefined) return known;
    const rows = this.#lines[line] === undefined ? [[]] : layOut(this.#lines[line], this.#screen.width);
    this.#rows.set(line, rows);
    return rows;
  }
}
