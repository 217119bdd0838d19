import { diffHunks, type Hunk } from '../../../core/changeset/hunks.js';
import { foreign, type Line, leads, type Span, splitText } from '../terminal/line.js';
import type { Look, Style } from '../terminal/look.js';
import { SyntaxColours } from './syntax.js';

/** Below this many columns there is no room for numbers. */
const NUMBERS_FROM = 50;

interface Row {
  sign: '+' | '-' | ' ';
  /** Number in the old or the new text; null where it has none. */
  before: number | null;
  after: number | null;
  text: string;
  /** The part that differs from its counterpart, as offsets. */
  changed?: readonly [from: number, to: number];
}

/** Rows without a gap between them. */
type Section = { rows: Row[]; note?: string };

/** What a file would become. */
export interface DiffedFile {
  path: string;
  before: string;
  after: string;
}

export interface DiffSize {
  added: number;
  removed: number;
}

/** A unified diff: signs as well as colours, every row behind our gutter. */
export function diffLines(change: DiffedFile, look: Look, width: number): Line[] {
  return hunkLines(findHunks(change), change, look, width);
}

/** Some of a change's hunks, as a diff. */
export function hunkLines(hunks: readonly Hunk[], change: DiffedFile, look: Look, width: number): Line[] {
  const sections = joinHunks(hunks, isCrlf(change));
  const numbers = sections.flatMap(({ rows }) =>
    rows.flatMap(({ before, after }) => [before ?? 0, after ?? 0]),
  );
  const widest = numbers.reduce((most, number) => Math.max(most, number), 0);
  const digits = width < NUMBERS_FROM ? 0 : String(widest).length;
  return sections.flatMap((section, at) => [
    ...(at === 0 ? [] : [gapLine(look, digits)]),
    ...sectionLines(section, change.path, look, digits),
    ...(section.note === undefined ? [] : [noteLine(section.note, look, digits)]),
  ]);
}

export function measureDiff(change: DiffedFile): DiffSize {
  const size = { added: 0, removed: 0 };
  for (const { before, after } of findHunks(change)) {
    size.added += after.count;
    size.removed += before.count;
  }
  return size;
}

/** Every line of a new text, numbered. */
export function contentLines(text: string, path: string, look: Look, width: number): Line[] {
  const lines = splitText(withoutCrlf(text) ?? text);
  const digits = width < NUMBERS_FROM ? 0 : String(lines.length).length;
  const colours = new SyntaxColours(path);
  return lines.map((line, at) => ({
    ...leads(look, digits === 0 ? '' : String(at + 1).padStart(digits), ''),
    spans: colours.paint(line, foreign(line, look)),
    wrap: 'cells',
  }));
}

/** The text with plain newlines where all its lines end in CRLF: then that is one fact, and not one on every line. */
export function withoutCrlf(text: string): string | undefined {
  if (!text.includes('\r\n')) return undefined;
  const plain = text.replaceAll('\r\n', '\n');
  return plain.includes('\r') || plain.split('\n').length !== text.split('\r\n').length ? undefined : plain;
}

let last: { change: DiffedFile; hunks: Hunk[] } | undefined;

/** The last result is kept: a question is drawn again whenever the screen's size changes. */
export function findHunks(change: DiffedFile): Hunk[] {
  const { path, before, after } = change;
  if (last?.change.before !== before || last.change.after !== after || last.change.path !== path)
    last = { change, hunks: diffHunks(before, after, path) };
  return last.hunks;
}

/** Line endings are shown only where they differ from line to line. */
function isCrlf({ before, after }: DiffedFile): boolean {
  return withoutCrlf(before) !== undefined && withoutCrlf(after) !== undefined;
}

/** Hunks whose context meets are one section. */
function joinHunks(hunks: readonly Hunk[], crlf: boolean): Section[] {
  const sections: Section[] = [];
  let shown = -1;
  for (const { lines, before, after } of hunks) {
    const context = lines.findIndex((line) => !line.startsWith(' '));
    let old = before.start - context;
    let now = after.start - context;
    if (old > shown) sections.push({ rows: [] });
    const section = sections.at(-1)!;
    for (const line of lines) {
      const sign = line[0] as Row['sign'];
      const isShown = old < shown;
      const row = { sign, before: sign === '+' ? null : ++old, after: sign === '-' ? null : ++now };
      if (sign === ' ' && isShown) continue;
      section.rows.push({ ...row, text: line.slice(1).replace(crlf ? /\r?\n$/ : /\n$/, '') });
      if (!line.endsWith('\n')) section.note = describeEnd(sign);
    }
    shown = old;
  }
  for (const { rows } of sections) markParts(rows);
  return sections;
}

function describeEnd(sign: Row['sign']): string {
  return sign === '-'
    ? 'There was no newline at the end of the file.'
    : 'There is no newline at the end of the file.';
}

/** Where as many lines come as go, each is compared with its counterpart. */
function markParts(rows: Row[]): void {
  for (let at = 0; at < rows.length; ) {
    const minus = runOf(rows, at, '-');
    const plus = runOf(rows, at + minus, '+');
    if (minus > 0 && minus === plus) {
      for (let i = 0; i < minus; i++) markPair(rows[at + i]!, rows[at + minus + i]!);
    }
    at += Math.max(1, minus + plus);
  }
}

function runOf(rows: readonly Row[], from: number, sign: Row['sign']): number {
  let end = from;
  while (rows[end]?.sign === sign) end++;
  return end - from;
}

function markPair(old: Row, now: Row): void {
  const a = old.text;
  const b = now.text;
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  // Not between the halves of one character.
  if (/[\uD800-\uDBFF]/.test(a[head - 1] ?? '')) head--;
  if (/[\uDC00-\uDFFF]/.test(a[a.length - tail] ?? '')) tail--;
  if (head + tail < shorter / 3) return;
  old.changed = [head, a.length - tail];
  now.changed = [head, b.length - tail];
}

/** The old and the new text each have their own multi-line comments; what is above the section is not known. */
function sectionLines({ rows }: Section, path: string, look: Look, digits: number): Line[] {
  const old = new SyntaxColours(path);
  const now = new SyntaxColours(path);
  return rows.map((row) => {
    const line = rowLine(row, look, digits);
    if (row.sign === ' ') old.paint(row.text, line.spans);
    return { ...line, spans: (row.sign === '-' ? old : now).paint(row.text, line.spans) };
  });
}

function rowLine(row: Row, look: Look, digits: number): Line {
  const number = digits === 0 ? '' : `${numeral(row.before, digits)} ${numeral(row.after, digits)}`;
  const style = row.sign === '+' ? 'added' : row.sign === '-' ? 'removed' : undefined;
  return {
    ...leads(look, number, row.sign, style),
    spans: rowSpans(row, look, style),
    wrap: 'cells',
  };
}

function rowSpans({ sign, text, changed }: Row, look: Look, style: Style | undefined): Span[] {
  const spaces = sign !== ' ';
  if (changed === undefined || changed[0] === changed[1]) return foreign(text, look, { style, spaces });
  const part = sign === '+' ? 'addedPart' : 'removedPart';
  const [from, to] = changed;
  return [
    ...foreign(text.slice(0, from), look, { style, spaces: spaces && from === text.length }),
    ...foreign(text.slice(from, to), look, { style: part, spaces }),
    ...foreign(text.slice(to), look, { style, spaces }),
  ];
}

function numeral(value: number | null, digits: number): string {
  return (value === null ? '' : String(value)).padStart(digits);
}

function gapLine(look: Look, digits: number): Line {
  const blank = digits === 0 ? '' : ' '.repeat(2 * digits + 1);
  return {
    lead: [{ text: `  ${blank}${digits === 0 ? '' : ' '}${look.glyphs.dots}`, style: 'dim' }],
    more: [],
    spans: [],
    wrap: 'cells',
  };
}

function noteLine(note: string, look: Look, digits: number): Line {
  const { lead } = leads(look, digits === 0 ? '' : ' '.repeat(2 * digits + 1), '');
  return { lead, more: lead, spans: [{ text: `(${note})`, style: 'dim' }], wrap: 'words' };
}
