import { type Fault, faultLocator, quoteFrom } from './fault.js';
import { isNumberAlone } from './literals.js';
import { DEEPEST, skipWhite, traceValue } from './trace.js';
import type { JsonProblem, JsonRead, JsonValue } from './values.js';
import { isWellFormed } from './values.js';

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

/** Undefined where something is wrong with it; what and where is found out then. */
function parseUsable(text: string): JsonValue | undefined {
  if (!isWellFormed(text)) return undefined;
  const { depth, colons } = scanShape(text);
  // What is far too deep costs JSON.parse more memory than there may be.
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

/** One pass over whatever text; what it says holds for JSON. Ends early where it gets too deep. */
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
  if (typeof value === 'string') return halves && !isWellFormed(value) ? Number.NaN : 0;
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) count += countKeys(value[index]!, halves);
    return count;
  }
  for (const key in value) {
    if (key === '__proto__' || (halves && !isWellFormed(key))) return Number.NaN;
    count += 1 + countKeys(value[key]!, halves);
  }
  return count;
}

const ALONE = 'Write one JSON value and nothing else: no fence, and no words before or after it.';
const WORD_ALONE = /[\p{L}_$][\w$]*\s*$/uy;

/** The first fault in a text that is not one valid JSON value. Linear. */
function diagnose(text: string): JsonProblem {
  return faultLocator(text)(findFault(text));
}

function findFault(text: string): Fault {
  const start = skipWhite(text, text.startsWith('\uFEFF') ? 1 : 0);
  if (text.slice(start).trim() === '') return fault('json-empty', 0, 'There is no JSON: the text is empty.');
  const before = nameLeading(text, start);
  if (before) return before;
  const trace = traceValue(text, start);
  if (trace.fault) return trace.fault;
  const next = skipWhite(text, trace.to);
  if (next < text.length) return nameTrailing(text, next);
  return fault('json-invalid', start, 'The text is not valid JSON.');
}

/** Text before the value, unless it is itself a value with a fault. */
function nameLeading(text: string, at: number): Fault | null {
  if (startsValue(text, at)) return null;
  const bracket = text.slice(at).search(/[{[]/);
  if (bracket === -1) {
    if (!/[\p{L}<*#>|]/u.test(text[at]!)) return null;
    return fault(
      'json-invalid',
      at,
      `There is no JSON in the text, which starts with ${quoteFrom(text, at)}.`,
    );
  }
  const before = describeAround(text, at, at + bracket);
  return fault('json-around', at, `Found ${before} before the JSON.`);
}

function startsValue(text: string, at: number): boolean {
  if (/["{[]/.test(text[at]!) || isNumberAlone(text, at)) return true;
  WORD_ALONE.lastIndex = at;
  return WORD_ALONE.test(text) || /^(?:true|false|null)\b/.test(text.slice(at, at + 6));
}

const BRACES = 'Put { before the first key and } after the last value.';
const EARLY = 'Leave it out, or look for a bracket that closes too early.';

function nameTrailing(text: string, at: number): Fault {
  switch (text[at]) {
    case ':':
      return fault(
        'json-invalid',
        at,
        'Found a colon after the first string: the braces of an object are missing.',
        BRACES,
      );
    case '}':
    case ']':
      return fault(
        'json-around',
        at,
        `Found ${text[at]} after the end of the JSON, where no bracket is open.`,
        EARLY,
      );
    case '{':
    case '[':
      return fault(
        'json-around',
        at,
        'Found a second JSON value after the first.',
        'Write one value; put several into one array.',
      );
    default:
      return fault('json-around', at, `Found ${describeAround(text, at)} after the JSON.`);
  }
}

function describeAround(text: string, at: number, to?: number): string {
  const next = text.slice(at, at + 3);
  if (next === '```' || next === '~~~') return 'a fence';
  if (/^(?:\/[/*]|<!-)/.test(next)) return 'a comment';
  return `other text, ${quoteFrom(text, at, to)},`;
}

function fault(code: Fault['code'], at: number, message: string, hint = ALONE): Fault {
  return { code, at, path: [], message, hint };
}
