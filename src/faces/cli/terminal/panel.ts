import { plural } from '../words.js';
import { foreign, type Line, layOut, paintRow, prose, type Span, say } from './line.js';
import { page, Seen } from './pager.js';
import type { Screen } from './screen.js';

export interface Choice {
  key: string;
  label: string;
  /** The displayed name of the key, if it differs. */
  shown?: string;
  /** Approves the content; the prompt then shows how many lines were not seen. */
  consents?: boolean;
  /** Listed only in the help. */
  quiet?: boolean;
  /** Aliases of the key. */
  also?: readonly string[];
}

interface PanelOptions {
  build(width: number): Line[];
  choices: readonly Choice[];
  help?(width: number): Line[];
  /** Prints everything, even if the top scrolls away. */
  scrolls?: boolean;
  /** The full content for the view key, if the panel is only a summary. */
  whole?(width: number): Line[];
  /** Offers the view key even if everything is visible. */
  alwaysView?: boolean;
}

/** Below this height, keys are shown without labels. */
const ROOMY = 9;
/** Below this width, keys are shown without labels. */
const NARROW = 40;
/** From this height on, blank rows surround the content. */
const AIRY = 16;

/** Content and the keys that answer it. */
export class Panel {
  readonly #screen: Screen;
  readonly #options: PanelOptions;
  readonly #seen = new Seen();
  #total = 0;
  #shown = false;

  constructor(screen: Screen, options: PanelOptions) {
    this.#screen = screen;
    this.#options = options;
  }

  /** The next `show` prints the content again. */
  hide(): void {
    this.#shown = false;
  }

  /** Shows the content without keys. Drops earlier input. */
  async show(): Promise<void> {
    if (!this.#shown) this.#print();
    await this.#screen.keyboard.quieten();
  }

  /** Returns the key of a choice, 'ctrl-c', or 'ended' if the terminal is gone. Drops earlier input. */
  async ask(hint?: Line): Promise<string> {
    const { keyboard } = this.#screen;
    let note = hint;
    for (;;) {
      await this.show();
      for (;;) {
        this.#drawFoot(note);
        note = undefined;
        const input = await keyboard.answer();
        if (input.kind === 'ended') return 'ended';
        if (input.kind === 'redraw') {
          this.redraw();
          continue;
        }
        if (input.kind === 'burst') {
          note = say('Ignored: several keys at once. Press a single key.', 'flag');
          continue;
        }
        const { name } = input.key;
        if (name === 'ctrl-c') return name;
        if (name === 'ctrl-z') keyboard.suspend();
        else if (name === 'ctrl-l') this.redraw();
        else if (name === 'v' || (name === '?' && this.#options.help !== undefined)) {
          const end = await this.#view(name === 'v' ? 'all' : 'help');
          if (end !== 'read') return end === 'ended' ? 'ended' : 'ctrl-c';
          break;
        } else {
          const choice = this.#options.choices.find(({ key, also }) => key === name || also?.includes(name));
          if (choice !== undefined) return choice.key;
          note = this.#explain(name);
        }
      }
    }
  }

  #print(): void {
    const screen = this.#screen;
    const lines = this.#options.build(screen.width);
    this.#total = lines.length;
    this.#shown = true;
    // Blank rows if there is room, and one spare row for a hint.
    const air = screen.height < AIRY ? [] : [''];
    const hint = screen.height < ROOMY ? 0 : 1;
    const room = Math.max(1, screen.height - this.#footRows().length - hint - 2 * air.length);
    const budget = this.#options.scrolls ? Number.POSITIVE_INFINITY : room;
    screen.ask([...air, ...this.#fit(lines, budget), ...air]);
  }

  /** Redraws after the screen has changed. */
  redraw(): void {
    const screen = this.#screen;
    screen.redraw();
    this.#print();
  }

  async #view(what: 'all' | 'help') {
    const screen = this.#screen;
    const { build, help, whole } = this.#options;
    screen.clearFoot();
    const end = await (what === 'help' && help !== undefined
      ? page(screen, help)
      : whole === undefined
        ? page(screen, build, this.#seen)
        : page(screen, whole));
    this.#shown = screen.endPaging();
    return end;
  }

  /** As many rows as fit; the last one counts the rest. */
  #fit(lines: readonly Line[], budget: number): string[] {
    const { look, width } = this.#screen;
    const rows: string[] = [];
    const ends: number[] = [];
    for (let at = 0; at < lines.length && rows.length <= budget; at++) {
      rows.push(...layOut(lines[at]!, width).map((row) => paintRow(row, look)));
      ends.push(rows.length);
    }
    const room = ends.length === lines.length && rows.length <= budget ? budget : budget - 1;
    const whole = ends.filter((end) => end <= room).length;
    for (let at = 0; at < whole; at++) this.#seen.add(at);
    if (room === budget) return rows;
    const shown = rows.slice(0, room);
    const part = shown.length > (ends[whole - 1] ?? 0);
    return [...shown, this.#moreRow(lines.length - whole - (part ? 1 : 0), part)];
  }

  #moreRow(more: number, part: boolean): string {
    const { look, width } = this.#screen;
    const { dots } = look.glyphs;
    const rest = part ? 'rest of this line' : '';
    const full = [rest && `the ${rest}`, more > 0 ? plural(more, 'more line') : '']
      .filter(Boolean)
      .join(' and ');
    const long = `  ${dots} ${full}; v shows all`;
    const short = `${dots} ${more + (part ? 1 : 0)} more; v`;
    return look.paint('flag', [...long].length <= width ? long : short);
  }

  #drawFoot(hint: Line | undefined): void {
    this.#screen.drawFoot(this.#footRows(hint));
  }

  #footRows(hint?: Line): string[] {
    const { look, width, height } = this.#screen;
    const lay = (line: Line) =>
      layOut(line, width).map((row) => paintRow(row, look).replaceAll('\u00a0', ' '));
    const hints = hint === undefined ? [] : lay(hint).slice(0, Math.max(1, height - 2));
    const full = lay(this.#keysLine(true));
    const cramped = height < ROOMY || width < NARROW || full.length > height / 3;
    const keys = cramped ? lay(this.#keysLine(false)).slice(0, 2) : full;
    return [...hints, ...keys];
  }

  #keysLine(withLabels: boolean): Line {
    const unseen = this.#seen.countUnseen(this.#total);
    const spans: Span[] = [];
    const add = (key: string, label: string, style?: Span['style']) => {
      if (spans.length > 0) spans.push({ text: withLabels ? '\u00a0 ' : ' ' });
      spans.push({ text: key, style: 'title' });
      // A label and its key stay on one row.
      if (label !== '') spans.push({ text: `\u00a0${label.replaceAll(' ', '\u00a0')}`, style });
    };
    for (const { key, shown = key, label, consents, quiet } of this.#options.choices) {
      if (quiet) continue;
      const missing = consents && unseen > 0;
      if (missing)
        add(shown, withLabels ? `${label} (${plural(unseen, 'line')} unseen)` : `(${unseen} unseen)`, 'flag');
      else add(shown, withLabels ? label : '');
    }
    if (this.#offersView()) add('v', withLabels ? 'view all' : '');
    if (this.#options.help !== undefined) add('?', withLabels ? 'help' : '');
    spans.push({ text: ' ' });
    return prose(spans, withLabels ? 1 : 0);
  }

  #offersView(): boolean {
    return this.#options.alwaysView === true || this.#seen.countUnseen(this.#total) > 0;
  }

  #explain(name: string): Line {
    const { look } = this.#screen;
    const keys = this.#options.choices
      .filter(({ quiet }) => !quiet)
      .map(({ key, shown }) => shown ?? key)
      .concat(this.#offersView() ? ['v'] : [], this.#options.help === undefined ? [] : ['?'])
      .join(', ');
    if (name === 'ctrl-d') return say('Ctrl-D does nothing here; q quits.', 'flag');
    const known = [...name].length === 1 ? foreign(name, look, { style: 'flag' }) : [];
    return prose([
      ...known,
      {
        text: `${known.length > 0 ? ' is not one of the keys' : 'That is not one of the keys'}: ${keys}.`,
        style: 'flag',
      },
    ]);
  }
}
