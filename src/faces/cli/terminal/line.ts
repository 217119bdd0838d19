import { codePointName } from '../../../core/text.js';
import type { Look, Style } from '../output.js';
import { visible } from '../output.js';

export interface Span {
  text: string;
  style?: Style | undefined;
}

/** A line of any length, which is wrapped to rows of the screen. */
export interface Line {
  /** The prefix of the first row: gutter, number, indent. */
  lead: readonly Span[];
  /** The prefix of the other rows, so that foreign text never starts in teddy's own column. */
  more: readonly Span[];
  spans: readonly Span[];
  /** Prose breaks between words, code at any cell. */
  wrap: 'words' | 'cells';
}

/** Combining marks allowed on one character; more would overlap other lines. */
const MARKS = 4;
const TAB = 4;

/** A line of teddy's own text. */
export function say(text: string, style?: Style, indent = 2): Line {
  return prose([{ text, style }], indent);
}

export function prose(spans: readonly Span[], indent = 2, hanging = indent): Line {
  return {
    lead: [{ text: ' '.repeat(indent) }],
    more: [{ text: ' '.repeat(hanging) }],
    spans,
    wrap: 'words',
  };
}

/** A horizontal rule with a title. */
export function ruleLine(title: string, look: Look, width: number): Line {
  const { rule } = look.glyphs;
  const tail = Math.max(0, width - textWidth(title) - 4);
  return {
    lead: [{ text: `${rule.repeat(2)} `, style: 'dim' }],
    more: [{ text: '   ' }],
    spans: [
      { text: title, style: 'title' },
      { text: tail === 0 ? '' : ` ${rule.repeat(tail)}`, style: 'dim' },
    ],
    wrap: 'words',
  };
}

export const BLANK: Line = { lead: [], more: [], spans: [], wrap: 'words' };

interface ForeignOptions {
  style?: Style | undefined;
  /** Makes tabs and trailing spaces visible. */
  spaces?: boolean;
}

/** One line of foreign text, made safe: nothing affects the terminal, and nothing is omitted. */
export function foreign(text: string, look: Look, { style, spaces = false }: ForeignOptions = {}): Span[] {
  if (/^[ -~]*$/.test(text) && !text.endsWith(' ')) return [{ text, style }];
  const shown = look.foreignCharset ? escapeAll(visible(text)) : visible(text);
  // If the text itself contains <U+…>, none is highlighted, so that it cannot imitate an escape.
  const parts = text.includes('<U+') ? [shown] : shown.split(/(<U\+[0-9A-F]{4,6}>)/);
  const spans = parts
    .filter((part) => part !== '')
    .map((part): Span => ({ text: part, style: /^<U\+/.test(part) && parts.length > 1 ? 'hidden' : style }));
  return spaces ? spans.flatMap((span, at) => showSpaces(span, at === spans.length - 1, look)) : spans;
}

/** Foreign text that must stay on one line; newlines are escaped. */
export function foreignLine(text: string, look: Look, style?: Style): Span[] {
  return text
    .split('\n')
    .flatMap((part, at): Span[] => [
      ...(at === 0 ? [] : [{ text: '<U+000A>', style: 'hidden' as const }]),
      ...foreign(part, look, { style }),
    ]);
}

function escapeAll(text: string): string {
  return text.replace(/[^\n\t -~]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `<${codePointName(character)}>`;
}

function showSpaces({ text, style }: Span, last: boolean, { glyphs }: Look): Span[] {
  if (style === 'hidden') return [{ text, style }];
  const body = last ? text.replace(/ +$/, '') : text;
  const spans = body
    .split(/(\t)/)
    .filter((part) => part !== '')
    .map((part): Span => (part === '\t' ? { text: `${glyphs.tab}\t`, style: 'dim' } : { text: part, style }));
  const trailing = text.length - body.length;
  return trailing === 0 ? spans : [...spans, { text: glyphs.space.repeat(trailing), style: 'hidden' }];
}

/** A character with its combining marks. */
interface Cell {
  text: string;
  width: number;
  style: Style | undefined;
}

/** Whether the lines have at most so many rows. */
export function fits(lines: readonly Line[], width: number, rows: number): boolean {
  let left = rows;
  return lines.every((line) => {
    left -= layOut(line, width).length;
    return left >= 0;
  });
}

/** Wraps a line to rows of at most `width` cells. */
export function layOut(line: Line, width: number): Span[][] {
  if (line.spans.every(({ text }) => /^[ -~]*$/.test(text))) {
    const length = line.spans.reduce((sum, { text }) => sum + text.length, 0);
    if (spanWidth(line.lead) + length <= width) return [[...line.lead, ...joinSpans(line.spans)]];
  }
  const rows: Span[][] = [];
  const cells = toCells(line.spans);
  for (let at = 0; at < cells.length || rows.length === 0; ) {
    const lead = rows.length === 0 ? line.lead : line.more;
    const room = Math.max(2, width - spanWidth(lead));
    const { end, next } = line.wrap === 'words' ? breakWords(cells, at, room) : breakCells(cells, at, room);
    rows.push([...lead, ...joinSpans(cells.slice(at, end))]);
    at = next;
  }
  return rows;
}

function toCells(spans: readonly Span[]): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  let marks = MARKS;
  for (const { text, style } of spans) {
    for (const character of text) {
      const under = cells.at(-1);
      if (character === '\t') {
        const width = TAB - (column % TAB);
        for (let i = 0; i < width; i++) cells.push({ text: ' ', width: 1, style });
        column += width;
        marks = MARKS;
      } else if (isMark(character)) {
        if (under !== undefined && marks < MARKS && mayBearMarks(under.text)) {
          under.text += character;
          // A variation selector makes some symbols wide.
          if (character === '\uFE0F') under.width = 2;
          marks++;
        } else {
          for (const sign of escapeCharacter(character))
            cells.push({ text: sign, width: 1, style: 'hidden' });
        }
      } else {
        const width = charWidth(character);
        cells.push({ text: character, width, style });
        column += width;
        marks = 0;
      }
    }
  }
  return cells;
}

function breakCells(cells: readonly Cell[], from: number, room: number): { end: number; next: number } {
  let end = from;
  let used = 0;
  while (end < cells.length && used + cells[end]!.width <= room) used += cells[end++]!.width;
  if (end === from && end < cells.length) end++;
  return { end, next: end };
}

function breakWords(cells: readonly Cell[], from: number, room: number): { end: number; next: number } {
  const { end } = breakCells(cells, from, room);
  if (end === cells.length) return { end, next: end };
  let space = end;
  while (space > from && cells[space]!.text !== ' ') space--;
  if (space === from) return { end, next: end };
  return { end: space, next: space + 1 };
}

/** Neighbours of the same style are one. */
function joinSpans(parts: readonly Span[]): Span[] {
  const spans: Span[] = [];
  for (const { text, style } of parts) {
    const last = spans.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else if (text !== '') spans.push({ text, style });
  }
  return spans;
}

export function spanWidth(spans: readonly Span[]): number {
  return spans.reduce((width, { text }) => width + textWidth(text), 0);
}

export function paintRow(row: readonly Span[], look: Look): string {
  return row.map(({ text, style }) => look.paint(style, text)).join('');
}

export function rowsOf(lines: readonly Line[], width: number, look: Look): string[] {
  return lines.flatMap((line) => layOut(line, width).map((row) => paintRow(row, look)));
}

export function splitText(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** The prefixes of foreign text: number, gutter, sign. */
export function leads(
  { glyphs }: Look,
  number: string,
  sign: string,
  style?: Style,
  gutter = glyphs.gutter,
): Pick<Line, 'lead' | 'more'> {
  const before = number === '' ? '  ' : `  ${number} `;
  const signs = (text: string): Span[] => (sign === '' ? [] : [{ text, style }]);
  return {
    lead: [
      { text: before, style: 'dim' },
      { text: gutter, style: 'dim' },
      ...(sign === '' ? [{ text: ' ' }] : signs(sign)),
    ],
    more: [
      { text: ' '.repeat(before.length), style: 'dim' },
      { text: glyphs.more, style: 'dim' },
      ...(sign === '' ? [{ text: ' ' }] : signs(sign)),
    ],
  };
}

/** Ranges of double-width characters (East Asian wide and fullwidth). Emoji have a property of their own. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/**
 * The width of a character in cells. Where terminals differ, the larger one: wrapping too early is harmless,
 * but a row that overflows shifts everything below it.
 */
function charWidth(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (isMark(character)) return 0;
  if (WIDE.some(([from, to]) => code >= from && code <= to)) return 2;
  return /^[\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}]/u.test(character) ? 2 : 1;
}

/** On a symbol such as = or /, a mark would form another symbol. */
function mayBearMarks(text: string): boolean {
  return /^[\p{L}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u.test(text);
}

/** Whether a character combines with the previous one. */
function isMark(character: string): boolean {
  return character.codePointAt(0)! >= 0x300 && /^(?:[\p{Mn}\p{Me}]|\u200D)/u.test(character);
}

/** The longest prefix that fits into `width` cells. */
export function cutToWidth(text: string, width: number): string {
  let left = width;
  let end = 0;
  for (const character of text) {
    left -= charWidth(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += charWidth(character);
  return width;
}

/** Labels in a column of their own, or on a line of their own on a narrow screen. */
export function labelled(
  facts: readonly (readonly [label: string, values: readonly string[]])[],
  look: Look,
  width: number,
): Line[] {
  const column = width < 40 ? 0 : Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  return facts.flatMap(([label, values]) =>
    values.map((value, at): Line => {
      const name = at > 0 ? '' : label;
      const indent = { text: ' '.repeat(column === 0 ? 4 : 2 + column) };
      return {
        lead:
          column === 0
            ? [{ text: at > 0 ? '    ' : `  ${name}: `, style: 'dim' }]
            : [{ text: `  ${name.padEnd(column)}`, style: 'dim' }],
        more: [indent],
        spans: foreignLine(value, look),
        wrap: 'words',
      };
    }),
  );
}
