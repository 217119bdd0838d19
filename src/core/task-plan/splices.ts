import type { Attribute } from './tags.js';

/** A piece of a text, and what is there instead. */
export interface Splice {
  from: number;
  to: number;
  text: string;
}

/** They do not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text: now } of splices.toSorted((a, b) => a.from - b.from)) {
    parts.push(text.slice(at, from), now);
    at = to;
  }
  return parts.join('') + text.slice(at);
}

/** Gives an attribute another value, in the quotes that it has. */
export function replaceAttribute(
  text: string,
  { value, to, valueFrom, valueTo }: Attribute,
  now: string,
): Splice {
  if (value === null) return { from: to, to, text: `="${now}"` };
  const isQuoted = text[valueTo] === '"' || text[valueTo] === "'";
  const isBare = !isQuoted && (valueFrom === valueTo || !/^[^\s"'=<>`/]+$/.test(now));
  return { from: valueFrom, to: valueTo, text: isBare ? `"${now}"` : now };
}
