import type { Hunk } from './hunks.js';

// The rows of a diff as every face shows them: signs, line numbers, and the part of a line that changed.

export interface DiffRow {
  sign: '+' | '-' | ' ';
  /** Number in the old or the new text; null if it has none. */
  before: number | null;
  after: number | null;
  text: string;
  /** The part that differs from its counterpart, as offsets. */
  changed?: readonly [from: number, to: number];
}

/** Rows without a gap between them. */
export type DiffSection = { rows: DiffRow[]; note?: string };

/** What a file would become. */
export interface DiffedFile {
  path: string;
  before: string;
  after: string;
}

/** Line endings are shown only where they differ from line to line. */
export function isCrlf({ before, after }: DiffedFile): boolean {
  return withoutCrlf(before) !== undefined && withoutCrlf(after) !== undefined;
}

/** The text with plain newlines where all its lines end in CRLF: then that is one fact, and not one on every line. */
export function withoutCrlf(text: string): string | undefined {
  if (!text.includes('\r\n')) return undefined;
  const plain = text.replaceAll('\r\n', '\n');
  return plain.includes('\r') || plain.split('\n').length !== text.split('\r\n').length ? undefined : plain;
}

/** Hunks whose context meets are one section. */
export function joinHunks(hunks: readonly Hunk[], crlf: boolean): DiffSection[] {
  const sections: DiffSection[] = [];
  let shown = -1;
  for (const { lines, before, after } of hunks) {
    const context = lines.findIndex((line) => !line.startsWith(' '));
    let old = before.start - context;
    let now = after.start - context;
    if (old > shown) sections.push({ rows: [] });
    const section = sections.at(-1)!;
    for (const line of lines) {
      const sign = line[0] as DiffRow['sign'];
      const isShown = old < shown;
      const row = { sign, before: sign === '+' ? null : ++old, after: sign === '-' ? null : ++now };
      if (sign === ' ' && isShown) continue;
      section.rows.push({ ...row, text: line.slice(1).replace(crlf ? /\r?\n$/ : /\n$/, '') });
      if (!line.endsWith('\n')) section.note = describeMissingNewline(sign);
    }
    shown = old;
  }
  for (const { rows } of sections) markParts(rows);
  return sections;
}

export function describeMissingNewline(sign: DiffRow['sign']): string {
  return sign === '-'
    ? 'There was no newline at the end of the file.'
    : 'There is no newline at the end of the file.';
}

/** Where as many lines are added as removed, each is compared with its counterpart. */
export function markParts(rows: DiffRow[]): void {
  for (let at = 0; at < rows.length; ) {
    const minus = runOf(rows, at, '-');
    const plus = runOf(rows, at + minus, '+');
    if (minus > 0 && minus === plus) {
      for (let i = 0; i < minus; i++) markPair(rows[at + i]!, rows[at + minus + i]!);
    }
    at += Math.max(1, minus + plus);
  }
}

function runOf(rows: readonly DiffRow[], from: number, sign: DiffRow['sign']): number {
  let end = from;
  while (rows[end]?.sign === sign) end++;
  return end - from;
}

function markPair(old: DiffRow, now: DiffRow): void {
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

/** Of a unified diff. A changed line that starts like a head is taken for one. */
export function kindOfDiffLine(line: string): 'head' | 'added' | 'removed' | 'same' {
  if (/^(?:\+\+\+|---|@@|diff |index |new file|deleted file|old mode|new mode)/.test(line)) return 'head';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}
