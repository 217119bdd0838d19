import { makeResolver } from '../../json/schema/subschemas.js';
import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { list, nameKey, namePlace } from '../wording.js';
import { checkLimits } from './limits.js';

/** Why a value cannot be carried, in a whole sentence. */
interface MappingProblem {
  path: JsonPath;
  message: string;
}

export type Mapped =
  | { status: 'mapped'; value: JsonValue }
  | { status: 'refused'; problems: MappingProblem[] };

/** A JSON Schema in the part of the language that strict services take, with the way there and back for values. */
interface StrictTransport {
  schema: JsonObject;
  /** From a value of the plain schema to one of the strict schema. */
  encode(value: JsonValue): Mapped;
  /** And back. What comes out has the right shape; whether it is valid is still to be judged. */
  decode(value: JsonValue): Mapped;
}

export type StrictRead =
  | { status: 'made'; transport: StrictTransport }
  | { status: 'refused'; problems: SchemaProblem[] };

type Kind = 'object' | 'array' | 'scalar';
type Convert = (value: JsonValue, path: JsonPath, problems: MappingProblem[]) => JsonValue;

/** One schema in its strict form. */
interface Part {
  schema: JsonObject;
  /** What kind of value it is for, in a report and in the strict form. */
  plain: Kind;
  strict: Kind;
  isNullable: boolean;
  encode: Convert;
  decode: Convert;
}

const SAME: Convert = (value) => value;
const NULL: JsonObject = { type: 'null' };

/** What a strict schema may say of each type; whatever else only constrains is left to the judge. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'pattern'],
  number: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: ['enum'],
  null: [],
};

const OUTSIDE = ['allOf', 'if', 'patternProperties', 'dependentSchemas'];

/** Levels of schemas that strict services take. */
const MOST_LEVELS = 10;
/** References are written out, so that a small schema can become a large one. */
const MOST_PARTS = 5_000;

/** Problems of a value that are told one by one. */
const MOST_PROBLEMS = 100;

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
export function strictTransport(schema: JsonObject): StrictRead {
  try {
    const part = rewriteRoot(schema);
    const problems = checkLimits(part.schema);
    if (problems.length > 0) return { status: 'refused', problems };
    const map =
      (convert: Convert) =>
      (value: JsonValue): Mapped => {
        const found: MappingProblem[] = [];
        const mapped = convert(value, [], found);
        return found.length > 0
          ? { status: 'refused', problems: found.slice(0, MOST_PROBLEMS) }
          : { status: 'mapped', value: mapped };
      };
    const transport = { schema: part.schema, encode: map(part.encode), decode: map(part.decode) };
    return { status: 'made', transport };
  } catch (error) {
    if (!(error instanceof OutsideSubset)) throw error;
    return { status: 'refused', problems: [{ message: error.message, path: error.path }] };
  }
}

/** The rules of a report under `allOf` are the judge's. */
function rewriteRoot({ allOf: _, ...root }: JsonObject): Part {
  const resolve = makeResolver(root);
  let parts = 0;

  const rewrite = (schema: JsonValue, path: JsonPath, level: number, open: readonly string[]): Part => {
    if (++parts > MOST_PARTS)
      throw new OutsideSubset('It is too large with its references written out.', path);
    if (level > MOST_LEVELS) throw new OutsideSubset(`It is more than ${MOST_LEVELS} levels deep.`, path);
    if (!isJsonObject(schema)) throw new OutsideSubset('It does not say which type it is.', path);
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
    const under = (inner: JsonValue, step: JsonPath, below: number) =>
      rewrite(inner, [...path, ...step], level + below, open);
    const part =
      alternatives.length > 1
        ? joinAlternatives(
            alternatives.map((inner, at) => under(inner, at === 0 ? [] : ['anyOf', at], 1)),
            path,
          )
        : rewriteType(alternatives[0]!, path, under);
    return describe(part, description);
  };
  return rewrite(root, [], 0, []);
}

const SAID_TWICE = ['type', 'title', 'description', '$comment', 'default', 'examples', '$defs'];

/** Both must hold. What the second says stands before what the first says; more than words cannot be said twice. */
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

function rewriteType(
  schema: JsonObject,
  path: JsonPath,
  under: (inner: JsonValue, step: JsonPath, below: number) => Part,
): Part {
  const { type = isJsonObject(schema.properties) ? 'object' : undefined } = schema;
  if (type === 'object') return rewriteObject(schema, path, under);
  if (type === 'array')
    return Array.isArray(schema.prefixItems)
      ? rewriteTuple(schema, schema.prefixItems, path, under)
      : rewriteList(schema, under);
  const kept = typeof type === 'string' && Object.hasOwn(KEPT, type) ? KEPT[type]! : null;
  if (kept === null) throw new OutsideSubset('It does not say which type it is.', path);
  const said = Object.entries(schema).filter(([key]) => kept.includes(key));
  return {
    schema: { type: type as string, ...Object.fromEntries(said) },
    ...{ plain: 'scalar', strict: 'scalar', isNullable: type === 'null', encode: SAME, decode: SAME },
  };
}

function rewriteList(
  { items = true, minItems, maxItems }: JsonObject,
  under: (inner: JsonValue, step: JsonPath, below: number) => Part,
): Part {
  const part = under(items, ['items'], 1);
  const each =
    (convert: Convert): Convert =>
    (value, path, problems) =>
      Array.isArray(value) ? value.map((item, at) => convert(item, [...path, at], problems)) : value;
  const counts = { ...(minItems !== undefined && { minItems }), ...(maxItems !== undefined && { maxItems }) };
  return {
    schema: { type: 'array', items: part.schema, ...counts },
    ...{ plain: 'array', strict: 'array', isNullable: false },
    encode: each(part.encode),
    decode: each(part.decode),
  };
}

interface Field {
  name: string;
  isRequired: boolean;
  part: Part;
}

function rewriteObject(
  { properties = {}, required, additionalProperties = true }: JsonObject,
  path: JsonPath,
  under: (inner: JsonValue, step: JsonPath, below: number) => Part,
): Part {
  if (typeof additionalProperties !== 'boolean') throw new OutsideSubset('Its keys have no names.', path);
  const fields = Object.entries(properties as JsonObject)
    .filter(([, inner]) => !allowsNothing(inner))
    .map(([name, inner]): Field => {
      const isRequired = Array.isArray(required) && required.includes(name);
      return { name, isRequired, part: under(inner, ['properties', name], isRequired ? 1 : 2) };
    });
  if (fields.length === 0) throw new OutsideSubset('It is an object without named keys.', path);
  return {
    schema: writeObject(fields),
    ...{ plain: 'object', strict: 'object', isNullable: false },
    encode: (value, at, problems) => {
      if (!isJsonObject(value)) return value;
      refuseUnknown(value, fields, at, problems);
      return Object.fromEntries(
        fields.map(({ name, part }) => [
          name,
          Object.hasOwn(value, name) ? part.encode(value[name]!, [...at, name], problems) : null,
        ]),
      );
    },
    decode: (value, at, problems) => {
      if (!requireFields(value, fields, at, problems)) return null;
      const entries = fields.map(({ name, isRequired, part }): [string, JsonValue] | null => {
        if (value[name] === null && !isRequired && !part.isNullable) return null;
        return [name, part.decode(value[name]!, [...at, name], problems)];
      });
      return Object.fromEntries(entries.filter((entry) => entry !== null));
    },
  };
}

/** A list whose places have titles becomes an object with these keys. */
function rewriteTuple(
  { minItems, maxItems }: JsonObject,
  places: readonly JsonValue[],
  path: JsonPath,
  under: (inner: JsonValue, step: JsonPath, below: number) => Part,
): Part {
  const fields = places.map((place, at): Field => {
    if (
      !isJsonObject(place) ||
      typeof place.title !== 'string' ||
      minItems !== places.length ||
      maxItems !== minItems
    )
      throw new OutsideSubset('It has `prefixItems`.', path);
    return { name: place.title, isRequired: true, part: under(place, ['prefixItems', at], 1) };
  });
  return {
    schema: writeObject(fields),
    ...{ plain: 'array', strict: 'object', isNullable: false },
    encode: (value, at, problems) => {
      if (!Array.isArray(value)) return value;
      return Object.fromEntries(
        fields.map(({ name, part }, index) => [
          name,
          part.encode(value[index] ?? null, [...at, index], problems),
        ]),
      );
    },
    decode: (value, at, problems) => {
      if (!requireFields(value, fields, at, problems)) return null;
      return fields.map(({ name, part }) => part.decode(value[name]!, [...at, name], problems));
    },
  };
}

/** A value is told apart by whether it is an object, a list or neither. */
function joinAlternatives(parts: readonly Part[], path: JsonPath): Part {
  for (const side of ['plain', 'strict'] as const)
    for (const kind of ['object', 'array'])
      if (parts.filter((part) => part[side] === kind).length > 1)
        throw new OutsideSubset(
          `It allows several kinds of ${kind === 'array' ? 'lists' : 'objects'}.`,
          path,
        );
  const choose = (side: 'plain' | 'strict', value: JsonValue) =>
    parts.find((part) => part[side] === kindOf(value));
  return {
    schema: { anyOf: parts.flatMap(({ schema }) => (Array.isArray(schema.anyOf) ? schema.anyOf : [schema])) },
    plain: parts.find(({ plain }) => plain !== 'scalar')?.plain ?? 'scalar',
    strict: parts.find(({ strict }) => strict !== 'scalar')?.strict ?? 'scalar',
    isNullable: parts.some(({ isNullable }) => isNullable),
    encode: (value, at, problems) => choose('plain', value)?.encode(value, at, problems) ?? value,
    decode: (value, at, problems) => choose('strict', value)?.decode(value, at, problems) ?? value,
  };
}

function kindOf(value: JsonValue): Kind {
  return isJsonObject(value) ? 'object' : Array.isArray(value) ? 'array' : 'scalar';
}

function describe(part: Part, description: JsonValue | undefined): Part {
  return typeof description === 'string' ? { ...part, schema: { description, ...part.schema } } : part;
}

function writeObject(fields: readonly Field[]): JsonObject {
  const properties = Object.fromEntries(
    fields.map(({ name, isRequired, part }) => [name, isRequired ? part.schema : allowNull(part)]),
  );
  return {
    type: 'object',
    properties,
    required: fields.map(({ name }) => name),
    additionalProperties: false,
  };
}

function allowNull({ schema, isNullable }: Part): JsonObject {
  if (isNullable) return schema;
  const { description, ...own } = schema;
  const about =
    typeof description === 'string' ? `${description} null leaves it out.` : 'null leaves it out.';
  return { description: about, anyOf: [...(Array.isArray(own.anyOf) ? own.anyOf : [own]), NULL] };
}

function requireFields(
  value: JsonValue,
  fields: readonly Field[],
  path: JsonPath,
  problems: MappingProblem[],
): value is JsonObject {
  if (!isJsonObject(value)) {
    problems.push({ path, message: `${namePlace(path)} must be an object in the strict form.` });
    return false;
  }
  refuseUnknown(value, fields, path, problems);
  const missing = fields.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name }) => nameKey(name));
  if (missing.length === 0) return true;
  const message = `${namePlace(path)} lacks ${list(missing, 'and')}; a strict object has all its keys.`;
  problems.push({ path, message });
  return false;
}

function refuseUnknown(
  value: JsonObject,
  fields: readonly Field[],
  path: JsonPath,
  problems: MappingProblem[],
): void {
  const known = new Set(fields.map(({ name }) => name));
  for (const key of Object.keys(value))
    if (!known.has(key))
      problems.push({ path: [...path, key], message: `The strict form has no place for ${nameKey(key)}.` });
}

/** `false`, or what is not anything: it belongs to another level. */
function allowsNothing(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === false;
  return isJsonObject(schema.not) && Object.keys(schema.not).length === 0;
}
