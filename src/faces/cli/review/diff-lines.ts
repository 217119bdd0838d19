import { structuredPatch } from 'diff';
import { foreign, type Line, leads, type Span, splitText } from '../terminal/line.js';
import type { Look, Style } from '../terminal/look.js';

/** Two texts with little in common take long to compare, and their diff helps no reader. */
const PATIENCE_MS = 1000;
const CONTEXT = 3;
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

type Hunk = { rows: Row[]; note?: string };

export interface DiffSize {
  added: number;
  removed: number;
}

/** A unified difference as lines: signs as well as colours, every row behind our gutter. */
export function diffLines(before: string, after: string, look: Look, width: number): Line[] {
  const hunks = findHunks(before, after);
  const rows = hunks.flatMap((hunk) => hunk.rows);
  const widest = rows.reduce((most, { before: old, after: now }) => Math.max(most, old ?? 0, now ?? 0), 0);
  const digits = width < NUMBERS_FROM ? 0 : String(widest).length;
  return hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [gapLine(look, digits)]),
    ...hunk.rows.map((row) => rowLine(row, look, digits)),
    ...(hunk.note === undefined ? [] : [noteLine(hunk.note, look, digits)]),
  ]);
}

export function measureDiff(before: string, after: string): DiffSize {
  const size = { added: 0, removed: 0 };
  for (const { sign } of findHunks(before, after).flatMap(({ rows }) => rows)) {
    if (sign === '+') size.added++;
    else if (sign === '-') size.removed++;
  }
  return size;
}

/** Every line of a new text, numbered. */
export function contentLines(text: string, look: Look, width: number, style?: Style): Line[] {
  const lines = splitText(withoutCrlf(text) ?? text);
  const digits = width < NUMBERS_FROM ? 0 : String(lines.length).length;
  return lines.map((line, at) => ({
    ...leads(look, digits === 0 ? '' : String(at + 1).padStart(digits), ''),
    spans: foreign(line, look, { style }),
    wrap: 'cells',
  }));
}

/** The text with plain newlines where all its lines end in CRLF: then that is one fact, and not one on every line. */
export function withoutCrlf(text: string): string | undefined {
  if (!text.includes('\r\n')) return undefined;
  const plain = text.replaceAll('\r\n', '\n');
  return plain.includes('\r') || plain.split('\n').length !== text.split('\r\n').length ? undefined : plain;
}

let last: { before: string; after: string; hunks: Hunk[] } | undefined;

/** The last one is kept: a question is drawn again with every change of the screen's size. */
function findHunks(before: string, after: string): Hunk[] {
  if (last?.before === before && last.after === after) return last.hunks;
  const plainBefore = withoutCrlf(before);
  const plainAfter = withoutCrlf(after);
  const hunks =
    plainBefore !== undefined && plainAfter !== undefined
      ? compare(plainBefore, plainAfter)
      : compare(before, after);
  last = { before, after, hunks };
  return hunks;
}

function compare(before: string, after: string): Hunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT,
    timeout: PATIENCE_MS,
  });
  if (patch === undefined) return [replaceAll(before, after)];
  return patch.hunks.map(({ oldStart, newStart, lines }) => readHunk(oldStart, newStart, lines));
}

function readHunk(oldStart: number, newStart: number, lines: readonly string[]): Hunk {
  const hunk: Hunk = { rows: [] };
  let before = oldStart;
  let after = newStart;
  for (const line of lines) {
    const text = line.slice(1);
    if (line[0] === '-') hunk.rows.push({ sign: '-', before: before++, after: null, text });
    else if (line[0] === '+') hunk.rows.push({ sign: '+', before: null, after: after++, text });
    else if (line[0] === ' ') hunk.rows.push({ sign: ' ', before: before++, after: after++, text });
    else if (hunk.rows.at(-1)?.sign === '-') hunk.note = 'There was no newline at the end of the file.';
    else hunk.note = 'There is no newline at the end of the file.';
  }
  markParts(hunk.rows);
  return hunk;
}

function replaceAll(before: string, after: string): Hunk {
  return {
    rows: [
      ...splitText(before).map((text, at): Row => ({ sign: '-', before: at + 1, after: null, text })),
      ...splitText(after).map((text, at): Row => ({ sign: '+', before: null, after: at + 1, text })),
    ],
    note: 'Too much differs to show line by line: all old lines, then all new ones.',
  };
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
