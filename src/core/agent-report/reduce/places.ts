import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { makeResolver } from '../subschemas.js';

/** Of a place that more schemas than this speak of, nothing is cut. */
const MOST_SCHEMAS = 200;

/** A place in a value, with all that may hold there, whichever alternatives do: rather too much than too little. */
export interface Place {
  readonly schemas: readonly JsonObject[];
  ofText(): TextRules;
  ofList(): ListRules;
  ofObject(): ObjectRules;
}

interface TextRules {
  /** Only certain values are allowed. */
  isFixed: boolean;
  /** Any other text of that length would do. */
  isFree: boolean;
  minLength: number;
}

interface ListRules {
  isFixed: boolean;
  /** Whether entries at the end may go. */
  isOpen: boolean;
  least: number;
  at(index: number): Place;
}

interface ObjectRules {
  isFixed: boolean;
  isOpen: boolean;
  /** How many keys there must be. */
  least: number;
  /** Whether a key is one of any number, as an entry of a list is. */
  isEntry(key: string): boolean;
  at(key: string): Place;
}

type Kind = 'string' | 'array' | 'object';

/** The places of values that a schema speaks of, each by the schemas that begin there. */
export function openPlaces(root: JsonObject): (schemas: readonly JsonValue[]) => Place {
  const resolve = makeResolver(root);
  const ids = new Map<JsonObject, number>();
  const places = new Map<string, Place>();

  const idOf = (schema: JsonObject): number => {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  };

  const placeOf = (schemas: readonly JsonValue[]): Place => {
    const own = [...new Set(schemas.filter(isJsonObject))].slice(0, MOST_SCHEMAS + 1);
    const key = own
      .map(idOf)
      .sort((a, b) => a - b)
      .join();
    return lookUp(places, key, () => makePlace(own));
  };

  const makePlace = (schemas: readonly JsonObject[]): Place => ({
    schemas,
    ofText: keep(() => readTextRules(expand(schemas, 'string'))),
    ofList: keep(() => readListRules(expand(schemas, 'array'), placeOf)),
    ofObject: keep(() => readObjectRules(expand(schemas, 'object'), placeOf)),
  });

  /** With all that they apply to the same value; what speaks of other kinds of values is no part of it. */
  const expand = (schemas: readonly JsonObject[], kind: Kind): JsonObject[] => {
    const found = new Set<JsonObject>();
    const add = (schema: JsonValue | undefined): void => {
      if (!isJsonObject(schema) || found.has(schema) || found.size > MOST_SCHEMAS) return;
      if (!admits(schema, kind)) return;
      found.add(schema);
      if (typeof schema.$ref === 'string') add(resolve(schema.$ref));
      for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) listOf(schema[keyword]).forEach(add);
      for (const keyword of ['then', 'else'] as const) add(schema[keyword]);
      if (isJsonObject(schema.dependentSchemas)) Object.values(schema.dependentSchemas).forEach(add);
    };
    schemas.forEach(add);
    return [...found];
  };
  return placeOf;
}

function keep<T>(make: () => T): () => T {
  let kept: T | undefined;
  return () => (kept ??= make());
}

function lookUp<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** Whether a schema may hold for a value of that kind; `{"not": {}}` holds for none. */
function admits({ type, not }: JsonObject, kind: Kind): boolean {
  if (isJsonObject(not) && Object.keys(not).length === 0) return false;
  return type === undefined || type === kind || listOf(type).includes(kind);
}

function readTextRules(schemas: readonly JsonObject[]): TextRules {
  return {
    isFixed: namesValues(schemas),
    isFree: !saysAny(schemas, ['pattern', 'format', 'contentEncoding', 'not', 'if']),
    minLength: mostOf(schemas, ({ minLength }) => minLength),
  };
}

function readListRules(
  schemas: readonly JsonObject[],
  placeOf: (schemas: readonly JsonValue[]) => Place,
): ListRules {
  const fixed = mostOf(schemas, ({ prefixItems }) => listOf(prefixItems).length);
  const known = new Map<number, Place>();
  return {
    isFixed: namesValues(schemas),
    isOpen: !saysAny(schemas, ['contains', 'not', 'if']),
    // A list with places of its own is one value, such as a pair.
    least: Math.max(
      fixed,
      mostOf(schemas, ({ minItems }) => minItems),
    ),
    at(index) {
      const at = Math.min(index, fixed);
      const find = () =>
        placeOf(schemas.map(({ prefixItems, items = true }) => listOf(prefixItems)[at] ?? items));
      return lookUp(known, at, find);
    },
  };
}

function readObjectRules(
  schemas: readonly JsonObject[],
  placeOf: (schemas: readonly JsonValue[]) => Place,
): ObjectRules {
  const named = new Set(
    schemas.flatMap(({ properties }) => Object.keys(isJsonObject(properties) ? properties : {})),
  );
  const required = new Set(schemas.flatMap(({ required }) => listOf(required)));
  const isMap = schemas.some(
    ({ additionalProperties, patternProperties }) =>
      isJsonObject(additionalProperties) || isJsonObject(patternProperties),
  );
  const find = (key: string | null): Place =>
    placeOf(
      schemas.flatMap(({ properties, patternProperties, additionalProperties = true }) => {
        const isNamed = key !== null && isJsonObject(properties) && Object.hasOwn(properties, key);
        const patterns = Object.values(isJsonObject(patternProperties) ? patternProperties : {});
        return [...patterns, isNamed ? properties[key]! : additionalProperties];
      }),
    );
  const known = new Map<string, Place>();
  const other = keep(() => find(null));
  return {
    isFixed: namesValues(schemas),
    isOpen: !saysAny(schemas, ['not', 'if', 'dependentRequired', 'dependentSchemas']),
    least: mostOf(schemas, ({ minProperties }) => minProperties),
    isEntry: (key) => isMap && !named.has(key) && !required.has(key),
    at: (key) => (named.has(key) ? lookUp(known, key, () => find(key)) : other()),
  };
}

/** Whether only certain values are allowed; also where there is more than is looked at. */
function namesValues(schemas: readonly JsonObject[]): boolean {
  return schemas.length > MOST_SCHEMAS || saysAny(schemas, ['const', 'enum']);
}

function saysAny(schemas: readonly JsonObject[], keywords: readonly string[]): boolean {
  return schemas.some((schema) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
}

function mostOf(schemas: readonly JsonObject[], read: (schema: JsonObject) => JsonValue | undefined): number {
  return schemas.reduce((most, schema) => {
    const value = read(schema);
    return typeof value === 'number' ? Math.max(most, value) : most;
  }, 0);
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
