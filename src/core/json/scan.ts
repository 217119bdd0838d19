import type { JsonValue } from './types.js';

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Texts up to so many characters are walked through; for longer ones the search for the quote is worth its call. */
const SHORT = 24;

export interface Shape {
  /** How many levels of lists and objects stand in one another, at the deepest. */
  depth: number;
  /** Colons outside of texts: as many as there are keys, in a text that is JSON. */
  colons: number;
}

/** One pass over whatever text; what it says holds for JSON. Ends early where it gets deeper than `deepest`. */
export function scanShape(text: string, deepest: number): Shape {
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
      if (open > deepest) break;
    } else if ((code | 0x20) === 0x7d) {
      open--;
    }
  }
  return { depth, colons };
}

/** The quote that ends a text, or the end. */
function closingQuote(text: string, from: number): number {
  let at = from;
  const near = Math.min(from + SHORT, text.length);
  for (; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  for (let quote = text.indexOf('"', at); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (before > at && text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return text.length;
}

/** So many levels JSON.parse takes without effort. */
const MOST_BRACKETS = 500_000;

/** Whether a text cannot be very deep. Much quicker than to find out how deep it is. */
export function hasFewBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['[', '{']) {
    let at = text.indexOf(bracket);
    for (; at !== -1 && count <= MOST_BRACKETS; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count <= MOST_BRACKETS;
}

/**
 * Colons behind a quote that is not escaped. In JSON every key ends like this, and else only the first quote of a text
 * that begins with a colon; so there are at least as many as there are keys. Much quicker than `scanShape`.
 */
export function countKeyEnds(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let at = colon - 1;
    while (isSpace(text.charCodeAt(at))) at--;
    if (text.charCodeAt(at) !== QUOTE) continue;
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - 1 - before) % 2 === 0) count++;
  }
  return count;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export interface Inspection {
  keys: number;
  /** Not too deep, no `__proto__`, no number that is too large, no half character (looked for only when asked). */
  usable: boolean;
}

/** Walks through a value, no deeper than `deepest`. */
export function inspectValue(value: JsonValue, deepest: number, halves: boolean): Inspection {
  const inspection = { keys: 0, usable: true };
  visit(value, inspection, deepest, halves);
  return inspection;
}

function visit(value: JsonValue, inspection: Inspection, levels: number, halves: boolean): void {
  if (typeof value === 'string') {
    if (halves && !isWellFormed(value)) inspection.usable = false;
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) inspection.usable = false;
  } else if (typeof value !== 'object' || value === null) {
    return;
  } else if (levels === 0) {
    inspection.usable = false;
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) visit(value[index]!, inspection, levels - 1, halves);
  } else {
    for (const key in value) {
      inspection.keys++;
      if (key === '__proto__' || (halves && !isWellFormed(key))) inspection.usable = false;
      visit(value[key]!, inspection, levels - 1, halves);
    }
  }
}

/** Whether every surrogate has its other half. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
