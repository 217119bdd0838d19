import { DEEPEST, type Fault, quoteFrom, scanValue, skipWhite } from './diagnose.js';
import type { JsonProblem, JsonRead, JsonValue } from './values.js';

/**
 * One JSON value (RFC 8259) as `JSON.parse` reads it, white space and a byte order mark around it allowed. Refused beyond
 * that: more than 200 levels, a key twice, `__proto__`, half characters, numbers that are too large. Never throws.
 */
export function readJson(text: string): JsonRead {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const value = parseUsable(body);
  if (value !== undefined) return { status: 'value', value };
  return { status: 'refused', problem: diagnose(text) };
}

/** Half a character as an escape; its other half may follow. */
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;

/** Undefined if anything is wrong with it. */
function parseUsable(text: string): JsonValue | undefined {
  if (!text.isWellFormed()) return undefined;
  const { depth, colons } = scanShape(text);
  // JSON.parse of deeply nested text can exhaust the memory.
  if (depth > DEEPEST) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    // A repeated key is one key of the parsed value.
    return countKeys(value, ESCAPED_HALF.test(text)) === colons ? value : undefined;
  } catch {
    return undefined;
  }
}

const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];

interface Shape {
  /** The deepest nesting of arrays and objects. */
  depth: number;
  /** Colons outside strings: in valid JSON, one per key. */
  colons: number;
}

/** One pass over any text; the result is meaningful for JSON. Ends early if it is too deep. */
function scanShape(text: string): Shape {
  let [open, depth, colons] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // White space, commas and numbers, at one comparison each.
    if (code < COLON && code !== QUOTE) continue;
    if (code === QUOTE) {
      at = closingQuote(text, at + 1);
    } else if (code === COLON) {
      colons++;
    } else if ((code | 0x20) === 0x7b) {
      // `[` and `{` differ in one bit, and so do `]` and `}`.
      if (++open > depth) depth = open;
      if (open > DEEPEST) break;
    } else if ((code | 0x20) === 0x7d) {
      open--;
    }
  }
  return { depth, colons };
}

/** The quote that ends a string, or the end of the text. */
function closingQuote(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return text.length;
}

/** NaN if a key is `__proto__`, a number is too large, or a string (checked only on request) contains half a character. */
function countKeys(value: JsonValue, halves: boolean): number {
  if (typeof value === 'string') return halves && !value.isWellFormed() ? Number.NaN : 0;
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) count += countKeys(value[index]!, halves);
    return count;
  }
  for (const key in value) {
    if (key === '__proto__' || (halves && !key.isWellFormed())) return Number.NaN;
    count += 1 + countKeys(value[key]!, halves);
  }
  return count;
}

const ALONE = 'Write one JSON value and nothing else: no fence, and no words before or after it.';

/** The first fault in a text that is not one valid JSON value. Linear. */
function diagnose(text: string): JsonProblem {
  const { code, at, path, message, hint } = findFault(text);
  return { code, message, hint, path, ...placeAt(text, at) };
}

function findFault(text: string): Fault {
  const start = skipWhite(text, text.startsWith('\uFEFF') ? 1 : 0);
  const around = (at: number, message: string, hint = ALONE): Fault => ({
    code: 'json-around',
    at,
    path: [],
    message,
    hint,
  });
  if (text.slice(start).trim() === '')
    return { ...around(0, 'There is no JSON: the text is empty.'), code: 'json-empty' };
  if (!startsValue(text, start)) {
    const bracket = text.slice(start).search(/[{[]/);
    if (bracket !== -1)
      return around(start, `Found ${describeAround(text, start, start + bracket)} before the JSON.`);
    if (/^[\p{L}<*#>|]/u.test(text.slice(start))) {
      const message = `There is no JSON in the text, which starts with ${quoteFrom(text, start)}.`;
      return { ...around(start, message), code: 'json-invalid' };
    }
  }
  const { fault, to } = scanValue(text, start);
  if (fault) return fault;
  const next = skipWhite(text, to);
  if (/[{[]/.test(text[next]!))
    return around(
      next,
      'Found a second JSON value after the first.',
      'Write one value; put several into one array.',
    );
  if (/[}\]]/.test(text[next]!)) {
    const hint = 'Leave it out, or look for a bracket that closes too early.';
    return around(next, `Found ${text[next]} after the end of the JSON, where no bracket is open.`, hint);
  }
  return around(next, `Found ${describeAround(text, next)} after the JSON.`);
}

/** A bracket or quote, or a word or number alone. */
function startsValue(text: string, at: number): boolean {
  return /^(?:["{[]|(?:true|false|null)\b|[-+.\p{L}\p{N}_$]+\s*$)/u.test(text.slice(at));
}

function describeAround(text: string, at: number, to?: number): string {
  return /^(?:```|~~~)/.test(text.slice(at, at + 3)) ? 'a fence' : `other text, ${quoteFrom(text, at, to)},`;
}

/** The 1-based line and column of an offset. A byte order mark is in no line. */
export function placeAt(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let lf = text.indexOf('\n'); lf !== -1 && lf < at; lf = text.indexOf('\n', lf + 1)) {
    line++;
    start = lf + 1;
  }
  return { line, column: Math.max(1, at - start + 1) };
}
