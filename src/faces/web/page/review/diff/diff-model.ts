import {
  type DiffedFile,
  type DiffRow,
  describeMissingNewline,
  isCrlf,
  markParts,
  withoutCrlf,
} from '../../../../../core/changeset/diff-rows.js';
import { diffHunks, type Hunk } from '../../../../../core/changeset/hunks.js';
import { SyntaxReader, type Token } from '../../../../../core/syntax.js';
import type { ProposedText } from '../../../../../review/question.js';

// A change as rows of the whole file, and what is shown of them. No document, no browser: only lines and numbers.

export interface ModelRow extends DiffRow {
  /** Which hunk it is part of; null for an unchanged row. */
  hunk: number | null;
  /** What to say below it. */
  note?: string;
}

export interface DiffModel {
  rows: ModelRow[];
  hunks: readonly Hunk[];
  /** Every line of both texts ends in CRLF: one fact, and not one on every line. */
  crlf: boolean;
  added: number;
  removed: number;
  /** The longest row, in characters. */
  longest: number;
  /** How many lines the new text has. */
  lines: number;
  tokensOf(row: number): readonly Token[];
}

export function modelDiff({ path, before, after, parts = [] }: ProposedText): DiffModel {
  const file: DiffedFile = { path, before: before ?? '', after };
  const hunks = diffHunks(file.before, after, path).map((hunk, at) => ({
    ...hunk,
    id: parts[at]?.id ?? hunk.id,
  }));
  const crlf = before === null ? withoutCrlf(after) !== undefined : isCrlf(file);
  const rows = buildRows(splitLines(file.before), splitLines(after), hunks, crlf);
  markParts(rows);
  const sum = (count: (hunk: Hunk) => number) => hunks.reduce((total, hunk) => total + count(hunk), 0);
  const others = parts.slice(hunks.length);
  for (const [at, { lines }] of others.entries()) rows.push(...rowsOfPart(lines, hunks.length + at));
  return {
    rows,
    hunks: [...hunks, ...others.map((part) => ({ ...part, before: NOWHERE, after: NOWHERE }))],
    crlf,
    added: sum((hunk) => hunk.after.count),
    removed: sum((hunk) => hunk.before.count),
    longest: rows.reduce((most, { text }) => Math.max(most, text.length), 0),
    lines: rows.reduce((last, { after: line }) => line ?? last, 0),
    tokensOf: tokenReader(rows, path, file.before.length + after.length),
  };
}

const NOWHERE = { start: 0, count: 0 };

/** What is decided on its own and is in no text: whether the file can be executed. */
function rowsOfPart(lines: readonly string[], hunk: number): ModelRow[] {
  return lines.map((line, at) => ({
    sign: line[0] as DiffRow['sign'],
    before: null,
    after: null,
    text: line.slice(1).replace(/\n$/, ''),
    hunk,
    ...(at === lines.length - 1 && { note: "the file's mode" }),
  }));
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function buildRows(
  old: readonly string[],
  now: readonly string[],
  hunks: readonly Hunk[],
  crlf: boolean,
): ModelRow[] {
  const rows: ModelRow[] = [];
  const end = crlf ? /\r?\n$/ : /\n$/;
  const at = { before: 0, after: 0 };
  const add = (sign: DiffRow['sign'], hunk: number | null) => {
    const line = sign === '+' ? now[at.after]! : old[at.before]!;
    const before = sign === '+' ? null : ++at.before;
    const after = sign === '-' ? null : ++at.after;
    const note = line.endsWith('\n') ? {} : { note: describeMissingNewline(sign) };
    rows.push({ sign, before, after, text: line.replace(end, ''), hunk, ...note });
  };
  hunks.forEach((hunk, number) => {
    while (at.before < hunk.before.start) add(' ', null);
    for (let i = 0; i < hunk.before.count; i++) add('-', number);
    for (let i = 0; i < hunk.after.count; i++) add('+', number);
  });
  while (at.before < old.length) add(' ', null);
  return rows;
}

/** Above this, a row is coloured by itself: comments of several lines are not known in a file that large. */
const LARGE = 400_000;

/** The old and the new text each have their own comments of several lines, so each is read from its start. */
function tokenReader(
  rows: readonly ModelRow[],
  path: string,
  size: number,
): (row: number) => readonly Token[] {
  if (size > LARGE) return (row) => new SyntaxReader(path).readLine(rows[row]!.text);
  let all: (readonly Token[])[] | undefined;
  return (row) => {
    all ??= readAll(rows, path);
    return all[row]!;
  };
}

function readAll(rows: readonly ModelRow[], path: string): (readonly Token[])[] {
  const old = new SyntaxReader(path);
  const now = new SyntaxReader(path);
  return rows.map(({ sign, text }) => {
    const before = sign === '+' ? [] : old.readLine(text);
    return sign === '-' ? before : now.readLine(text);
  });
}

/** What is on the screen, in its order. */
export type DiffItem =
  /** A row, or the part of a long one from an offset. */
  | { kind: 'row'; row: number; from: number; to: number }
  | { kind: 'pair'; left: number | null; right: number | null }
  /** Rows that are not shown. */
  | { kind: 'gap'; from: number; to: number }
  | { kind: 'hunk'; hunk: number }
  | { kind: 'note'; text: string }
  | { kind: 'comment'; line: number };

export interface DiffLayout {
  split: boolean;
  /** Every row; otherwise only those near a change or opened by the user. */
  whole: boolean;
  /** Rows that the user opened, as ranges. */
  opened: readonly (readonly [from: number, to: number])[];
  /** A line above each hunk, to keep or drop it. */
  choices: boolean;
  /** Lines of the new text below which there is something of the user's. */
  commented: ReadonlySet<number>;
}

const CONTEXT = 3;
/** A longer row is shown in parts, so that no part takes long to draw. */
export const LONGEST_ROW = 2000;

export function layOutDiff({ rows }: DiffModel, layout: DiffLayout): DiffItem[] {
  const items: DiffItem[] = [];
  const shown = markShown(rows, layout);
  for (let at = 0; at < rows.length; ) {
    if (shown[at] === 0) {
      const from = at;
      while (at < rows.length && shown[at] === 0) at++;
      items.push({ kind: 'gap', from, to: at });
      continue;
    }
    const { hunk } = rows[at]!;
    if (layout.choices && hunk !== null && rows[at - 1]?.hunk !== hunk) items.push({ kind: 'hunk', hunk });
    at = layout.split ? addPairs(items, rows, at, layout) : addRow(items, rows, at, layout);
  }
  return items;
}

function markShown(rows: readonly ModelRow[], { whole, opened, commented }: DiffLayout): Uint8Array {
  const shown = new Uint8Array(rows.length);
  if (whole) return shown.fill(1);
  rows.forEach(({ hunk, after }, at) => {
    if (hunk !== null || (after !== null && commented.has(after)))
      shown.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  for (const [from, to] of opened) shown.fill(1, from, to);
  return shown;
}

function addRow(items: DiffItem[], rows: readonly ModelRow[], at: number, layout: DiffLayout): number {
  const { text } = rows[at]!;
  for (let from = 0; from === 0 || from < text.length; ) {
    const to = endOfPart(text, from);
    items.push({ kind: 'row', row: at, from, to });
    from = to;
    if (text.length === 0) break;
  }
  addBelow(items, rows[at]!, layout);
  return at + 1;
}

/** Not between the halves of one character. */
function endOfPart(text: string, from: number): number {
  const to = Math.min(text.length, from + LONGEST_ROW);
  return to < text.length && /[\uDC00-\uDFFF]/.test(text[to]!) ? to + 1 : to;
}

/** Removed rows on the left, each beside the added one that takes its place. */
function addPairs(items: DiffItem[], rows: readonly ModelRow[], at: number, layout: DiffLayout): number {
  if (rows[at]!.hunk === null) {
    items.push({ kind: 'pair', left: at, right: at });
    addBelow(items, rows[at]!, layout);
    return at + 1;
  }
  let added = at;
  while (rows[added]?.sign === '-' && rows[added]!.hunk === rows[at]!.hunk) added++;
  let end = added;
  while (rows[end]?.sign === '+' && rows[end]!.hunk === rows[at]!.hunk) end++;
  for (let i = 0; i < Math.max(added - at, end - added); i++) {
    const left = at + i < added ? at + i : null;
    const right = added + i < end ? added + i : null;
    items.push({ kind: 'pair', left, right });
    for (const row of [left, right]) if (row !== null) addBelow(items, rows[row]!, layout);
  }
  return end;
}

function addBelow(items: DiffItem[], row: ModelRow, { commented }: DiffLayout): void {
  if (row.note !== undefined) items.push({ kind: 'note', text: row.note });
  if (row.after !== null && commented.has(row.after)) items.push({ kind: 'comment', line: row.after });
}

/** The next `count` rows above and below a hunk that are not shown yet. */
export function rowsAround(
  { rows }: DiffModel,
  items: readonly DiffItem[],
  hunk: number,
  count: number,
): (readonly [from: number, to: number])[] {
  const first = rows.findIndex((row) => row.hunk === hunk);
  const gaps = items.filter((item) => item.kind === 'gap');
  const above = gaps.findLast(({ to }) => to <= first);
  const below = gaps.find(({ from }) => from > first);
  return [
    ...(above === undefined ? [] : [[Math.max(above.from, above.to - count), above.to] as const]),
    ...(below === undefined ? [] : [[below.from, Math.min(below.to, below.from + count)] as const]),
  ];
}

export interface Match {
  row: number;
  from: number;
  to: number;
}

const MOST_MATCHES = 1000;

/** Where a text occurs, whatever its case; at most so many. */
export function findMatches({ rows }: DiffModel, wanted: string): Match[] {
  const found: Match[] = [];
  const low = wanted.toLowerCase();
  if (low === '') return found;
  for (let row = 0; row < rows.length; row++) {
    const text = rows[row]!.text.toLowerCase();
    for (let from = text.indexOf(low); from !== -1; from = text.indexOf(low, from + low.length)) {
      found.push({ row, from, to: from + low.length });
      if (found.length === MOST_MATCHES) return found;
    }
  }
  return found;
}
