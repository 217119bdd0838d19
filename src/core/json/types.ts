export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** Has only own keys that somebody wrote, `__proto__` never among them; look keys up with `Object.hasOwn`. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The keys and positions (from 0) that lead to a value; none is the value itself. */
export type JsonPath = readonly (string | number)[];

/** Why a text is no JSON that can be worked with. */
export interface JsonProblem {
  code: JsonProblemCode;
  /** A whole sentence, for a person and for the model that wrote the text. */
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
  /** There is something before or behind the value. */
  | 'json-around'
  | 'json-too-deep'
  | 'json-key-repeated'
  /** `__proto__` */
  | 'json-key-forbidden'
  /** A lone surrogate, as such or as an escape. */
  | 'json-half-character';

export type JsonRead = { status: 'value'; value: JsonValue } | { status: 'refused'; problem: JsonProblem };

/** The objects that stand in a text between other words, fenced or not. */
export interface JsonFound {
  /** Those that are wanted, in the order of the text; none lies in another, wanted or not. */
  found: FoundObject[];
  /** What begins like an object and is none. */
  broken: BrokenObject[];
  /** False where there was too much that begins like an object to look at all of it. */
  complete: boolean;
}

/** Offsets in the text, `to` exclusive. */
export interface FoundObject {
  value: JsonObject;
  from: number;
  to: number;
  /** What had to be read with a tolerance, in the order of the text. */
  repairs: JsonRepair[];
}

/** A place that is not JSON, and what was read in its place. */
export interface JsonRepair {
  kind: 'comma' | 'comment' | 'word' | 'quote' | 'brace';
  from: number;
  to: number;
  put: string;
}

interface BrokenObject {
  from: number;
  /** Its own keys as far as it could be read, to tell what it was to be. */
  keys: string[];
  /** Line and column are those in the whole text. */
  problem: JsonProblem;
}
