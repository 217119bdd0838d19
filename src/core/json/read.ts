import { countKeyEnds, hasFewBrackets, inspectValue, isWellFormed, scanShape } from './scan.js';
import { type Fault, faultLocator, quoteFrom, skipWhite, type Wording } from './trace/fault.js';
import { isNumberAlone } from './trace/number.js';
import { DEEPEST, traceValue } from './trace/value.js';
import type { JsonProblem, JsonRead, JsonValue } from './types.js';

/** Half a character as an escape; it may have its other half behind it. */
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;

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

/** Undefined where something is wrong with it; what and where is found out then. */
function parseUsable(text: string): JsonValue | undefined {
  if (!isWellFormed(text)) return undefined;
  // What is far too deep costs JSON.parse more memory than there may be.
  if (!hasFewBrackets(text) && scanShape(text, DEEPEST).depth > DEEPEST) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    const { keys, usable } = inspectValue(value, DEEPEST, ESCAPED_HALF.test(text));
    // A key that stands twice is one key of the value. The quick count may be too high, but never too low.
    const isComplete = usable && (countKeyEnds(text) === keys || scanShape(text, DEEPEST).colons === keys);
    return isComplete ? value : undefined;
  } catch {
    return undefined;
  }
}

const ALONE = 'Write one JSON value and nothing else: no fence, and no words before or behind it.';
const WORD_ALONE = /[\p{L}_$][\w$]*\s*$/uy;

/** The first thing that is wrong with a text that is not one JSON value as it should be. Linear. */
function diagnose(text: string): JsonProblem {
  return faultLocator(text)(findFault(text));
}

function findFault(text: string): Fault {
  const begin = skipWhite(text, text.startsWith('\uFEFF') ? 1 : 0);
  if (text.slice(begin).trim() === '')
    return fault('json-empty', 0, { message: 'There is no JSON: the text is empty.', hint: ALONE });
  const before = nameBefore(text, begin);
  if (before) return before;
  const trace = traceValue(text, begin);
  if (trace.fault) return trace.fault;
  const behind = skipWhite(text, trace.to);
  if (behind < text.length) return nameBehind(text, behind);
  return fault('json-invalid', begin, { message: 'The text is not valid JSON.', hint: ALONE });
}

/** What stands before a value, where it is not one that is only written wrongly. */
function nameBefore(text: string, at: number): Fault | null {
  if (beginsValue(text, at)) return null;
  const bracket = text.slice(at).search(/[{[]/);
  if (bracket === -1) {
    if (!/[\p{L}<*#>|]/u.test(text[at]!)) return null;
    const message = `There is no JSON in the text, which begins with ${quoteFrom(text, at)}.`;
    return fault('json-invalid', at, { message, hint: ALONE });
  }
  const message = `${describeAround(text, at, at + bracket)} stands where the JSON should begin.`;
  return fault('json-around', at, { message, hint: ALONE });
}

function beginsValue(text: string, at: number): boolean {
  if (/["{[]/.test(text[at]!) || isNumberAlone(text, at)) return true;
  WORD_ALONE.lastIndex = at;
  return WORD_ALONE.test(text) || /^(?:true|false|null)\b/.test(text.slice(at, at + 6));
}

function nameBehind(text: string, at: number): Fault {
  const char = text[at]!;
  if (char === ':') {
    const message =
      'A colon stands behind the text that the JSON begins with: the braces of an object are missing.';
    return fault('json-invalid', at, {
      message,
      hint: 'Put { before the first key and } behind the last value.',
    });
  }
  if (char === '}' || char === ']') {
    const message = `The bracket ${char} stands behind the end of the JSON, where none is open.`;
    return fault('json-around', at, {
      message,
      hint: 'Leave it out, or look for a bracket that closes too early.',
    });
  }
  if (char === '{' || char === '[') {
    const message = 'A second JSON value stands behind the first.';
    return fault('json-around', at, { message, hint: 'Write one value; several belong into one array.' });
  }
  return fault('json-around', at, {
    message: `${describeAround(text, at)} stands behind the JSON.`,
    hint: ALONE,
  });
}

function describeAround(text: string, at: number, to?: number): string {
  const next = text.slice(at, at + 3);
  if (next === '```' || next === '~~~') return 'A fence';
  if (/^(?:\/[/*]|<!-)/.test(next)) return 'A comment';
  return `Other text, ${quoteFrom(text, at, to)},`;
}

function fault(code: Fault['code'], at: number, wording: Wording): Fault {
  return { code, at, path: [], ...wording };
}
