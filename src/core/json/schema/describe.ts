import { countUnits, listFirst, listWords, nearestWord, shorten } from '../../text.js';
import { escapeUnseen, quoteJson } from '../path.js';
import type { JsonObject, JsonValue } from '../values.js';
import { isJsonObject } from '../values.js';
import { allowsNothing } from './keywords.js';
import type { SchemaFault } from './types.js';

interface FaultWords {
  /** Completes a sentence that starts with the path of the value: "$.status …". Has no full stop. */
  message: string;
  /** A full sentence: what to write instead, or the schema's description. */
  hint?: string | undefined;
}

type Describe = (fault: SchemaFault) => FaultWords;

/** A fault in words, for the user and for the model that wrote the value. */
export function describeFault(fault: SchemaFault): FaultWords {
  const describe = BY_KEYWORD.get(fault.keyword);
  return describe?.(fault) ?? { message: `must satisfy "${fault.keyword}" of its schema` };
}

const here = (value: JsonValue): string => `here it is ${showValue(value)}`;

const BY_KEYWORD: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ['type', describeType],
  ['enum', describeEnum],
  ['const', ({ expected, value }) => ({ message: `must be ${showValue(expected)}; ${here(value)}` })],
  ['minimum', compared('at least')],
  ['maximum', compared('at most')],
  ['exclusiveMinimum', compared('greater than')],
  ['exclusiveMaximum', compared('less than')],
  ['multipleOf', compared('a multiple of')],
  ['minLength', measured('at least', 'character')],
  ['maxLength', measured('at most', 'character')],
  ['pattern', describePattern],
  ['minItems', measured('at least', 'item')],
  ['maxItems', measured('at most', 'item')],
  ['uniqueItems', () => ({ message: 'must not have the same item twice' })],
  ['items', describeExcess],
  ['required', describeMissing],
  [
    'dependentRequired',
    ({ key = '' }) => ({ message: `must have the key ${quoteJson(key)}, because of another key` }),
  ],
  ['additionalProperties', describeAdditional],
  ['propertyNames', describeName],
  ['minProperties', measured('at least', 'key')],
  ['maxProperties', measured('at most', 'key')],
  ['anyOf', describeAlternatives],
  ['oneOf', describeAlternatives],
  ['not', describeNot],
  ['false', () => ({ message: 'must not be present', hint: 'Leave it out.' })],
  ['limit', () => ({ message: 'takes too long to check', hint: 'Make it smaller.' })],
]);

function describeType({ expected, value, schema }: SchemaFault): FaultWords {
  const message = `must be ${describeTypes(expected)}; here it is ${describeJson(value)}`;
  const types = Array.isArray(expected) ? expected : [expected];
  return { message, hint: hintForType(types, value) ?? hintForObject(types, schema) };
}

/** The keys that it must have, if its only fault is that it is not an object. */
function hintForObject(types: readonly JsonValue[], { required }: JsonObject): string | undefined {
  if (!types.includes('object') || !Array.isArray(required) || required.length === 0) return undefined;
  const keys = required.slice(0, 5).map((key) => `${JSON.stringify(key)}: …`);
  return `Write an object: {${[...keys, ...(required.length > 5 ? ['…'] : [])].join(', ')}}`;
}

function hintForType(types: readonly JsonValue[], value: JsonValue): string | undefined {
  const wantsNumber = types.includes('number') || types.includes('integer');
  if (typeof value === 'string') {
    if (wantsNumber && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value))
      return `Write the number without quotes: ${value}`;
    if (types.includes('boolean') && /^(?:true|false)$/i.test(value))
      return `Write it without quotes: ${value.toLowerCase()}`;
    if (types.includes('null') && value === 'null') return 'Write it without quotes: null';
  }
  if (types.includes('string') && (typeof value === 'number' || typeof value === 'boolean'))
    return `Put it in quotes: "${value}"`;
  if (types.includes('array') && value !== null && !Array.isArray(value))
    return `Put it in a list: [${typeof value === 'object' ? '{…}' : showValue(value)}]`;
  if (types.includes('string') && Array.isArray(value)) return 'Write one string instead of the list.';
  return undefined;
}

function describeEnum({ expected, value }: SchemaFault): FaultWords {
  const values = Array.isArray(expected) ? expected : [];
  const message = `must be one of: ${listValues(values)}; ${here(value)}`;
  const words = values.filter((word) => typeof word === 'string');
  const near = typeof value === 'string' ? nearestWord(value, words) : undefined;
  return { message, hint: near === undefined ? undefined : `Write ${quoteJson(near)}.` };
}

function compared(how: string): Describe {
  return ({ expected, value }) => ({ message: `must be ${how} ${showValue(expected)}; ${here(value)}` });
}

function measured(how: string, what: string): Describe {
  return ({ expected, value }) => {
    const wanted = `must have ${how} ${countUnits(Number(expected), what)}`;
    return { message: `${wanted}; here it has ${count(sizeOf(value), what)}` };
  };
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : Object.keys(value ?? {}).length;
}

function describePattern({ expected, value, schema }: SchemaFault): FaultWords {
  const message = `must match the pattern ${showPattern(expected)}; ${here(value)}`;
  return { message, hint: describedAs(schema) };
}

function describeExcess({ schema, value }: SchemaFault): FaultWords {
  const most = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
  const allowed = most === 0 ? 'must be an empty list' : `must have at most ${count(most, 'item')}`;
  return { message: `${allowed}; here it has ${count(sizeOf(value), 'item')}` };
}

function describeMissing({ key = '', value, schema }: SchemaFault): FaultWords {
  const message = `must have the key ${quoteJson(key)}`;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const others = Object.keys(isJsonObject(value) ? value : {}).filter(
    (other) => !Object.hasOwn(properties, other),
  );
  const near = nearestWord(key, others.slice(0, 100));
  if (near !== undefined)
    return { message, hint: `It has the key ${quoteJson(near)}: write ${quoteJson(key)} instead.` };
  const property = Object.hasOwn(properties, key) ? properties[key]! : null;
  const what = describeSchema(property);
  return { message, hint: what === null ? undefined : `Add ${quoteJson(key)}: ${what}.` };
}

function describeAdditional({ key = '', schema }: SchemaFault): FaultWords {
  const known = Object.entries(schema.properties ?? {})
    .filter(([, inner]) => !allowsNothing(inner))
    .map(([name]) => name);
  const patterns = Object.keys(schema.patternProperties ?? {}).map(showPattern);
  const say = (name: string) => (isPlain(name) ? name : quoteJson(name));
  const named = known.length === 0 ? [] : [listFirst(known, { say, most: MOST_NAMED })];
  const allowed =
    patterns.length === 0 ? named : [...named, `keys that match ${listWords(patterns, ANY_OF)}`];
  const near = nearestWord(key, known);
  return {
    message: `must not have the key ${quoteJson(key)}; allowed keys: ${allowed.join('; ') || 'none'}`,
    hint: near === undefined ? 'Leave it out.' : `Write ${quoteJson(near)} instead.`,
  };
}

function isPlain(name: string): boolean {
  return /^[\w$.-]{1,60}$/.test(name);
}

function describeName({ key = '', expected, schema }: SchemaFault): FaultWords {
  const message = `must not have the key ${quoteJson(key)}`;
  return { message, hint: (isJsonObject(expected) && describedAs(expected)) || describedAs(schema) };
}

/** At most this many alternatives are listed by name. */
const MOST_ALTERNATIVES = 20;

function describeAlternatives({ keyword, expected, schema, value }: SchemaFault): FaultWords {
  const alternatives = Array.isArray(expected) ? expected : [];
  const words = alternatives.slice(0, MOST_ALTERNATIVES + 1).map(describeSchema);
  const isNamed = words.length <= MOST_ALTERNATIVES && words.every((word) => word !== null);
  const form = isNamed
    ? `be ${listWords([...new Set(words)], ANY_OF)}`
    : `fit one of the ${alternatives.length} allowed forms`;
  const wanted = `must ${form}${keyword === 'oneOf' ? ', and only one of them' : ''}`;
  return { message: `${wanted}; here it is ${describeJson(value)}`, hint: describedAs(schema) };
}

function describeNot({ expected, value, schema }: SchemaFault): FaultWords {
  if (isJsonObject(expected) && Object.keys(expected).length === 0)
    return { message: 'must not be present', hint: describedAs(schema) ?? 'Leave it out.' };
  const what = describeSchema(expected);
  const isWhat = what === null ? 'is a value that the schema excludes' : `must not be ${what}`;
  return { message: `${isWhat}; ${here(value)}`, hint: describedAs(schema) };
}

const LONGEST = 80;
const MOST_NAMED = 12;
/** `a`, `a or b`, `a, b or c` */
const ANY_OF = { joint: 'or', most: Number.POSITIVE_INFINITY };

/** Foreign text: one line, shortened. */
function showWords(text: string, longest: number): string {
  const line = text.slice(0, 2 * longest).replace(/\s+/g, ' ');
  return escapeUnseen(shorten(line.trim(), longest));
}

/** Without the escapes of JSON. */
function showPattern(pattern: JsonValue): string {
  return escapeUnseen(shorten(String(pattern), 120));
}

/** `1 item`, `3 items`, `none` */
function count(number: number, what: string): string {
  return number === 0 ? 'none' : `${countUnits(number, what)}`;
}

/** What a value is: `a number (3)`, `a list of 2 items`. */
function describeJson(value: JsonValue): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string (${quoteJson(value)})`;
  if (typeof value === 'number') return `a number (${value})`;
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${count(value.length, 'item')}`;
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with ${count(keys.length, 'key')}`;
}

/** A value as written, where that is short; otherwise what it is. */
function showValue(value: JsonValue): string {
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Array.isArray(value) ? value : Object.values(value);
  if (parts.length > 4 || parts.some((part) => typeof part === 'object' && part !== null))
    return describeJson(value);
  return escapeUnseen(shorten(JSON.stringify(value), LONGEST));
}

/** Values to choose from. Plain words need no quotes. */
function listValues(values: readonly JsonValue[]): string {
  const isPlain = (value: JsonValue) => typeof value === 'string' && /^[A-Za-z][\w.-]{0,60}$/.test(value);
  const say = values.slice(0, MOST_NAMED).every(isPlain) ? String : showValue;
  return listFirst(values, { say, most: MOST_NAMED });
}

const TYPES: ReadonlyMap<JsonValue, string> = new Map([
  ['null', 'null'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['string', 'a string'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

/** The value of `type`: `a string`, `a string or null`. */
function describeTypes(type: JsonValue): string {
  const names = Array.isArray(type) ? type : [type];
  return listWords(names, { ...ANY_OF, say: (name) => TYPES.get(name) ?? String(name) });
}

/** What a schema asks for, in a few words; null if it takes more. */
function describeSchema(schema: JsonValue): string | null {
  if (!isJsonObject(schema)) return null;
  if (Object.hasOwn(schema, 'const')) return showValue(schema.const!);
  if (Array.isArray(schema.enum)) return `one of ${listValues(schema.enum)}`;
  if (typeof schema.title === 'string') return showWords(schema.title, LONGEST);
  if (typeof schema.type === 'string' || Array.isArray(schema.type)) return describeTypes(schema.type);
  return null;
}

function describedAs({ description }: JsonObject): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return undefined;
  return `Its description: ${showWords(description, 300)}`;
}
