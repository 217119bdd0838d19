import { placeAt, readJson } from './read.js';
import type { JsonFound, JsonObject, JsonProblem } from './values.js';
import { isJsonObject } from './values.js';

/** More than any answer has objects and snippets of code. */
const MOST_ATTEMPTS = 10_000;
/** Characters read, over all attempts: four times the longest report. */
const MOST_STEPS = 80_000_000;

/** `{}`, or `{` and a key: in double quotes, or in any or no quotes and with its colon. */
const START = /\{\s*(?:[}"]|[^\s\w]?[A-Za-z_$][\w$-]{0,60}[^\s\w]?\s{0,20}:)/g;
const START_OF_LINE = new RegExp(`^${START.source}`, 'gm');

/**
 * The objects in a text, in fences or between other words, that have this key. Objects inside another object are not
 * candidates, nor those inside a broken one up to the end that its brackets show; after one without an end, only objects
 * at the start of a line are. Stops after 10,000 candidates, or when they cost too much.
 */
export function findJson(text: string, key: string): JsonFound {
  const result: JsonFound = { found: [], broken: [], complete: true };
  let start = START;
  let steps = MOST_STEPS;
  let next = 0;
  for (let attempts = 0; ; attempts++) {
    start.lastIndex = next;
    const match = start.exec(text);
    if (!match) return result;
    if (attempts === MOST_ATTEMPTS || steps <= 0) return { ...result, complete: false };
    const from = match.index;
    const end = findEnd(text, from);
    const to = end ?? text.length;
    steps -= to - from;
    const read = readJson(text.slice(from, to));
    if (read.status === 'value') {
      const value = read.value as JsonObject;
      if (isJsonObject(value) && Object.hasOwn(value, key)) result.found.push({ value, from, to });
    } else if (text.slice(from, to).includes(key)) {
      result.broken.push({ from, problem: shiftProblem(text, from, read.problem) });
    }
    next = end ?? from + 1;
    if (end === null) start = START_OF_LINE;
  }
}

/** A problem of the part of a text that starts at an offset, with its place in the whole text. */
export function shiftProblem(text: string, from: number, problem: JsonProblem): JsonProblem {
  const start = placeAt(text, from);
  const column = problem.line === 1 ? start.column + problem.column - 1 : problem.column;
  return { ...problem, line: start.line + problem.line - 1, column };
}

/** The position after the bracket that closes an object. Brackets in strings do not count; a string ends with its line. */
function findEnd(text: string, from: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"' || char === '\n') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === '{' || char === '[') {
      depth++;
    } else if ((char === '}' || char === ']') && --depth === 0) {
      return at + 1;
    }
  }
  return null;
}
