import type { JsonObject, JsonPath, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import type { ContextEntry } from '../types.js';
import { addLines } from './reference.js';

// The names under which an entry that is written as an object holds its parts. In each list the first that is filled
// is. The schema and the reader are both made of these.

const TEXT_FIELDS = [
  'text',
  'description',
  'summary',
  'note',
  'content',
  'explanation',
  'finding',
  'comment',
  'purpose',
  'title',
  'name',
] as const;

const ADDRESS_FIELDS = [
  'uri',
  'reference',
  'ref',
  'location',
  'path',
  'file',
  'file_path',
  'filePath',
  'source',
  'url',
  'link',
  'address',
] as const;

/** `45`, `"45-120"`, `[45, 120]`, `{"start": 45, "end": 120}` */
const LINES_FIELDS = ['lines', 'line', 'line_range', 'lineRange'] as const;

/** The first and the last line, each on its own. */
const EDGE_FIELDS = [
  ['start_line', 'end_line'],
  ['line_start', 'line_end'],
  ['startLine', 'endLine'],
  ['lineStart', 'lineEnd'],
] as const;

/** The same inside of a field of lines. */
const LINES_EDGES = [
  ['start', 'end'],
  ['from', 'to'],
] as const;

export const ENTRY_FIELDS: readonly string[] = [
  ...TEXT_FIELDS,
  ...ADDRESS_FIELDS,
  ...LINES_FIELDS,
  ...EDGE_FIELDS.flat(),
];

const ABOUT =
  'A list of pairs: a fact, and its place: "repo://path", "repo://path:n" or "repo://path:n-m" with lines from 1, or null.';

const TEXT: JsonObject = { type: 'string', description: 'The fact.' };
const ADDRESS: JsonObject = {
  type: ['string', 'null'],
  description: '"repo://path", "repo://path:n", "repo://path:n-m", or null.',
};

/** The one form that teddy writes and asks for: `[[text, address or null], …]`. */
export const CANONICAL_CONTEXT_MAP_SCHEMA: JsonObject = {
  type: 'array',
  description: ABOUT,
  items: {
    type: 'array',
    description: 'A pair: [text, address or null].',
    prefixItems: [TEXT, ADDRESS],
    minItems: 2,
    maxItems: 2,
  },
};

/** The same with names for its two places. */
export const NAMED_CONTEXT_MAP_SCHEMA: JsonObject = {
  type: 'array',
  description: ABOUT,
  items: { type: 'object', properties: { text: TEXT, uri: ADDRESS }, required: ['text', 'uri'] },
};

/** A schema of findings with another one for its context map, made of the one that it has; without a map, it is the same. */
export function replaceContextMap(findings: JsonObject, replace: (map: JsonValue) => JsonValue): JsonObject {
  const { properties } = findings;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, 'context_map')) return findings;
  return { ...findings, properties: { ...properties, context_map: replace(properties.context_map!) } };
}

/** What a manual says of its context map beside the form, which is the same for all. */
export function pickAnnotations(map: JsonValue, keys: readonly string[]): JsonObject {
  const own = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(own.filter(([key]) => keys.includes(key)));
}

/** Every form that `readContextMap` reads, and no other. */
export const CONTEXT_MAP_SCHEMA: JsonObject = {
  description: ABOUT,
  anyOf: [
    {
      type: 'array',
      description: ABOUT,
      items: { anyOf: [pairForm(), { type: 'string' }, objectForm()] },
    },
    mapForm(),
  ],
};

// Cases stand under `if` and not under `anyOf`, so that a fault is told of the case at hand.

/** `[text, address]`, `[text, null]`, `[text]` */
function pairForm(): JsonObject {
  return {
    type: 'array',
    description: 'A pair: [text, address or null].',
    if: { minItems: 2 },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
    then: { prefixItems: [TEXT, ADDRESS], minItems: 2, maxItems: 2 },
    else: { prefixItems: [TEXT], minItems: 1, maxItems: 1 },
  };
}

/** `{"text": …, "uri": …}` */
function objectForm(): JsonObject {
  const lines: JsonObject = { anyOf: linesForms() };
  const edge: JsonObject = { anyOf: [{ type: 'integer' }, { type: ['string', 'null'] }] };
  return {
    type: 'object',
    description: 'An entry with a "text" and a "uri".',
    properties: Object.fromEntries([
      ...TEXT_FIELDS.map((name) => [name, { type: ['string', 'null'] }]),
      ...ADDRESS_FIELDS.map((name) => [name, ADDRESS]),
      ...LINES_FIELDS.map((name) => [name, lines]),
      ...EDGE_FIELDS.flat().map((name) => [name, edge]),
    ]),
    if: { not: { anyOf: TEXT_FIELDS.map(requireText) } },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
    then: requireText('text'),
  };
}

function requireText(name: string): JsonObject {
  return { required: [name], properties: { [name]: TEXT } };
}

function linesForms(): JsonObject[] {
  return [
    { type: 'integer' },
    { type: ['string', 'null'] },
    { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    ...LINES_EDGES.map(
      ([from, to]): JsonObject => ({
        type: 'object',
        properties: { [from]: { type: 'integer' }, [to]: { type: ['integer', 'null'] } },
        required: [from],
      }),
    ),
  ];
}

/** `{address: text}`, `{text: address}`, `{text: null}` */
function mapForm(): JsonObject {
  return {
    type: 'object',
    description: ABOUT,
    // One entry in the place of the list would read as a map whose keys are `text` and `uri`.
    propertyNames: {
      description: 'Put each entry into a list: [[text, address or null], …].',
      not: { enum: [...ENTRY_FIELDS] },
    },
    additionalProperties: { type: ['string', 'null'] },
  };
}

const ENTRY_FIELD = new Set(ENTRY_FIELDS);

/**
 * The entries of a context map in any form that CONTEXT_MAP_SCHEMA allows; null for any other value. Addresses stay as
 * they were written, those of objects with their lines after them.
 */
export function readContextMap(value: JsonValue): ContextEntry[] | null {
  if (Array.isArray(value)) return readAll(value.map((entry, at) => readEntry(entry, at)));
  return isJsonObject(value) ? readMap(value) : null;
}

/** Says how many entries are not pairs of a text and an address or null; null where all are. */
export function describeForm(value: JsonValue): string | null {
  const isPair = (entry: JsonValue) => Array.isArray(entry) && entry.length === 2 && !isSwapped(entry);
  const entries = Array.isArray(value) ? value : Object.keys(isJsonObject(value) ? value : {});
  const others = entries.filter((entry) => !isPair(entry)).length;
  if (others === 0) return null;
  return `${others} of ${entries.length} entries of the context map are not written as [text, address or null]; they were converted.`;
}

function readAll(entries: (ContextEntry | null)[]): ContextEntry[] | null {
  return entries.every((entry) => entry !== null) ? entries : null;
}

function readEntry(entry: JsonValue, at: number): ContextEntry | null {
  if (typeof entry === 'string') return makeEntry({ text: entry, path: [at] }, null);
  if (Array.isArray(entry)) return readPair(entry, at);
  return isJsonObject(entry) ? readObject(entry, at) : null;
}

function readPair(pair: readonly JsonValue[], at: number): ContextEntry | null {
  const [text, uri = null] = pair;
  if (pair.length > 2 || typeof text !== 'string' || !isTextOrNull(uri)) return null;
  if (uri !== null && isSwapped(pair))
    return makeEntry({ text: uri, path: [at, 1] }, { uri: text, path: [at, 0] });
  return makeEntry({ text, path: [at, 0] }, uri === null ? null : { uri, path: [at, 1] }, [at]);
}

/** Nobody explains one thing by an address and finds it at a sentence. */
function isSwapped([text, uri]: readonly JsonValue[]): boolean {
  return typeof text === 'string' && typeof uri === 'string' && isRepoAddress(text) && !isRepoAddress(uri);
}

function readObject(entry: JsonObject, at: number): ContextEntry | null {
  const text = readFirst(entry, TEXT_FIELDS);
  const address = readFirst(entry, ADDRESS_FIELDS);
  const lines = readLines(entry);
  if (!text || text.name === null || !address || lines === undefined) return null;
  if (address.name === null) return makeEntry({ text: text.value, path: [at] }, null);
  return makeEntry(
    { text: text.value, path: [at, text.name] },
    { uri: addLines(address.value, lines), path: [at, address.name] },
    [at],
  );
}

/** `{address: text}`, unless the value is what can only be an address, or null. */
function readMap(map: JsonObject): ContextEntry[] | null {
  return readAll(
    Object.entries(map).map(([key, value]) => {
      if (ENTRY_FIELD.has(key) || !isTextOrNull(value)) return null;
      const path = [key];
      if (value === null) return makeEntry({ text: key, path }, null);
      return isRepoAddress(value) && !isRepoAddress(key)
        ? makeEntry({ text: key, path }, { uri: value, path })
        : makeEntry({ text: value, path }, { uri: key, path });
    }),
  );
}

/** A text that is nothing but an address is one, where there is no other; a blank address is none. */
function makeEntry(
  { text, path }: { text: string; path: JsonPath },
  address: { uri: string; path: JsonPath } | null,
  whole: JsonPath = path,
): ContextEntry {
  if (address && /\S/.test(address.uri)) return { text, ...address };
  return isRepoAddress(text) ? { text, uri: text.trim(), path } : { text, uri: null, path: whole };
}

type First = { name: string; value: string } | { name: null };

/** The first of these fields that holds a text; undefined where one holds anything else than a text or null. */
function readFirst(entry: JsonObject, names: readonly string[]): First | undefined {
  let first: First = { name: null };
  for (const name of names) {
    const value = ownValue(entry, name);
    if (!isTextOrNull(value)) return undefined;
    if (value !== null && first.name === null) first = { name, value };
  }
  return first;
}

/** The lines as text, `45` or `45-120`; null where there are none, undefined where a field is of another type. */
function readLines(entry: JsonObject): string | null | undefined {
  const found: (string | null)[] = [];
  for (const name of LINES_FIELDS) {
    const lines = writeLines(ownValue(entry, name));
    if (lines === undefined) return undefined;
    found.push(lines);
  }
  for (const edges of EDGE_FIELDS) {
    const [from, to] = edges.map((name) => ownValue(entry, name));
    if (!isEdge(from!) || !isEdge(to!)) return undefined;
    found.push(joinEdges(from!, to!));
  }
  return found.find((lines) => lines !== null) ?? null;
}

function writeLines(value: JsonValue): string | null | undefined {
  if (isEdge(value)) return joinEdges(value, null);
  if (Array.isArray(value)) {
    if (!value.every((item) => item !== null && isEdge(item))) return undefined;
    const [from = null, to = null] = value;
    // More than two are not a range: kept as written, for human review.
    return value.length > 2 ? value.join(', ') : joinEdges(from, to);
  }
  if (!isJsonObject(value)) return undefined;
  for (const edges of LINES_EDGES) {
    const [from, to] = edges.map((name) => ownValue(value, name));
    if (Number.isInteger(from) && (to === null || Number.isInteger(to))) return joinEdges(from!, to!);
  }
  return undefined;
}

function joinEdges(from: JsonValue, to: JsonValue): string | null {
  const words = [from, to].filter((edge) => edge !== null).map((edge) => String(edge).trim());
  return words.filter((word) => word !== '').join('-') || null;
}

/** A number of a line, however it is written. */
function isEdge(value: JsonValue): boolean {
  return isTextOrNull(value) || Number.isInteger(value);
}

function isTextOrNull(value: JsonValue): value is string | null {
  return value === null || typeof value === 'string';
}

function isRepoAddress(text: string): boolean {
  return /^\s*repo:\S+\s*$/i.test(text);
}

function ownValue(object: JsonObject, key: string): JsonValue {
  return Object.hasOwn(object, key) ? object[key]! : null;
}
