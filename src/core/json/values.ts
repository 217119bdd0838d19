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

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** Has only own keys from the text, never `__proto__`; look keys up with `Object.hasOwn`. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The keys and positions (from 0) that lead to a value; none is the value itself. */
export type JsonPath = readonly (string | number)[];

/** Why a text is not usable JSON. */
export interface JsonProblem {
  code: JsonProblemCode;
  /** A full sentence, for a person and for the model that wrote the text. */
  message: string;
  /** What to write instead. */
  hint: string;
  path: JsonPath;
  /** 1-based, in the text as it came. */
  line: number;
  /** 1-based, in UTF-16 units. */
  column: number;
}

export type JsonProblemCode =
  | 'json-empty'
  | 'json-invalid'
  /** The text ends in the middle of a value. */
  | 'json-cut-off'
  /** There is text before or after the value. */
  | 'json-around'
  | 'json-too-deep'
  | 'json-key-repeated'
  /** `__proto__` */
  | 'json-key-forbidden'
  /** A lone surrogate, as such or as an escape. */
  | 'json-half-character';

export type JsonRead = { status: 'value'; value: JsonValue } | { status: 'refused'; problem: JsonProblem };

/** The objects in a text, between other words, fenced or not. */
export interface JsonFound {
  /** In the order of the text; none is inside another object. */
  found: FoundObject[];
  /** Text that starts like an object, contains the wanted key, and is not JSON. */
  broken: { from: number; problem: JsonProblem }[];
  /** False if the text has too many starts of objects to try them all. */
  complete: boolean;
}

/** Offsets in the text, `to` exclusive. */
interface FoundObject {
  value: JsonObject;
  from: number;
  to: number;
}
