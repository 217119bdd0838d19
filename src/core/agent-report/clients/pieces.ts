import { readJson } from '../../json/read.js';
import type { JsonObject, JsonProblem } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';

/** One piece of a client's output: an event, or an unreadable piece that looks like one. */
export type Piece = { status: 'event'; event: JsonObject } | RefusedPiece;

export interface RefusedPiece {
  status: 'refused';
  problem: JsonProblem;
  /** Offset in the output; the problem's line and column are relative to it. */
  start: number;
  /** The event's `type`, if the piece starts with it, as all clients print it; else null. */
  type: string | null;
  /** The output ends in the middle of it. */
  cutOff: boolean;
}

/** Offsets in UTF-16 units, the end exclusive. */
type Span = readonly [from: number, to: number];

/** Log lines may have braces too, but then their keys are unquoted. */
const JSON_FIRST = /^\s*\{\s*(?:"|$)/;
const TYPE_FIRST = /^\s*\{\s*"type"\s*:\s*"([\w.]{1,40})"/;
/** More than any `type` needs. */
const HEAD = 200;
/** No client prints more unreadable pieces. The last one counts as any event, and reading stops there. */
const MOST_REFUSED = 1000;
/** Far more than a client prints in 20 MB. */
const MOST_EVENTS = 300_000;

/**
 * Splits a client's output: one object, a list of events, or one event per line, each compact or indented. An
 * unreadable event does not affect others. Lines that are not JSON (logs, warnings) are skipped.
 */
export function* piecesOf(text: string): Generator<Piece> {
  if (hasKeysOnFirstLine(text)) {
    const read = readJson(text);
    if (read.status === 'value' && isJsonObject(read.value)) {
      yield { status: 'event', event: read.value };
      return;
    }
  }
  let [refused, events] = [0, 0];
  for (const span of spansOf(text)) {
    if (++events > MOST_EVENTS) {
      yield { status: 'refused', problem: TOO_MANY, start: span[0], type: null, cutOff: false };
      return;
    }
    const piece = readPiece(text, span);
    if (piece?.status === 'refused' && ++refused === MOST_REFUSED) {
      yield { ...piece, type: null };
      return;
    }
    if (piece !== null) yield piece;
  }
}

const TOO_MANY: JsonProblem = {
  code: 'json-invalid',
  message: `There are more than ${MOST_EVENTS} events.`,
  hint: 'Check what one run of the client printed.',
  path: [],
  line: 1,
  column: 1,
};

/** An object with its first keys on the opening line: other tools write that, clients do not. */
function hasKeysOnFirstLine(text: string): boolean {
  const from = text.search(/\S/);
  if (from === -1 || text[from] !== '{') return false;
  const line = text.slice(from, endOfLine(text, from)).trimEnd();
  return line.length > 1 && !line.endsWith('}');
}

function readPiece(text: string, [from, to]: Span): Piece | null {
  const head = text.slice(from, Math.min(to, from + HEAD));
  if (!JSON_FIRST.test(head)) return null;
  const read = readJson(text.slice(from, to));
  if (read.status === 'value')
    return isJsonObject(read.value) ? { status: 'event', event: read.value } : null;
  const { problem } = read;
  const type = TYPE_FIRST.exec(head)?.[1] ?? null;
  const cutOff = problem.code === 'json-cut-off' && isBlankFrom(text, to);
  return { status: 'refused', problem, start: from, type, cutOff };
}

function* spansOf(text: string): Generator<Span> {
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  while (from < text.length) {
    let to = endOfLine(text, from);
    const line = text.slice(from, to).trim();
    if (line === '[' || /^\[\s*\{/.test(line)) {
      yield* spansOfList(text, text.indexOf('[', from) + 1);
      return;
    }
    if (line === '{' && text[from] === '{') to = endOfBlock(text, to);
    if (line.startsWith('{')) yield [from, to];
    from = to + 1;
  }
}

/** An indented object ends with a brace at the start of a line, or else it is truncated. */
function endOfBlock(text: string, from: number): number {
  const brace = text.indexOf('\n}', from);
  return brace === -1 ? text.length : brace + 2;
}

const QUOTE = 34;
const BACKSLASH = 92;
const [LIST, LIST_END] = [91, 93];
const [OBJECT, OBJECT_END] = [123, 125];

/** The objects and lists in the list whose entries start at `from`; the last may be truncated. */
function* spansOfList(text: string, from: number): Generator<Span> {
  let [depth, begin] = [0, from];
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === OBJECT || char === LIST) {
      if (depth++ === 0) begin = at;
    } else if (char === OBJECT_END || char === LIST_END) {
      if (depth === 0) return;
      if (--depth === 0) yield [begin, at + 1];
    }
  }
  if (depth > 0) yield [begin, text.length];
}

/** The closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at;
    if (char === BACKSLASH) at++;
  }
  return text.length;
}

function endOfLine(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  return lf === -1 ? text.length : lf;
}

function isBlankFrom(text: string, from: number): boolean {
  const ink = /\S/g;
  ink.lastIndex = from;
  return !ink.test(text);
}
