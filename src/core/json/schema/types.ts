import type { JsonObject, JsonPath, JsonValue } from '../values.js';

/** A problem in a schema itself. */
export interface SchemaProblem {
  /** A full sentence. */
  message: string;
  /** Where in the schema. */
  path: JsonPath;
}

/** One way in which a value violates a schema. */
export interface SchemaFault {
  /**
   * The keyword that refuses it: `type`, `required`, `additionalProperties`; `false` where the schema allows nothing;
   * `limit` where the value could not be checked.
   */
  keyword: string;
  /** To the value. For a key that is missing or not allowed: to the object that lacks or has it. */
  path: JsonPath;
  /** The key that is missing or not allowed. */
  key?: string;
  /** What the keyword says: the type wanted, the list of values, the least length. */
  expected: JsonValue;
  /** The schema object that the keyword is in; its `description` may help to word it. */
  schema: JsonObject;
  value: JsonValue;
}

export interface CompiledSchema {
  /**
   * Every fault, `most` at the most (100 unless given); none means valid. Of alternatives (`anyOf`, `oneOf`) that all
   * fail, the faults of the one that was probably meant. Never throws.
   */
  check(value: JsonValue, options?: { most?: number }): SchemaFault[];
}

export type SchemaRead =
  | { status: 'compiled'; schema: CompiledSchema }
  | { status: 'refused'; problems: SchemaProblem[] };
