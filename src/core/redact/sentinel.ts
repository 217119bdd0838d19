import type { Finding, Matcher } from './piece.js';
import { CharClass, Cursor } from './piece.js';

const OPENING = '[masked:';
const DIGITS = 8;
const HEX = new CharClass('0-9a-f');
const SENTINEL = /\[masked:[0-9a-f]{8}\]/;

/** What stands for a secret. `hash` is trusted to be hexadecimal, and never allowed to make it anything else. */
export function writeSentinel(hash: string): string {
  const digits = hash.slice(0, DIGITS).toLowerCase();
  return `${OPENING}${/^[0-9a-f]{8}$/.test(digits) ? digits : '0'.repeat(DIGITS)}]`;
}

/** The first sentinel in a text, such as `[masked:0a1b2c3d]`, and its line, from 1. */
export function findSentinel(text: string): { sentinel: string; line: number } | undefined {
  const found = SENTINEL.exec(text);
  if (found === null) return undefined;
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < found.index; at = text.indexOf('\n', at + 1)) line++;
  return { sentinel: found[0], line };
}

/** Where a text begins something that may be a sentinel; no secret reaches beyond. */
export function sentinelIn(text: string): number {
  return text.indexOf(OPENING);
}

/**
 * What is left of a literal that no sentinel can overlap: up to the place where one could begin. Otherwise a secret
 * that ends in `[` would take the first character of a sentinel with it.
 */
export function cutBeforeSentinel(literal: string): string {
  const inside = sentinelIn(literal);
  if (inside >= 0) return literal.slice(0, inside);
  const last = literal.lastIndexOf('[');
  return last >= 0 && OPENING.startsWith(literal.slice(last)) ? literal.slice(0, last) : literal;
}

/** A sentinel in the text is passed over as a whole. */
export const sentinelMatcher: Matcher = {
  prefix: OPENING,
  find(piece, at): Finding | undefined {
    const cursor = new Cursor(piece, at + OPENING.length);
    const whole = cursor.take(HEX, DIGITS) === DIGITS && cursor.eat(']');
    if (cursor.starved) return { status: 'undecided', from: at };
    return whole ? { status: 'sentinel', end: cursor.at } : undefined;
  },
};
