import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';

/**
 * What a value may be, as far as the strict transport tells values apart: the one thing from which the strict schema and
 * both mappings are made. A schema's own words are in `about`.
 */
export type Shape =
  | LeafShape
  | LiteralShape
  | JsonShape
  | ListShape
  | TupleShape
  | ObjectShape
  | MapShape
  | UnionShape
  | ReferenceShape
  | NeverShape;

export interface LeafShape {
  kind: 'leaf';
  type: 'string' | 'number' | 'integer' | 'boolean' | 'null';
  /** `pattern`, `minimum` and the like, as the strict schema has them. */
  limits: JsonObject;
  about: string | null;
}

export interface LiteralShape {
  kind: 'literal';
  type: 'string' | 'number' | 'integer' | 'boolean';
  values: JsonValue[];
  /** Each value is carried as a text that holds its JSON. */
  asText: boolean;
  about: string | null;
}

/** Whatever JSON there is, or whatever object, carried as a text. */
interface JsonShape {
  kind: 'json';
  holds: 'anything' | 'object';
  about: string | null;
}

interface ListShape {
  kind: 'list';
  items: Shape;
  least: number | null;
  most: number | null;
  about: string | null;
}

/** A list whose places have meanings, carried as an object. What is not required is missing from the end. */
export interface TupleShape {
  kind: 'tuple';
  fields: Field[];
  /** What may follow them. */
  rest: { name: string; shape: ListShape } | null;
  about: string | null;
}

export interface ObjectShape {
  kind: 'object';
  fields: Field[];
  /** The keys that have no names of their own. */
  rest: { name: string; shape: MapShape } | null;
  about: string | null;
}

/** An object whose keys are not known before, carried as a list of keys and values. */
export interface MapShape {
  kind: 'map';
  key: LeafShape | LiteralShape;
  value: Shape;
  least: number | null;
  most: number | null;
  about: string | null;
}

/** At least two; none is a union. */
export interface UnionShape {
  kind: 'union';
  alternatives: Shape[];
  about: string | null;
}

interface ReferenceShape {
  kind: 'reference';
  /** Of a definition. */
  name: string;
  about: string | null;
}

/** No value at all. */
export interface NeverShape {
  kind: 'never';
  about: null;
}

export interface Field {
  name: string;
  shape: Shape;
  required: boolean;
}

export type Definitions = ReadonlyMap<string, Shape>;

/** Why a value cannot be carried, in a whole sentence. */
export interface MappingProblem {
  path: JsonPath;
  message: string;
}

export const NEVER: NeverShape = { kind: 'never', about: null };
