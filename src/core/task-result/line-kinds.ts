import { firstInk, isBlank, type Lines } from '../markdown/lines.js';
import { REQUIRED_KEYS } from './fields.js';

/** What a line looks like at its own indent, whatever stands around it. */
export type LineKind =
  /** `known`: a field of a result. `empty`: nothing follows on its line. */
  | { type: 'key'; name: string; known: boolean; empty: boolean }
  | { type: 'item' | 'comment' | 'mark' | 'flow' | 'prose' };

const KNOWN: ReadonlySet<string> = new Set(REQUIRED_KEYS);
const [ITEM, COMMENT, MARK, FLOW, PROSE] = (['item', 'comment', 'mark', 'flow', 'prose'] as const).map(
  (type): LineKind => ({ type }),
) as [LineKind, LineKind, LineKind, LineKind, LineKind];

/** Longer than any name of a field that somebody would write. */
const LONGEST_KEY = 60;

export function readResultLine(lines: Lines, line: number): LineKind {
  const { text } = lines;
  const at = firstInk(lines, line);
  const end = lines.ends[line]!;
  switch (text[at]) {
    case '#':
      return COMMENT;
    case '%':
      return MARK;
    case '{':
      return FLOW;
    case '-':
    case '.':
      if (isMark(text, at, end)) return MARK;
      return text[at] === '-' && isGap(text, at + 1, end) ? ITEM : PROSE;
    default:
      return readKey(text, at, end) ?? PROSE;
  }
}

/** Neither part of a result nor text around it. */
export function isRuleLine(kind: LineKind): boolean {
  return kind.type === 'comment' || kind.type === 'mark';
}

/** Which lines may follow each other at one indent: items follow a `key:` that has nothing else, or other items. */
export class ListsAtMargin {
  private open: 'key' | 'items' | 'no' = 'no';

  /** A line follows that is indented more. */
  under(): void {
    if (this.open === 'key') this.open = 'no';
  }

  /** Whether a line may stand there. */
  next(kind: LineKind): boolean {
    if (kind.type === 'key') this.open = kind.empty ? 'key' : 'no';
    else if (kind.type === 'item' && this.open !== 'no') this.open = 'items';
    else return false;
    return true;
  }
}

/**
 * Where a block that is a result from end to end begins, behind the marks above it, and how far it is indented;
 * undefined where something in it is no line of a result.
 */
export function baseOf(lines: Lines, from: number, to: number): { from: number; indent: number } | undefined {
  let base: { from: number; indent: number } | undefined;
  let start = from;
  let known = false;
  const lists = new ListsAtMargin();
  for (let line = from; line < to; line++) {
    if (isBlank(lines, line)) continue;
    const indent = firstInk(lines, line) - lines.starts[line]!;
    if (base && indent > base.indent) {
      lists.under();
      continue;
    }
    const kind = readResultLine(lines, line);
    if (kind.type === 'mark' && !base) start = line + 1;
    if (isRuleLine(kind)) continue;
    if (!lists.next(kind)) return undefined;
    if (kind.type === 'key') {
      base ??= { from: start, indent };
      known ||= kind.known;
    }
    if (indent < base!.indent) return undefined;
  }
  return known ? base : undefined;
}

/** `---` or `...`, alone or with a comment behind it. */
function isMark(text: string, at: number, end: number): boolean {
  const mark = text[at]!;
  if (text[at + 1] !== mark || text[at + 2] !== mark || !isGap(text, at + 3, end)) return false;
  const next = skipBlanks(text, at + 3, end);
  return next === end || text[next] === '#';
}

/** `name:`, `"name":` */
function readKey(text: string, at: number, end: number): LineKind | undefined {
  const quote = text[at] === '"' || text[at] === "'" ? text[at] : '';
  const from = at + quote.length;
  let stop = from;
  while (stop < end && stop - from < LONGEST_KEY && isWord(text.charCodeAt(stop))) stop++;
  if (stop === from || (quote && text[stop] !== quote)) return undefined;
  const colon = skipBlanks(text, stop + quote.length, end);
  if (text[colon] !== ':' || colon === end || !isGap(text, colon + 1, end)) return undefined;
  const name = text.slice(from, stop);
  const value = skipBlanks(text, colon + 1, end);
  return { type: 'key', name, known: KNOWN.has(name), empty: value === end || text[value] === '#' };
}

function isGap(text: string, at: number, end: number): boolean {
  return at >= end || text[at] === ' ' || text[at] === '\t';
}

function skipBlanks(text: string, at: number, end: number): number {
  let next = at;
  while (next < end && (text[next] === ' ' || text[next] === '\t')) next++;
  return next;
}

/** Letters, digits, `_`, `-` and `.` */
function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}
