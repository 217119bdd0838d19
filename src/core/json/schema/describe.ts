import type { JsonObject, JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { allowsNothing } from './subschemas.js';
import type { SchemaFault } from './types.js';
import {
  count,
  describedAs,
  describeJson,
  describeSchema,
  describeTypes,
  findNear,
  join,
  listItems,
  listValues,
  quoteJson,
  showPattern,
  showValue,
} from './words.js';

interface FaultWords {
  /** Completes a sentence that begins with the place of the value: "$.status …". Has no full stop. */
  message: string;
  /** A whole sentence: what to write instead, or what the schema says of it. */
  hint?: string;
}

type Describe = (fault: SchemaFault) => FaultWords;

/** A fault in words, for a person and for the model that wrote the value. */
export function describeFault(fault: SchemaFault): FaultWords {
  const describe = BY_KEYWORD.get(fault.keyword);
  return describe?.(fault) ?? { message: `must keep "${fault.keyword}" of its schema` };
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
  ['false', () => ({ message: 'must not be there', hint: 'Leave it out.' })],
  ['limit', () => ({ message: 'takes more work to check than is allowed', hint: 'Make it smaller.' })],
]);

function withHint(message: string, hint: string | undefined): FaultWords {
  return hint === undefined ? { message } : { message, hint };
}

function describeType({ expected, value, schema }: SchemaFault): FaultWords {
  const message = `must be ${describeTypes(expected)}; here it is ${describeJson(value)}`;
  const types = Array.isArray(expected) ? expected : [expected];
  return withHint(message, hintForType(types, value) ?? hintForObject(types, schema));
}

/** Which keys it must have, where all that is wrong with it is that it is no object. */
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
  if (types.includes('string') && Array.isArray(value)) return 'Write one text instead of the list.';
  return undefined;
}

function describeEnum({ expected, value }: SchemaFault): FaultWords {
  const values = Array.isArray(expected) ? expected : [];
  const message = `is none of: ${listValues(values)}; ${here(value)}`;
  const words = values.filter((word) => typeof word === 'string');
  const near = typeof value === 'string' ? findNear(value, words) : undefined;
  return withHint(message, near === undefined ? undefined : `Write ${quoteJson(near)}.`);
}

function compared(how: string): Describe {
  return ({ expected, value }) => ({ message: `must be ${how} ${showValue(expected)}; ${here(value)}` });
}

function measured(how: string, what: string): Describe {
  return ({ expected, value }) => {
    const wanted = `must have ${how} ${expected} ${what}${expected === 1 ? '' : 's'}`;
    return { message: `${wanted}; here it has ${count(sizeOf(value), what)}` };
  };
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : Object.keys(value ?? {}).length;
}

function describePattern({ expected, value, schema }: SchemaFault): FaultWords {
  const message = `must match the pattern ${showPattern(expected)}; ${here(value)}`;
  return withHint(message, describedAs(schema));
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
  const near = findNear(key, others.slice(0, 100));
  if (near !== undefined)
    return { message, hint: `It has the key ${quoteJson(near)}: write ${quoteJson(key)} instead.` };
  const property = Object.hasOwn(properties, key) ? properties[key]! : null;
  const what = describeSchema(property);
  return withHint(message, what === null ? undefined : `Add ${quoteJson(key)}: ${what}.`);
}

function describeAdditional({ key = '', schema }: SchemaFault): FaultWords {
  const known = Object.entries(schema.properties ?? {})
    .filter(([, inner]) => !allowsNothing(inner))
    .map(([name]) => name);
  const patterns = Object.keys(schema.patternProperties ?? {}).map(showPattern);
  const named =
    known.length === 0 ? [] : [listItems(known, (name) => (isPlain(name) ? name : quoteJson(name)))];
  const allowed = patterns.length === 0 ? named : [...named, `keys that match ${join(patterns, 'or')}`];
  const near = findNear(key, known);
  return {
    message: `must not have the key ${quoteJson(key)}; allowed are: ${allowed.join('; ') || 'none'}`,
    hint: near === undefined ? 'Leave it out.' : `Write ${quoteJson(near)} instead.`,
  };
}

function isPlain(name: string): boolean {
  return /^[\w$.-]{1,60}$/.test(name);
}

function describeName({ key = '', expected, schema }: SchemaFault): FaultWords {
  const message = `must not have the key ${quoteJson(key)}`;
  return withHint(
    message,
    (isJsonObject(expected) ? describedAs(expected) : undefined) ?? describedAs(schema),
  );
}

/** More of them are not named one by one. */
const MOST_ALTERNATIVES = 20;

function describeAlternatives({ keyword, expected, schema, value }: SchemaFault): FaultWords {
  const alternatives = Array.isArray(expected) ? expected : [];
  const words = alternatives.slice(0, MOST_ALTERNATIVES + 1).map(describeSchema);
  const isNamed = words.length <= MOST_ALTERNATIVES && words.every((word) => word !== null);
  const form = isNamed
    ? `be ${join([...new Set(words)], 'or')}`
    : `fit one of the ${alternatives.length} allowed forms`;
  const wanted = `must ${form}${keyword === 'oneOf' ? ', and only one of them' : ''}`;
  return withHint(`${wanted}; here it is ${describeJson(value)}`, describedAs(schema));
}

function describeNot({ expected, value, schema }: SchemaFault): FaultWords {
  if (isJsonObject(expected) && Object.keys(expected).length === 0)
    return withHint('must not be there', describedAs(schema) ?? 'Leave it out.');
  const what = describeSchema(expected);
  if (what !== null) return withHint(`must not be ${what}; ${here(value)}`, describedAs(schema));
  return withHint(`is what it must not be; ${here(value)}`, describedAs(schema));
}
