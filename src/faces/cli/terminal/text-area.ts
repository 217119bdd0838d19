import { foreign, type Line, layOut, paintRow, prose, type Span, spanWidth } from './line.js';
import type { Panel } from './panel.js';
import type { Screen } from './screen.js';

interface TextAreaOptions {
  title: string;
  /** What the keys do, in a few words. */
  keys: string;
  /** Enter makes a new line; Ctrl-D, or a line that is nothing but a dot, ends the text. Otherwise Enter ends it. */
  manyLines: boolean;
  text?: string;
  /** What stands above, for when the screen changes. */
  above?: Panel;
}

type Typed =
  | { status: 'done'; text: string }
  /** Esc: what was typed so far is not lost. */
  | { status: 'back'; text: string }
  /** Ctrl-G: it is to go on in an editor. */
  | { status: 'editor'; text: string }
  | { status: 'interrupted'; text: string }
  | { status: 'ended'; text: string };

/** A text typed by a person, wrapped as they type. */
export async function typeText(screen: Screen, options: TextAreaOptions): Promise<Typed> {
  const { keyboard } = screen;
  const draft = new Draft(options.text ?? '');
  const area = new Area(screen, options);
  area.draw(draft);
  for (;;) {
    const input = await keyboard.key();
    if (input.kind === 'ended') return { status: 'ended', text: draft.text };
    if (input.kind === 'redraw') {
      if (options.above !== undefined) options.above.redraw();
      else screen.redraw();
      area.draw(draft);
      continue;
    }
    if (input.kind !== 'key') continue;
    const { name, text } = input.key;
    const end = endOf(name, draft, options.manyLines);
    if (end !== undefined) {
      screen.clearFoot();
      return { status: end, text: draft.text };
    }
    if (name === 'ctrl-z') keyboard.suspend();
    else {
      const before = draft.text;
      draft.press(name, text);
      // Where more has come already, it is drawn once, at the end.
      if (!screen.look.inPlace || !keyboard.hasMore) area.change(before, draft);
    }
  }
}

function endOf(name: string, draft: Draft, manyLines: boolean): Typed['status'] | undefined {
  if (name === 'ctrl-c') return 'interrupted';
  if (name === 'escape') return 'back';
  if (name === 'ctrl-g' && manyLines) return 'editor';
  if (name === 'ctrl-d') return 'done';
  if (name !== 'enter') return undefined;
  if (!manyLines) return 'done';
  return draft.dropDot() ? 'done' : undefined;
}

/** Text and cursor, counted in what a reader takes for characters. */
class Draft {
  #before: string[];
  #after: string[] = [];

  constructor(text: string) {
    this.#before = split(text);
  }

  get text(): string {
    return [...this.#before, ...this.#after].join('');
  }

  get beforeCursor(): string {
    return this.#before.join('');
  }

  /** Takes away a last line that is nothing but a dot, where the cursor stands behind it. */
  dropDot(): boolean {
    if (this.#after.length > 0 || this.#before.at(-1) !== '.') return false;
    const above = this.#before.at(-2);
    if (above !== undefined && above !== '\n') return false;
    this.#before.splice(above === undefined ? -1 : -2);
    return true;
  }

  press(name: string, text: string | undefined): void {
    if (text !== undefined) this.#insert(text);
    else if (['enter', 'newline', 'alt-enter'].includes(name)) this.#insert('\n');
    else if (name === 'tab') this.#insert('\t');
    else if (name === 'backspace') this.#before.pop();
    else if (name === 'delete') this.#after.shift();
    else if (name === 'left') this.#left();
    else if (name === 'right') this.#right();
    else if (name === 'home' || name === 'ctrl-a')
      while (this.#before.length > 0 && this.#before.at(-1) !== '\n') this.#left();
    else if (name === 'end' || name === 'ctrl-e')
      while (this.#after.length > 0 && this.#after[0] !== '\n') this.#right();
    else if (name === 'ctrl-u')
      while (this.#before.length > 0 && this.#before.at(-1) !== '\n') this.#before.pop();
    else if (name === 'ctrl-w') this.#dropWord();
  }

  #insert(text: string): void {
    // A mark may belong to the character before it.
    const last = this.#before.pop() ?? '';
    this.#before = this.#before.concat(split(last + text));
  }

  #left(): void {
    const moved = this.#before.pop();
    if (moved !== undefined) this.#after.unshift(moved);
  }

  #right(): void {
    const moved = this.#after.shift();
    if (moved !== undefined) this.#before.push(moved);
  }

  #dropWord(): void {
    while (this.#before.at(-1) === ' ') this.#before.pop();
    while (this.#before.length > 0 && !/\s/.test(this.#before.at(-1)!)) this.#before.pop();
  }
}

let graphemes: Intl.Segmenter | undefined;

function split(text: string): string[] {
  graphemes ??= new Intl.Segmenter();
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** How a text area is drawn: whole in place, or, where that cannot be, by echoing what is typed. */
class Area {
  readonly #screen: Screen;
  readonly #options: TextAreaOptions;

  constructor(screen: Screen, options: TextAreaOptions) {
    this.#screen = screen;
    this.#options = options;
  }

  draw(draft: Draft): void {
    const { look, width, height } = this.#screen;
    const paint = (line: Line) => layOut(line, width).map((row) => paintRow(row, look));
    const head = paint(
      prose([
        { text: this.#options.title, style: 'strong' },
        { text: `  ${this.#options.keys}`, style: 'dim' },
      ]),
    ).slice(0, Math.max(1, height - 3));
    const typed = draft.text.split('\n').flatMap((line) => layOut(this.#line(line), width));
    const above = draft.beforeCursor.split('\n').flatMap((line) => layOut(this.#line(line), width));
    let row = above.length - 1;
    let column = spanWidth(above[row]!);
    if (column >= width) {
      row++;
      column = spanWidth(this.#gutter());
      if (typed.length === row) typed.push(this.#gutter());
    }
    // Of a text taller than the screen, the part around the cursor.
    const room = Math.max(1, height - head.length - 1);
    const from = Math.max(0, Math.min(row - room + 1, typed.length - room));
    const rows = typed.slice(from, from + room).map((spans) => paintRow(spans, look));
    this.#screen.drawFoot([...head, ...rows], { row: head.length + row - from, column });
  }

  change(before: string, draft: Draft): void {
    const screen = this.#screen;
    if (screen.look.inPlace) {
      this.draw(draft);
      return;
    }
    const now = draft.text;
    if (now.startsWith(before)) screen.echo(this.#echo(now.slice(before.length)));
    else if (now.length < before.length) screen.echo('\b \b');
  }

  #echo(text: string): string {
    const { look } = this.#screen;
    return text
      .split('\n')
      .map((line) =>
        foreign(line, look)
          .map((span) => span.text)
          .join(''),
      )
      .join(`\n  ${look.glyphs.gutter} `);
  }

  #line(text: string): Line {
    const lead = this.#gutter();
    return { lead, more: lead, spans: foreign(text, this.#screen.look), wrap: 'cells' };
  }

  #gutter(): Span[] {
    return [{ text: `  ${this.#screen.look.glyphs.gutter} `, style: 'accent' }];
  }
}
