import { nearestWord } from '../../text.js';
import { quoteJson } from '../path.js';
import type { JsonObject, JsonValue } from '../values.js';
import { isJsonObject } from '../values.js';

/** The value of a keyword: a schema, several, or a value that RULES describes. */
export type KeywordValue =
  | 'schema'
  | 'schemas'
  | 'named schemas'
  | 'types'
  | 'values'
  | 'keys'
  | 'keys by key'
  | 'count'
  | 'number'
  | 'positive number'
  | 'flag'
  | 'text'
  | 'list'
  | 'anything';

/** Every keyword of JSON Schema 2020-12 that is read. */
export const KEYWORDS: ReadonlyMap<string, KeywordValue> = new Map<string, KeywordValue>([
  ...nameAll('types', ['type']),
  ...nameAll('values', ['enum']),
  ...nameAll('anything', ['const', 'default']),
  ...nameAll('number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  ...nameAll('positive number', ['multipleOf']),
  ...nameAll('count', ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains']),
  ...nameAll('count', ['minProperties', 'maxProperties']),
  ...nameAll('flag', ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']),
  ...nameAll('keys', ['required']),
  ...nameAll('keys by key', ['dependentRequired']),
  ...nameAll('schema', ['items', 'contains', 'additionalProperties', 'propertyNames', 'contentSchema']),
  ...nameAll('schema', ['not', 'if', 'then', 'else']),
  ...nameAll('schemas', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...nameAll('named schemas', ['properties', 'patternProperties', 'dependentSchemas', '$defs']),
  ...nameAll('text', ['pattern', '$ref', '$anchor', '$id', '$schema']),
  ...nameAll('text', ['title', 'description', '$comment', 'format', 'contentEncoding', 'contentMediaType']),
  ...nameAll('list', ['examples']),
]);

function nameAll(value: KeywordValue, names: readonly string[]): [string, KeywordValue][] {
  return names.map((name) => [name, value]);
}

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

const isText = (value: JsonValue) => typeof value === 'string';
const isTexts = (value: JsonValue) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

/** What a keyword's value must be, and the end of the sentence "… must be …". Schemas are read one by one. */
const RULES: Readonly<Record<KeywordValue, [test: (value: JsonValue) => boolean, says: string]>> = {
  schema: [(value) => !Array.isArray(value), 'one schema; a list of schemas for items is prefixItems'],
  schemas: [(value) => Array.isArray(value) && value.length > 0, 'a list of at least one schema'],
  'named schemas': [isJsonObject, 'an object with one schema per key'],
  types: [isTypes, `one of ${TYPES.join(', ')}, or a list of them`],
  values: [(value) => Array.isArray(value) && value.length > 0, 'a list of at least one value'],
  keys: [isTexts, 'a list of distinct keys, such as ["name"]'],
  'keys by key': [
    (value) => isJsonObject(value) && Object.values(value).every(isTexts),
    'an object with a list of keys per key',
  ],
  count: [(value) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number from 0'],
  number: [(value) => typeof value === 'number', 'a number'],
  'positive number': [(value) => typeof value === 'number' && value > 0, 'a number greater than 0'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
  text: [isText, 'a string'],
  list: [Array.isArray, 'a list of values'],
  anything: [() => true, 'anything'],
};

function isTypes(value: JsonValue): boolean {
  const names = Array.isArray(value) ? value : [value];
  return isTexts(names) && names.length > 0 && names.every((name) => TYPES.includes(String(name)));
}

/** Why a keyword and its value cannot be used, as a full sentence; null if they can. */
export function findKeywordProblem(keyword: string, value: JsonValue): string | null {
  const kind = KEYWORDS.get(keyword);
  if (kind === undefined) return keyword.startsWith('x-') ? null : explainUnknown(keyword, value);
  const [test, says] = RULES[kind];
  return test(value) ? null : `${keyword} must be ${says}.`;
}

/** What other versions and tools call it, with what to write here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['definitions', 'write $defs'],
  ['additionalItems', 'write items, which applies to the items after those of prefixItems'],
  ['dependencies', 'write dependentRequired or dependentSchemas'],
  ['nullable', 'write the type as a list with "null" in it, such as ["string", "null"]'],
  ['example', 'write examples, a list'],
  ['unevaluatedProperties', 'write additionalProperties'],
  ['unevaluatedItems', 'write items'],
  ['$dynamicRef', 'write $ref'],
]);

function explainUnknown(key: string, value: JsonValue): string {
  const said = `${quoteJson(key)} is not a supported keyword`;
  const known = [...KEYWORDS.keys()];
  const near = nearestWord(key, known);
  const instead = ELSEWHERE.get(key) ?? (near && `write ${near}`);
  if (instead !== undefined) return `${said}: ${instead}.`;
  if (isJsonObject(value) && Object.keys(value).some((inner) => KEYWORDS.has(inner)))
    return `${said}: if it is a key of the value, it belongs under properties.`;
  return `${said}: correct it, remove it, or start it with "x-" if it is your own note.`;
}

/**
 * The same schema with each direct subschema changed; `true`, `false` and values that are not schemas stay.
 * `place` is the path of the subschema, as the end of a reference: `/properties/name`.
 */
export function mapSubschemas(
  schema: JsonObject,
  change: (inner: JsonObject, keyword: string, place: string) => JsonValue,
): JsonObject {
  const changed: JsonObject = { ...schema };
  for (const [keyword, value] of Object.entries(schema)) {
    const take = (inner: JsonValue, ...steps: (string | number)[]) =>
      isJsonObject(inner) ? change(inner, keyword, writeSteps([keyword, ...steps])) : inner;
    const holds = keyword === 'contentSchema' ? undefined : KEYWORDS.get(keyword);
    if (holds === 'schema') changed[keyword] = take(value);
    else if (holds === 'schemas' && Array.isArray(value))
      changed[keyword] = value.map((inner, at) => take(inner, at));
    else if (holds === 'named schemas' && isJsonObject(value))
      changed[keyword] = Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, take(inner, key)]),
      );
  }
  return changed;
}

function writeSteps(steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${encodeStep(String(step).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

function encodeStep(step: string): string {
  return /^[\w$.~-]*$/.test(step) ? step : encodeURIComponent(step.replace(/\p{Cs}/gu, ''));
}

/** A schema and all those in it, each with its place as the end of a reference: `/properties/name`. */
export function* walkSchemas(schema: JsonObject, at = ''): Generator<{ schema: JsonObject; at: string }> {
  yield { schema, at };
  const found: { inner: JsonObject; place: string }[] = [];
  mapSubschemas(schema, (inner, _, place) => {
    found.push({ inner, place });
    return inner;
  });
  for (const { inner, place } of found) yield* walkSchemas(inner, at + place);
}

/** Whether one of the references in a schema, as written, passes the test. */
export function hasReference(root: JsonObject, test: (reference: string) => boolean): boolean {
  for (const { schema } of walkSchemas(root)) {
    if (typeof schema.$ref === 'string' && test(schema.$ref)) return true;
  }
  return false;
}

/** What references lead to within a schema, `#/$defs/entry` and `#name`; undefined if they lead to no schema. */
export function makeResolver(root: JsonObject): (reference: string) => JsonObject | boolean | undefined {
  const anchors = new Map<string, JsonObject>();
  for (const { schema } of walkSchemas(root))
    if (typeof schema.$anchor === 'string') anchors.set(`#${schema.$anchor}`, schema);
  return (reference) => followPointer(root, reference) ?? anchors.get(reference);
}

/** The same for `#` and `#/$defs/entry` alone. */
function followPointer(root: JsonObject, reference: string): JsonObject | boolean | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: JsonValue = root;
  for (const step of decodeReference(reference).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[/^\d+$/.test(key) ? Number(key) : -1] ?? null;
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key]!;
    else return undefined;
  }
  return isJsonObject(at) || typeof at === 'boolean' ? at : undefined;
}

/** Returns the reference unchanged if its percent-encoding is invalid. */
export function decodeReference(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** Whether a schema is `false` or `{"not": {}}`. */
export function allowsNothing(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === false;
  return isJsonObject(schema.not) && Object.keys(schema.not).length === 0;
}
