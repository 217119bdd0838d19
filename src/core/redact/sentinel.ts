const OPENING = '[masked:';
const SENTINEL = /\[masked:[0-9a-f]{8}\]/;

/** What replaces a secret, whatever `hash` returns: eight hexadecimal digits in brackets. */
export function writeSentinel(hash: string): string {
  const digits = hash.slice(0, 8).toLowerCase();
  return `${OPENING}${/^[0-9a-f]{8}$/.test(digits) ? digits : '00000000'}]`;
}

/** The first sentinel in a text, such as `[masked:0a1b2c3d]`, and its line, from 1. */
export function findSentinel(text: string): { sentinel: string; line: number } | undefined {
  const found = SENTINEL.exec(text);
  return found ? { sentinel: found[0], line: text.slice(0, found.index).split('\n').length } : undefined;
}

/** The length of the sentinel that a text starts with; 0 where it starts with none. */
export function sentinelAtStart(text: string): number {
  return SENTINEL.exec(text.slice(0, 17))?.[0].length ?? 0;
}

/** Where a text may have a sentinel; no secret extends into it. */
export function sentinelIn(text: string): number {
  return text.indexOf(OPENING);
}

/** The part of a literal that no sentinel can overlap: a secret that ends in `[` must not take one's first character. */
export function cutBeforeSentinel(literal: string): string {
  const inside = sentinelIn(literal);
  if (inside >= 0) return literal.slice(0, inside);
  const last = literal.lastIndexOf('[');
  return last >= 0 && OPENING.startsWith(literal.slice(last)) ? literal.slice(0, last) : literal;
}
