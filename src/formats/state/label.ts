import { findComment } from './inline.js';
import { foldLabel } from './names.js';

/**
 * A line that begins with a label, as offsets into the text:
 *
 *     - **Status:** _Blocked_ <!-- since May -->
 *         ^         ^^      ^^
 *         labelFrom │└ from │└ rawTo
 *                 rawFrom   to
 */
export interface Label {
  /** Folded. */
  label: string;
  labelFrom: number;
  labelTo: number;
  /** Emphasis before the label. */
  open: string;
  /** The emphasis goes on over the value: `**Status: Blocked**`. */
  runsOn: boolean;
  /** Where it does: what closes it behind the value. */
  close: string;
  /** The value with the emphasis around it, and without. Empty where there is none. */
  rawFrom: number;
  rawTo: number;
  from: number;
  to: number;
  /** There is no colon: `**Velocity**`. */
  isBare: boolean;
}

const LONGEST_LABEL = 48;

/** Reads the label at offset `at` of a line that ends at `end`. */
export function readLabel(text: string, at: number, end: number): Label | undefined {
  const open = emphasisAt(text, at, end);
  const labelFrom = at + open.length;
  let stop = labelEnd(text, labelFrom, end, open);
  const labelTo = stop;
  const label = foldLabel(text.slice(labelFrom, labelTo));
  if (label === '' || !/^[\p{L}\p{N}]/u.test(label)) return undefined;

  let isClosed = open === '';
  const closeEmphasis = () => {
    if (isClosed || !text.startsWith(open, stop)) return;
    stop += open.length;
    isClosed = true;
  };
  closeEmphasis();
  stop = skipSpace(text, stop, end);
  if (stop >= end || text[stop] !== ':') {
    const isBare = open !== '' && isClosed && valueEnd(text, stop, end) === stop;
    return isBare ? emptyLabel(label, labelFrom, labelTo, open, stop) : undefined;
  }
  stop++;
  if (text.startsWith('//', stop)) return undefined;
  closeEmphasis();
  const rawFrom = skipSpace(text, stop, end);
  let rawTo = valueEnd(text, rawFrom, end);
  let close = '';
  if (!isClosed) {
    const ending = text.slice(rawFrom, rawTo).indexOf(open);
    if (ending !== -1) {
      close = open;
      rawTo = trimEnd(text, rawFrom, rawFrom + ending);
    }
  }
  const wrapped = wrapping(text, rawFrom, rawTo);
  return {
    label,
    labelFrom,
    labelTo,
    open,
    runsOn: !isClosed,
    close,
    rawFrom,
    rawTo,
    from: rawFrom + wrapped,
    to: rawTo - wrapped,
    isBare: false,
  };
}

function emptyLabel(label: string, labelFrom: number, labelTo: number, open: string, at: number): Label {
  const value = { rawFrom: at, rawTo: at, from: at, to: at };
  return { label, labelFrom, labelTo, open, runsOn: false, close: '', ...value, isBare: true };
}

/** Letters, digits and what stands between the words of a name, up to a colon or the end of the emphasis. */
function labelEnd(text: string, from: number, end: number, open: string): number {
  const limit = Math.min(end, from + LONGEST_LABEL);
  let at = from;
  while (at < limit && text[at] !== ':' && !(open !== '' && text.startsWith(open, at))) {
    if ('`|<>[]*"\\'.includes(text[at]!)) break;
    at++;
  }
  return trimEnd(text, from, at);
}

/** A run of up to three `*` or `_`. */
function emphasisAt(text: string, at: number, end: number): string {
  const char = text[at];
  if (char !== '*' && char !== '_') return '';
  let stop = at;
  while (stop < end && stop - at < 3 && text[stop] === char) stop++;
  return text.slice(at, stop);
}

/** Where the value ends: before a comment, a backslash that breaks the line, and white space. */
function valueEnd(text: string, from: number, end: number): number {
  const comment = findComment(text.slice(from, end));
  let to = trimEnd(text, from, comment === -1 ? end : from + comment);
  while (to > from && text[to - 1] === '\\') to--;
  return trimEnd(text, from, to);
}

/** How many characters of emphasis or code ticks stand around the whole value. */
function wrapping(text: string, from: number, to: number): number {
  const char = text[from];
  if (char !== '*' && char !== '_' && char !== '`') return 0;
  let count = 0;
  while (count < 3 && text[from + count] === char && text[to - 1 - count] === char) count++;
  if (to - from <= 2 * count) return 0;
  // `**Blocked** by **Ann**` has two pieces, each in emphasis of its own.
  return text.slice(from + count, to - count).includes(char) ? 0 : count;
}

export function skipSpace(text: string, at: number, end: number): number {
  let stop = at;
  while (stop < end && isSpace(text[stop]!)) stop++;
  return stop;
}

export function trimEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && isSpace(text[end - 1]!)) end--;
  return end;
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\u00a0';
}
