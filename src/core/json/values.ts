import type { JsonObject, JsonPath, JsonValue } from './types.js';

/** Whether it is an object, and neither a list nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As JSON Schema compares: numbers by value, lists in their order, objects in any order of their keys. */
export function jsonEquals(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => jsonEquals(item, b[index]!));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEquals(a[key]!, b[key]!));
}

/** Whether every surrogate has its other half. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** Every text in a value that passes the test, with the way to it; keys are none. */
export function* findTexts(
  value: JsonValue,
  test: (text: string) => boolean,
  path: JsonPath = [],
): Generator<{ text: string; path: JsonPath }> {
  if (typeof value === 'string') {
    if (test(value)) yield { text: value, path };
  } else if (Array.isArray(value)) {
    for (const [at, inner] of value.entries()) yield* findTexts(inner, test, [...path, at]);
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) yield* findTexts(inner, test, [...path, key]);
  }
}
