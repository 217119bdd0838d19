import type { JsonValue } from '../types.js';

/** The kinds of JSON values as JSON Schema tells them apart. A number without a fraction is an integer, 1.0 too. */
export const KINDS = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

// A set of kinds is a sum of these.
const NULL = 1;
const BOOLEAN = 2;
const INTEGER = 4;
const FRACTION = 8;
export const NUMBER = INTEGER | FRACTION;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const ANY = 127;
export const NONE = 0;

/** What the names of `type` mean. */
export const TYPES: ReadonlyMap<string, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['integer', INTEGER],
  ['number', NUMBER],
  ['string', STRING],
  ['array', ARRAY],
  ['object', OBJECT],
]);

/** The place of a value's kind in KINDS; a number with a fraction is at `number`. Its set is `1 << place`. */
export function kindOf(value: JsonValue): number {
  if (typeof value === 'string') return 4;
  if (typeof value === 'number') return Number.isInteger(value) ? 2 : 3;
  if (typeof value === 'boolean') return 1;
  return value === null ? 0 : Array.isArray(value) ? 5 : 6;
}
