import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';
import { type Field, type LeafShape, type LiteralShape, type MapShape, NEVER, type Shape } from './shape.js';

/** Reads a schema within the one at hand; `steps` lead to it. */
export type ReadInner = (schema: JsonValue, steps: JsonPath) => Shape;

/** Says that something cannot be carried, and gives a shape to go on with. */
export type Refuse = (message: string) => Shape;

const NUMBER_LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** Constraints that a strict schema has no words for; they are told in prose, and judged afterwards. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format'],
  array: ['uniqueItems'],
  object: ['minProperties', 'maxProperties'],
};

/** Groups other than `(?:`, references back, and classes that not every engine knows. */
const RARE_PATTERN = /\(\?[^:]|\\[1-9bBkpP]/;

export function readLeaf(type: string, schema: JsonObject): LeafShape {
  const told = TOLD[type] ?? [];
  if (type !== 'string') {
    const limits = type === 'number' || type === 'integer' ? pick(schema, NUMBER_LIMITS) : {};
    return { kind: 'leaf', type: type as LeafShape['type'], limits, about: tell(schema, told) };
  }
  const { pattern } = schema;
  const isPlain = typeof pattern === 'string' && !RARE_PATTERN.test(pattern);
  const about = tell(schema, isPlain ? told : [...told, 'pattern']);
  return { kind: 'leaf', type: 'string', limits: isPlain ? { pattern } : {}, about };
}

export function readArray(schema: JsonObject, inner: ReadInner, refuse: Refuse): Shape {
  const { prefixItems, items } = schema;
  const about = tell(schema, TOLD.array!);
  const least = countOf(schema.minItems);
  const most = countOf(schema.maxItems);
  if (Array.isArray(items)) return refuse('`items` holds a list of schemas; write `prefixItems`.');
  if (Array.isArray(prefixItems) && prefixItems.length > 0) {
    const places = most === null ? prefixItems : prefixItems.slice(0, most);
    const names = namePlaces(places);
    const fields = places.map(
      (place, index): Field => ({
        name: names[index]!,
        shape: inner(place, ['prefixItems', index]),
        required: index < (least ?? 0),
      }),
    );
    const open = fields.findIndex(({ shape }) => shape.kind === 'never');
    const cut = open === -1 ? fields : fields.slice(0, open);
    if (cut.length < Math.min(least ?? 0, fields.length)) return NEVER;
    const follows = isSchema(items) && cut.length === prefixItems.length && most !== prefixItems.length;
    if (!follows && (least ?? 0) > cut.length) return NEVER;
    if (cut.length === 0) return emptyList(about);
    if (!follows) return { kind: 'tuple', fields: cut, rest: null, about };
    const past = (count: number | null) => (count === null ? null : Math.max(0, count - cut.length));
    const rest = {
      kind: 'list' as const,
      items: inner(items, ['items']),
      least: past(least),
      most: past(most),
    };
    const name = freeName('more_items', names);
    return { kind: 'tuple', fields: cut, rest: { name, shape: { ...rest, about: null } }, about };
  }
  const shape = items === undefined ? inner(true, ['items']) : inner(items, ['items']);
  if (shape.kind === 'never') return (least ?? 0) > 0 ? NEVER : emptyList(about);
  return { kind: 'list', items: shape, least, most, about };
}

/** Lists and objects without anything in them are carried as texts: a strict object has at least one key. */
function emptyList(about: string | null): Shape {
  return { kind: 'literal', type: 'string', values: [[]], asText: true, about };
}

export function readObject(schema: JsonObject, inner: ReadInner, refuse: Refuse): Shape {
  const declared = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  if (Object.hasOwn(declared, '__proto__')) return refuse('No key may be `__proto__`.');
  const rest = readRest(schema, inner);
  if (rest === 'unlike')
    return refuse('Keys of several patterns hold unlike values here; write them as one pattern, or by name.');
  const fields: Field[] = [];
  for (const [name, property] of Object.entries(declared)) {
    const shape = inner(property, ['properties', name]);
    if (shape.kind !== 'never') fields.push({ name, shape, required: required.has(name) });
    else if (required.has(name)) return NEVER;
  }
  for (const name of required) {
    if (typeof name !== 'string' || Object.hasOwn(declared, name)) continue;
    if (isClosed && rest === null) return NEVER;
    if (name === '__proto__') return refuse('No key may be `__proto__`.');
    fields.push({ name, shape: rest ? rest.value : inner(true, ['required']), required: true });
  }
  const about = tell(schema, TOLD.object!);
  if (fields.length > 0) {
    const ordered = inKeyOrder(fields);
    const name = freeName(
      'other_keys',
      fields.map((field) => field.name),
    );
    return { kind: 'object', fields: ordered, rest: rest && { name, shape: rest }, about };
  }
  if (rest === null)
    return isClosed || Object.keys(declared).length > 0
      ? { kind: 'literal', type: 'string', values: [{}], asText: true, about }
      : { kind: 'json', holds: 'object', about };
  const limits = { least: countOf(schema.minProperties), most: countOf(schema.maxProperties) };
  return { ...rest, ...limits };
}

/** In the order that an object has its keys in: numbers come first. */
function inKeyOrder(fields: readonly Field[]): Field[] {
  return Object.values(Object.fromEntries(fields.map((field) => [field.name, field])));
}

/** What keys without names of their own may hold; null where there are none, or nothing is said of them. */
function readRest(schema: JsonObject, inner: ReadInner): MapShape | null | 'unlike' {
  const { additionalProperties: others, patternProperties, propertyNames } = schema;
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  const values: Shape[] = patterns.map((pattern) =>
    inner((patternProperties as JsonObject)[pattern]!, ['patternProperties', pattern]),
  );
  if (isSchema(others)) values.push(inner(others, ['additionalProperties']));
  const [value, ...more] = values.filter(({ kind }) => kind !== 'never');
  if (value === undefined) return null;
  if (more.some((other) => JSON.stringify(other) !== JSON.stringify(value))) return 'unlike';
  const named = isJsonObject(propertyNames) ? propertyNames : {};
  const [pattern, ...further] = isSchema(others) ? [] : patterns;
  const key = further.length === 0 && pattern !== undefined ? { pattern } : named;
  const base = { value, least: null, most: null, about: null };
  if (Array.isArray(key.enum)) {
    const texts = key.enum.filter((name) => typeof name === 'string' && name !== '__proto__');
    if (texts.length === 0) return null;
    const literal = { kind: 'literal' as const, type: 'string' as const, asText: false, about: null };
    return { kind: 'map', key: { ...literal, values: texts }, ...base };
  }
  return { kind: 'map', key: readLeaf('string', key), ...base };
}

/** Whether it says something of values: `true` and `{}` do not. */
function isSchema(schema: JsonValue | undefined): schema is JsonObject {
  return isJsonObject(schema) && Object.keys(schema).length > 0;
}

/** By their titles where each has one that can be a key, otherwise by number. */
function namePlaces(places: readonly JsonValue[]): string[] {
  const titles = places.map((place) => (isJsonObject(place) ? place.title : undefined));
  const isName = (title: unknown): title is string =>
    typeof title === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(title) && title !== '__proto__';
  if (titles.every(isName) && new Set(titles).size === titles.length) return titles;
  return places.map((_, index) => `item_${index + 1}`);
}

function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  while (taken.includes(name)) name += '_';
  return name;
}

const countOf = (value: JsonValue | undefined): number | null =>
  typeof value === 'number' && value >= 0 ? value : null;

function pick(schema: JsonObject, keywords: readonly string[]): JsonObject {
  const entries = keywords.flatMap((keyword) =>
    typeof schema[keyword] === 'number' ? [[keyword, schema[keyword]] as const] : [],
  );
  return Object.fromEntries(entries);
}

function tell(schema: JsonObject, keywords: readonly string[]): string | null {
  const told = keywords.flatMap((keyword) => {
    const value = Object.hasOwn(schema, keyword) ? schema[keyword] : false;
    return value === false || typeof value === 'object' ? [] : [`${keyword} ${value}`];
  });
  return told.length === 0 ? null : `Keep to: ${told.join(', ')}.`;
}

/** One shape for all: unions within it taken apart, listed values put together, what is never or twice left out. */
export function joinShapes(shapes: readonly Shape[]): Shape {
  const all = shapes.flatMap((shape) => (shape.kind === 'union' ? shape.alternatives : [shape]));
  const whatever = all.find((shape) => shape.kind === 'json' && shape.holds === 'anything');
  if (whatever) return whatever;
  const some = new Map<string, Shape>();
  for (const shape of all) {
    if (shape.kind === 'never') continue;
    const key = shape.kind === 'literal' ? `${shape.type} ${shape.asText}` : JSON.stringify(shape);
    const known = some.get(key);
    some.set(key, known?.kind === 'literal' && shape.kind === 'literal' ? joinLiterals(known, shape) : shape);
  }
  const alternatives = [...some.values()];
  if (alternatives.length < 2) return alternatives[0] ?? NEVER;
  return { kind: 'union', alternatives, about: null };
}

function joinLiterals(a: LiteralShape, b: LiteralShape): LiteralShape {
  const added = b.values.filter((value) => !a.values.some((known) => jsonEquals(known, value)));
  const about = [a, b].flatMap((shape) => tellLiteral(shape)).join(' ') || null;
  return { ...a, values: [...a.values, ...added], about };
}

/** What is said of one value names it from now on. */
function tellLiteral({ values, about }: LiteralShape): string[] {
  if (about === null) return [];
  return [values.length === 1 ? `${JSON.stringify(values[0])}: ${about}` : about];
}

/** The same shape, with these words before its own. */
export function withAbout(shape: Shape, about: string | null): Shape {
  if (about === null || shape.kind === 'never') return shape;
  return { ...shape, about: shape.about === null ? about : `${about} ${shape.about}` };
}
