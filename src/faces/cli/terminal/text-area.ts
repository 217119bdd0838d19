import { splitsPair } from '../../../core/text.js';
import { foreign, type Line, layOut, paintRow, prose, type Span, spanWidth } from './line.js';
import type { Panel } from './panel.js';
import type { Screen } from './screen.js';

interface TextAreaOptions {
  title: string;
  /** Labels for Enter and Esc, default 'send' and 'back'. Null disables Esc. */
  enter?: string;
  esc?: string | null;
  text?: string;
  /** Earlier messages, oldest first, for Up and Down. */
  history?: readonly string[];
  /** For a name or a number: hides the key for a new line. */
  oneLine?: boolean;
  /** Ctrl-G opens an editor. */
  hasEditor?: boolean;
  /** The panel above, redrawn with the screen. */
  above?: Panel;
  /** Called after every change. */
  onChange?(text: string): void;
}

/** `text` is complete, whichever key ended the input. */
export interface TypedText {
  status: 'done' | 'back' | 'editor' | 'interrupted' | 'ended';
  text: string;
}

/**
 * The only text input. Enter or Ctrl-D sends, Ctrl-J or Alt-Enter inserts a line break, Esc goes back; pasted
 * text keeps its line breaks and never sends.
 */
export async function typeText(screen: Screen, options: TextAreaOptions): Promise<TypedText> {
  const { keyboard } = screen;
  const draft = new Draft(options.text ?? '');
  const history = new History(options.history ?? []);
  const area = new Area(screen, options);
  let shown = draft.text;
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
    const end = endOf(name, options);
    if (end !== undefined) {
      screen.clearFoot();
      return { status: end, text: draft.text };
    }
    if (name === 'ctrl-z') {
      keyboard.suspend();
      continue;
    }
    const recalled = draft.press(name, text) ? undefined : history.recall(name, draft.text);
    if (recalled !== undefined) draft.replace(recalled);
    // Once for all keys that are waiting: a paste that is not marked comes as so many keys.
    if (screen.look.inPlace && keyboard.hasMore) continue;
    const before = shown;
    shown = draft.text;
    if (shown !== before) options.onChange?.(shown);
    if (recalled === undefined) area.change(before, draft);
    else area.draw(draft);
  }
}

const ENDS: Readonly<Record<string, TypedText['status']>> = {
  enter: 'done',
  'ctrl-d': 'done',
  escape: 'back',
  'ctrl-g': 'editor',
  'ctrl-c': 'interrupted',
};

function endOf(key: string, { hasEditor, esc }: TextAreaOptions): TypedText['status'] | undefined {
  const end = ENDS[key];
  if ((end === 'editor' && !hasEditor) || (end === 'back' && esc === null)) return undefined;
  return end;
}

/** Earlier texts; the current one is the newest and is restored unchanged. */
class History {
  readonly #texts: string[];
  #at: number;

  constructor(sent: readonly string[]) {
    this.#texts = [...sent, ''];
    this.#at = sent.length;
  }

  recall(key: string, typed: string): string | undefined {
    const next = this.#at + (key === 'up' ? -1 : 1);
    if ((key !== 'up' && key !== 'down') || this.#texts[next] === undefined) return undefined;
    this.#texts[this.#at] = typed;
    this.#at = next;
    return this.#texts[next];
  }
}

/** Text and cursor in graphemes. */
class Draft {
  #before: string[];
  #after: string[] = [];

  constructor(text: string) {
    this.#before = split(text);
  }

  get text(): string {
    return [...this.#before, ...this.#after].join('');
  }

  /** So many lines before and after the cursor's, the text before and behind the cursor. */
  around(lines: number): { before: string; after: string } {
    let from = this.#before.length;
    for (let left = lines; from > 0 && (this.#before[from - 1] !== '\n' || left-- > 0); from--);
    let to = 0;
    for (let left = lines; to < this.#after.length && (this.#after[to] !== '\n' || left-- > 0); to++);
    return { before: this.#before.slice(from).join(''), after: this.#after.slice(0, to).join('') };
  }

  replace(text: string): void {
    this.#before = split(text);
    this.#after = [];
  }

  /** Returns false if the key has no effect: Up in the first line, Down in the last. */
  press(name: string, text: string | undefined): boolean {
    if (name === 'up' || name === 'down') return this.#moveLine(name);
    if (text !== undefined) this.#insert(text);
    else if (name === 'newline' || name === 'alt-enter') this.#insert('\n');
    else if (name === 'tab') this.#insert('\t');
    else if (name === 'backspace') this.#before.pop();
    else if (name === 'delete') this.#after.shift();
    else if (name === 'left') this.#left();
    else if (name === 'right') this.#right();
    else if (name === 'home' || name === 'ctrl-a') this.#toLineStart();
    else if (name === 'end' || name === 'ctrl-e')
      while (this.#after.length > 0 && this.#after[0] !== '\n') this.#right();
    else if (name === 'ctrl-u')
      while (this.#before.length > 0 && this.#before.at(-1) !== '\n') this.#before.pop();
    else if (name === 'ctrl-k') while (this.#after.length > 0 && this.#after[0] !== '\n') this.#after.shift();
    else if (name === 'ctrl-w') this.#dropWord();
    return true;
  }

  #moveLine(direction: 'up' | 'down'): boolean {
    const column = this.#before.length - 1 - this.#before.lastIndexOf('\n');
    if (direction === 'up') {
      if (!this.#before.includes('\n')) return false;
      this.#toLineStart();
      this.#left();
      this.#toLineStart();
    } else {
      if (!this.#after.includes('\n')) return false;
      while (this.#after[0] !== '\n') this.#right();
      this.#right();
    }
    for (let i = 0; i < column && this.#after.length > 0 && this.#after[0] !== '\n'; i++) this.#right();
    return true;
  }

  #toLineStart(): void {
    while (this.#before.length > 0 && this.#before.at(-1) !== '\n') this.#left();
  }

  #insert(text: string): void {
    // A combining mark may belong to the previous character.
    const last = this.#before.pop() ?? '';
    for (const grapheme of split(last + text)) this.#before.push(grapheme);
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

/** The engine's time grows with the square of a text's length. */
const PIECE = 200;

function split(text: string): string[] {
  graphemes ??= new Intl.Segmenter();
  const all: string[] = [];
  for (let at = 0; at < text.length; ) {
    const whole = at + PIECE >= text.length;
    const end = at + PIECE - (splitsPair(text, at + PIECE) ? 1 : 0);
    const parts = Array.from(graphemes.segment(text.slice(at, end)), ({ segment }) => segment);
    // The last one may continue in the next piece.
    if (!whole && parts.length > 1) parts.pop();
    for (const part of parts) {
      all.push(part);
      at += part.length;
    }
  }
  return all;
}

/** Draws the text area in place, or echoes input on a terminal that cannot redraw. */
class Area {
  readonly #screen: Screen;
  readonly #options: TextAreaOptions;

  constructor(screen: Screen, options: TextAreaOptions) {
    this.#screen = screen;
    this.#options = options;
  }

  draw(draft: Draft): void {
    const { look, width, height } = this.#screen;
    const paint = (line: Line) =>
      layOut(line, width).map((row) => paintRow(row, look).replaceAll('\u00a0', ' '));
    const head = paint(
      prose([
        { text: this.#options.title, style: 'strong' },
        { text: `  ${this.#keys()}`, style: 'dim' },
      ]),
    ).slice(0, Math.max(1, height - 3));
    // No more lines than rows can be seen on either side of the cursor.
    const { before, after } = draft.around(height);
    const rowsOfText = (text: string) => text.split('\n').flatMap((line) => layOut(this.#line(line), width));
    const typed = rowsOfText(before + after);
    const above = rowsOfText(before);
    let row = above.length - 1;
    let column = spanWidth(above[row]!);
    if (column >= width) {
      row++;
      column = spanWidth(this.#gutter());
      if (typed.length === row) typed.push(this.#gutter(look.glyphs.more));
    }
    // Only the part around the cursor fits.
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

  #keys(): string {
    const { enter = 'send', esc = 'back', hasEditor, oneLine } = this.#options;
    const editor = hasEditor ? ['Ctrl-G: editor'] : [];
    const back = esc === null ? [] : [`Esc: ${esc}`];
    const line = oneLine ? [] : ['Ctrl-J: new line'];
    // Keeps a key and its label on one row.
    return [`Enter: ${enter}`, ...line, ...editor, ...back]
      .map((key) => key.replaceAll(' ', '\u00a0'))
      .join('\u00a0 ');
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
    const more = this.#gutter(this.#screen.look.glyphs.more);
    return { lead, more, spans: foreign(text, this.#screen.look), wrap: 'cells' };
  }

  #gutter(glyph = this.#screen.look.glyphs.gutter): Span[] {
    return [{ text: `  ${glyph} `, style: 'accent' }];
  }
}
