import type { JsonObject, JsonValue } from './values.js';
import { isJsonObject } from './values.js';

// Objects of others are untrusted: a member of the wrong type counts as missing.

export function valueAt(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

export function textAt(value: JsonObject, key: string): string | null {
  const found = valueAt(value, key);
  return typeof found === 'string' ? found : null;
}

export function objectAt(value: JsonObject, key: string): JsonObject | null {
  const found = valueAt(value, key);
  return isJsonObject(found) ? found : null;
}

function listAt(value: JsonObject, key: string): readonly JsonValue[] {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found : [];
}

/** The objects among the entries of a list. */
export function objectsAt(value: JsonObject, key: string): JsonObject[] {
  return listAt(value, key).filter(isJsonObject);
}

/** The objects among the values of an object, whatever its keys. */
export function objectsIn(value: JsonObject | null): JsonObject[] {
  return value === null ? [] : Object.values(value).filter(isJsonObject);
}

/** Joins the strings in a list; null if there are none. */
export function textsAt(value: JsonObject, key: string): string | null {
  const texts = listAt(value, key).filter((entry) => typeof entry === 'string');
  return texts.length === 0 ? null : texts.join('; ');
}

/** Null if it is not a number, or not a valid amount. */
export function amountAt(value: JsonObject, key: string): number | null {
  const found = valueAt(value, key);
  // Adding 0 turns -0 into 0.
  return typeof found === 'number' && found >= 0 && found <= Number.MAX_SAFE_INTEGER ? found + 0 : null;
}

/** A whole number, or null. */
export function countAt(value: JsonObject, key: string): number | null {
  const found = amountAt(value, key);
  return Number.isInteger(found) ? found : null;
}

/** 0 if the key is missing: clients omit what did not happen. */
export function countOrNone(value: JsonObject, key: string): number | null {
  return Object.hasOwn(value, key) ? countAt(value, key) : 0;
}

export function millisecondsAt(value: JsonObject, key: string): number | null {
  const found = amountAt(value, key);
  return found === null ? null : Math.round(found);
}

/** Null if a count is unknown, if there are none, or if the sum is too large. */
export function sumOf(counts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const count of counts) {
    if (count === null) return null;
    sum += count;
  }
  return counts.length > 0 && Number.isSafeInteger(sum) ? sum : null;
}
