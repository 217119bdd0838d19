import { countKeyEnds, hasFewBrackets, inspectValue, isWellFormed, scanShape } from './scan.js';
import { diagnose } from './trace/diagnose.js';
import { DEEPEST } from './trace/value.js';
import type { JsonRead, JsonValue } from './types.js';

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
