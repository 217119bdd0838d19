import type { JsonObject } from '../types.js';
import type { Budget } from './budget.js';

/** As Object.hasOwn, and quicker: no value of JSON is undefined, and none is what every object inherits. */
export function hasKey(object: JsonObject, key: string): boolean {
  const value: unknown = object[key];
  return value !== undefined && typeof value !== 'function' && key !== '__proto__';
}

const MANY_KEYS = 1_000;

/** For a list of an object's keys. Those of a large object lie in no order, and take far longer each. */
export function payForKeys(count: number, budget: Budget): void {
  budget.left -= count > MANY_KEYS ? 10 * count : count;
}

export function listKeys(object: JsonObject, budget: Budget): string[] {
  const keys = Object.keys(object);
  payForKeys(keys.length, budget);
  return keys;
}

export function countKeys(object: JsonObject, budget: Budget): number {
  return listKeys(object, budget).length;
}

/** In characters, each of one or two units, so most texts need not be counted. */
export function hasLength(text: string, least: number, most: number, budget: Budget): boolean {
  const units = text.length;
  if (units < least || units > 2 * most) return false;
  if (units >= 2 * least && units <= most) return true;
  budget.left -= units >> 3;
  const characters = countCharacters(text);
  return characters >= least && characters <= most;
}

export function countCharacters(text: string): number {
  let characters = 0;
  for (let index = 0; index < text.length; index++) {
    characters++;
    if (text.codePointAt(index)! > 0xffff) index++;
  }
  return characters;
}
