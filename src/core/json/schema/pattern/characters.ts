import type { CharacterSet } from './syntax.js';

export function single(codePoint: number): CharacterSet {
  return { source: `=${codePoint}`, has: (other) => other === codePoint };
}

export function range(from: number, to: number): CharacterSet {
  return { source: `${from}-${to}`, has: (codePoint) => codePoint >= from && codePoint <= to };
}

export function union(sets: readonly CharacterSet[]): CharacterSet {
  if (sets.length === 1) return sets[0]!;
  const source = `[${sets.map((set) => set.source).join()}]`;
  return { source, has: (codePoint) => sets.some((set) => set.has(codePoint)) };
}

export function complement(set: CharacterSet): CharacterSet {
  return { source: `^${set.source}`, has: (codePoint) => !set.has(codePoint) };
}

const DIGITS = range(0x30, 0x39);
export const WORD = union([DIGITS, range(0x41, 0x5a), range(0x61, 0x7a), single(0x5f)]);
const SPACES = union([
  range(0x09, 0x0d),
  single(0x20),
  single(0xa0),
  single(0x1680),
  range(0x2000, 0x200a),
  range(0x2028, 0x2029),
  single(0x202f),
  single(0x205f),
  single(0x3000),
  single(0xfeff),
]);
/** All but the ends of lines. */
export const DOT = complement(union([single(0x0a), single(0x0d), range(0x2028, 0x2029)]));

export const CLASSES: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', SPACES],
  ['S', complement(SPACES)],
]);

/** Those asked for so far. Unicode has a few hundred, and no other name comes in here. */
const PROPERTIES = new Map<string, CharacterSet>();

/** The characters with a property of Unicode, such as `L` or `Script=Greek`; null where there is no such property. */
export function property(name: string, negated: boolean): CharacterSet | null {
  if (!/^[A-Za-z0-9_=]+$/.test(name)) return null;
  const source = `\\${negated ? 'P' : 'p'}{${name}}`;
  const known = PROPERTIES.get(source);
  if (known) return known;
  try {
    // For one character at a time, so it takes no time to speak of.
    const test = new RegExp(source, 'u');
    const set = { source, has: (codePoint: number) => test.test(String.fromCodePoint(codePoint)) };
    PROPERTIES.set(source, set);
    return set;
  } catch {
    return null;
  }
}
