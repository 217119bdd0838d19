import { allowsNothing, makeResolver } from '../../json/schema/keywords.js';
import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import { list, nameKey, namePlace } from '../issue.js';

/** A schema in the part of the language that strict services take, and what its values need on their way there and back. */
export interface StrictForm {
  schema: JsonObject;
  isNullable: boolean;
  /** The keys of the one kind of object that it allows; null where it allows none. */
  fields: readonly Field[] | null;
  /** What is in the one kind of list that it allows; null where it allows none. */
  items: StrictForm | null;
}

interface Field {
  name: string;
  isRequired: boolean;
  form: StrictForm;
}

export type StrictRead =
  | { status: 'made'; form: StrictForm }
  | { status: 'refused'; problems: SchemaProblem[] };

/** Problems say why a value cannot be carried, in whole sentences. */
export type ConvertedValue =
  | { status: 'carried'; value: JsonValue }
  | { status: 'refused'; problems: SchemaProblem[] };

const NULL: JsonObject = { type: 'null' };

/** What a strict schema may say of each type; whatever else only constrains is left to the judge. */
const NUMERIC = ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'pattern'],
  number: NUMERIC,
  integer: NUMERIC,
  boolean: ['enum'],
  null: [],
};

const OUTSIDE = ['allOf', 'if', 'patternProperties', 'dependentSchemas', 'prefixItems'];

/** Levels of schemas that strict services take. */
const MOST_LEVELS = 10;
/** References are written out, so that a small schema can become a large one. */
const MOST_PARTS = 5_000;

class OutsideSubset extends Error {
  constructor(
    message: string,
    readonly path: JsonPath,
  ) {
    super(message);
  }
}

/**
 * For objects with named keys, lists, texts, numbers, true and false, null, and a choice between such. Every key becomes
 * required; one that may be missing may be null instead. Any other schema is refused, with the place. Never throws.
 */
export function makeStrict(schema: JsonObject): StrictRead {
  try {
    const form = rewriteRoot(schema);
    const problems = checkLimits(form.schema);
    return problems.length > 0 ? { status: 'refused', problems } : { status: 'made', form };
  } catch (error) {
    if (!(error instanceof OutsideSubset)) throw error;
    return { status: 'refused', problems: [{ message: error.message, path: error.path }] };
  }
}

type Rewrite = (inner: JsonValue, step: JsonPath, levels: number) => StrictForm;

/** The rules of a report under `allOf` are the judge's. */
function rewriteRoot({ allOf: _, ...root }: JsonObject): StrictForm {
  const resolve = makeResolver(root);
  let parts = 0;

  const rewrite = (schema: JsonValue, path: JsonPath, level: number, open: readonly string[]): StrictForm => {
    if (++parts > MOST_PARTS)
      throw new OutsideSubset('It is too large once its references are expanded.', path);
    if (level > MOST_LEVELS) throw new OutsideSubset(`It is more than ${MOST_LEVELS} levels deep.`, path);
    if (!isJsonObject(schema)) throw new OutsideSubset('It has no type.', path);
    const { $ref, description } = schema;
    if (typeof $ref === 'string') {
      if (open.includes($ref)) throw new OutsideSubset('It refers to itself.', path);
      const target = resolve($ref);
      const { $ref: __, type: ___, ...own } = schema;
      const whole = isJsonObject(target) ? combine(target, own, path) : target!;
      return rewrite(whole, path, level, [...open, $ref]);
    }
    const keyword = OUTSIDE.find((each) => Object.hasOwn(schema, each));
    if (keyword) throw new OutsideSubset(`It has \`${keyword}\`.`, path);
    const alternatives = listAlternatives(schema, path);
    const under: Rewrite = (inner, step, levels) => rewrite(inner, [...path, ...step], level + levels, open);
    const form =
      alternatives.length > 1
        ? joinAlternatives(
            alternatives.map((inner, at) => under(inner, at === 0 ? [] : ['anyOf', at], 1)),
            path,
          )
        : rewriteType(alternatives[0]!, path, under);
    return typeof description === 'string' ? { ...form, schema: { description, ...form.schema } } : form;
  };
  return rewrite(root, [], 0, []);
}

const SAID_TWICE = ['type', 'title', 'description', '$comment', 'default', 'examples', '$defs'];

/** Both must hold. The second comes before the first; more than words cannot be said twice. */
function combine(first: JsonObject, second: JsonObject, path: JsonPath): JsonObject {
  const twice = Object.keys(second).find((key) => Object.hasOwn(first, key) && !SAID_TWICE.includes(key));
  if (twice !== undefined) throw new OutsideSubset(`It has \`${twice}\` twice.`, path);
  return { ...first, ...second };
}

/** A schema of several types, with null among its values or with `anyOf`, as several of one type. */
function listAlternatives(schema: JsonObject, path: JsonPath): JsonObject[] {
  const { anyOf, oneOf, description: _, ...own } = schema;
  const choice = anyOf ?? oneOf;
  if (Array.isArray(choice)) {
    const others = choice.filter(isJsonObject).map((inner) => combine(own, inner, path));
    if (others.length < choice.length) throw new OutsideSubset('It allows anything.', path);
    return others;
  }
  const values = Object.hasOwn(own, 'const') ? [own.const!] : Array.isArray(own.enum) ? own.enum : null;
  if (values) {
    const types = new Set(values.map(typeOfValue));
    return [...types].map((type) =>
      type === 'null' ? NULL : { type, enum: values.filter((value) => typeOfValue(value) === type) },
    );
  }
  return Array.isArray(own.type) ? own.type.map((type) => ({ ...own, type })) : [own];
}

function typeOfValue(value: JsonValue): string {
  return value === null ? 'null' : typeof value;
}

function rewriteType(schema: JsonObject, path: JsonPath, under: Rewrite): StrictForm {
  const { type = isJsonObject(schema.properties) ? 'object' : undefined } = schema;
  if (type === 'object') return rewriteObject(schema, path, under);
  if (type === 'array') return rewriteList(schema, under);
  const kept = typeof type === 'string' && Object.hasOwn(KEPT, type) ? KEPT[type]! : null;
  if (kept === null) throw new OutsideSubset('It has no type.', path);
  const said = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.includes(key)));
  return {
    schema: { type: type as string, ...said },
    isNullable: type === 'null',
    fields: null,
    items: null,
  };
}

function rewriteList({ items = true, ...schema }: JsonObject, under: Rewrite): StrictForm {
  const form = under(items, ['items'], 1);
  const counts = Object.entries(schema).filter(([key]) => key === 'minItems' || key === 'maxItems');
  return {
    schema: { type: 'array', items: form.schema, ...Object.fromEntries(counts) },
    isNullable: false,
    fields: null,
    items: form,
  };
}

function rewriteObject(
  { properties = {}, required, additionalProperties = true }: JsonObject,
  path: JsonPath,
  under: Rewrite,
): StrictForm {
  if (typeof additionalProperties !== 'boolean') throw new OutsideSubset('Its keys have no names.', path);
  const fields = Object.entries(properties as JsonObject)
    .filter(([, inner]) => !allowsNothing(inner))
    .map(([name, inner]): Field => {
      const isRequired = Array.isArray(required) && required.includes(name);
      return { name, isRequired, form: under(inner, ['properties', name], isRequired ? 1 : 2) };
    });
  if (fields.length === 0) throw new OutsideSubset('It is an object without named keys.', path);
  const written = fields.map(({ name, isRequired, form }) => [
    name,
    isRequired ? form.schema : allowNull(form),
  ]);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(written),
      required: fields.map(({ name }) => name),
      additionalProperties: false,
    },
    isNullable: false,
    fields,
    items: null,
  };
}

function allowNull({ schema, isNullable }: StrictForm): JsonObject {
  if (isNullable) return schema;
  const { description, ...own } = schema;
  const about =
    typeof description === 'string' ? `${description} null leaves it out.` : 'null leaves it out.';
  return { description: about, anyOf: [...alternativesOf(own), NULL] };
}

/** A value is told apart by whether it is an object, a list or neither. */
function joinAlternatives(forms: readonly StrictForm[], path: JsonPath): StrictForm {
  const [object, otherObject] = forms.filter(({ fields }) => fields);
  const [array, otherArray] = forms.filter(({ items }) => items);
  if (otherObject) throw new OutsideSubset('It allows several kinds of objects.', path);
  if (otherArray) throw new OutsideSubset('It allows several kinds of lists.', path);
  return {
    schema: { anyOf: forms.flatMap(({ schema }) => alternativesOf(schema)) },
    isNullable: forms.some(({ isNullable }) => isNullable),
    fields: object?.fields ?? null,
    items: array?.items ?? null,
  };
}

function alternativesOf(schema: JsonObject): JsonValue[] {
  return Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
}

/** What OpenAI's service takes in one schema. */
const LIMITS = {
  properties: 5_000,
  enumValues: 1_000,
  /** Of names of properties and of values of enums, together. */
  characters: 120_000,
  /** Values of one enum, from which on their characters count. */
  manyValues: 250,
  charactersOfMany: 15_000,
};

/** Where a strict schema is too large to be taken. */
function checkLimits(root: JsonObject): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const limit = (what: string, count: number, most: number) => {
    const message = `The strict form has ${count} ${what}; strict services accept ${most}.`;
    if (count > most) problems.push({ path: [], message });
  };
  let [properties, enumValues, characters] = [0, 0, 0];
  const count = (schema: JsonValue): void => {
    if (!isJsonObject(schema)) return;
    if (isJsonObject(schema.properties)) {
      const names = Object.keys(schema.properties);
      properties += names.length;
      characters += lengthOf(names);
      Object.values(schema.properties).forEach(count);
    }
    if (Array.isArray(schema.enum)) {
      const length = lengthOf(schema.enum);
      enumValues += schema.enum.length;
      characters += length;
      if (schema.enum.length > LIMITS.manyValues)
        limit('characters in one list of values', length, LIMITS.charactersOfMany);
    }
    if (Array.isArray(schema.anyOf)) schema.anyOf.forEach(count);
    if (schema.items !== undefined) count(schema.items);
  };
  count(root);
  limit('keys', properties, LIMITS.properties);
  limit('listed values', enumValues, LIMITS.enumValues);
  limit('characters in names and listed values', characters, LIMITS.characters);
  return problems;
}

function lengthOf(values: readonly JsonValue[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0);
}

/** Problems of a value that are told one by one. */
const MOST_PROBLEMS = 100;

/**
 * A value of the plain schema in the strict form (`encode`), or one of the strict form in the plain one (`decode`), which
 * has the right shape then; whether it is valid is still to be judged.
 */
export function convertValue(root: StrictForm, whole: JsonValue, way: 'encode' | 'decode'): ConvertedValue {
  const problems: SchemaProblem[] = [];

  const carry = ({ schema, fields, items }: StrictForm, value: JsonValue, path: JsonPath): JsonValue => {
    if (items && Array.isArray(value)) return value.map((item, at) => carry(items, item, [...path, at]));
    if (fields && isJsonObject(value)) return carryObject(fields, value, path);
    if (way === 'decode' && schema.type === 'object')
      problems.push({ path, message: `${namePlace(path)} must be an object in the strict form.` });
    return value;
  };

  const carryObject = (fields: readonly Field[], value: JsonObject, path: JsonPath): JsonObject => {
    const known = new Set(fields.map(({ name }) => name));
    for (const key of Object.keys(value))
      if (!known.has(key))
        problems.push({ path: [...path, key], message: `The strict form has no key ${nameKey(key)}.` });
    const missing = fields.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name }) => nameKey(name));
    if (way === 'decode' && missing.length > 0) {
      const message = `${namePlace(path)} lacks ${list(missing, 'and')}; a strict object needs all its keys.`;
      problems.push({ path, message });
      return value;
    }
    const carried = fields.flatMap(({ name, isRequired, form }): [string, JsonValue][] => {
      if (!Object.hasOwn(value, name)) return [[name, null]];
      const isLeftOut = way === 'decode' && value[name] === null && !isRequired && !form.isNullable;
      return isLeftOut ? [] : [[name, carry(form, value[name]!, [...path, name])]];
    });
    return Object.fromEntries(carried);
  };

  const value = carry(root, whole, []);
  return problems.length > 0
    ? { status: 'refused', problems: problems.slice(0, MOST_PROBLEMS) }
    : { status: 'carried', value };
}
