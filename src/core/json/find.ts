import { faultLocator } from './fault.js';
import { type Trace, traceValue } from './trace.js';
import type { JsonFound, JsonObject } from './values.js';

/** More than any answer has objects and snippets of code. */
const MOST_ATTEMPTS = 10_000;
/** Characters gone through for the ends of what is broken: four times the longest report. */
const MOST_STEPS = 80_000_000;

/** `{}`, or `{` and a key. A key without quotes needs its colon too: much other text is in braces. */
const BEGINNING = /\{[ \t\r\n]*(?:[}"'#]|\/[/*]|[‘“`]?(?<name>[A-Za-z_$][\w$-]{0,60})[’”`]?[ \t]{0,20}:)/g;
const BEGINNING_OF_LINE = new RegExp(`^${BEGINNING.source}`, 'gm');

/**
 * The objects in a text, in fences or between other words, that `wanted` accepts. Trailing commas, comments, Python's
 * words and single quotes, and a missing last brace are tolerated. Objects inside another object are not candidates,
 * nor those inside a broken one up to the end that its brackets show; after one without an end, only objects at the start
 * of a line are. Stops after 10,000 candidates, or when broken ones cost too much.
 */
export function findJson(text: string, wanted: (value: JsonObject) => boolean): JsonFound {
  const result: JsonFound = { found: [], broken: [], complete: true };
  const locate = faultLocator(text);
  let steps = MOST_STEPS;
  let beginning = BEGINNING;
  let next = 0;
  for (let attempts = 0; ; attempts++) {
    beginning.lastIndex = next;
    const match = beginning.exec(text);
    if (!match) return result;
    if (attempts === MOST_ATTEMPTS || steps <= 0) return { ...result, complete: false };
    const from = match.index;
    const trace = traceValue(text, from, { repair: true });
    next = trace.to;
    if (!trace.fault) {
      const value: JsonObject = JSON.parse(applyRepairs(text, trace, from));
      if (wanted(value)) result.found.push({ value, from, to: next, repairs: trace.repairs });
      continue;
    }
    const name = match.groups?.name;
    result.broken.push({
      from,
      keys: name === undefined ? trace.keys : [name],
      problem: locate(trace.fault),
    });
    const end = findEnd(text, trace);
    steps -= (end ?? text.length) - next;
    if (end === null) beginning = BEGINNING_OF_LINE;
    else next = end;
  }
}

function applyRepairs(text: string, { to, repairs }: Trace, from: number): string {
  let at = from;
  const parts = repairs.map((repair) => {
    const part = text.slice(at, repair.from) + repair.put;
    at = repair.to;
    return part;
  });
  return parts.join('') + text.slice(at, to);
}

/** The position after the bracket that closes a broken object. Brackets in strings do not count; a string ends with its line. */
function findEnd(text: string, { to, open, inText: begun }: Trace): number | null {
  let depth = open;
  let inText = begun;
  for (let at = to; at < text.length; at++) {
    const char = text[at]!;
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"' || char === '\n') inText = false;
    } else if (char === '"') {
      inText = true;
    } else if (char === '{' || char === '[') {
      depth++;
    } else if ((char === '}' || char === ']') && --depth <= 0) {
      return at + 1;
    }
  }
  return null;
}
