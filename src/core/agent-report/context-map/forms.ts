import { valueAt } from '../../json/members.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import type { ContextEntry } from '../types.js';
import { addLines } from './reference.js';

const ABOUT =
  'A list of pairs: a fact, and its place: "repo://path", "repo://path:n" or "repo://path:n-m" with lines from 1, or null.';

const TEXT: JsonObject = { type: 'string', description: 'The fact.' };
const ADDRESS: JsonObject = {
  type: ['string', 'null'],
  description: '"repo://path", "repo://path:n", "repo://path:n-m", or null.',
};

/** The form that teddy writes and asks for: `[[text, address or null], …]`. */
export const CONTEXT_MAP_SCHEMA: JsonObject = {
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

/** The same for strict schemas, which have no pairs: `[{text, uri}, …]`. */
export const NAMED_CONTEXT_MAP_SCHEMA: JsonObject = {
  type: 'array',
  description: ABOUT,
  items: { type: 'object', properties: { text: TEXT, uri: ADDRESS }, required: ['text', 'uri'] },
};

/** A findings schema with another schema for its context map, if it has one. */
export function replaceContextMap(findings: JsonObject, replace: (map: JsonValue) => JsonValue): JsonObject {
  const { properties } = findings;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, 'context_map')) return findings;
  return { ...findings, properties: { ...properties, context_map: replace(properties.context_map!) } };
}

/** What a manual may say about its context map; the form of the entries is the same for all. */
export function pickAnnotations(map: JsonValue, keys: readonly string[]): JsonObject {
  const own = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(own.filter(([key]) => keys.includes(key)));
}

// The keys of an entry that is written as an object. In each list, the first that is filled counts.

const TEXT_FIELDS = ['text', 'description', 'summary', 'note', 'content', 'title', 'name'];
const ADDRESS_FIELDS = [
  'uri',
  'reference',
  'ref',
  'location',
  'path',
  'file',
  'file_path',
  'filePath',
  'url',
];
/** `45`, `"45-120"`, `[45, 120]`, `{"start": 45, "end": 120}` */
const LINES_FIELDS = ['lines', 'line', 'line_range'];
const EDGE_FIELDS = [
  ['start_line', 'end_line'],
  ['startLine', 'endLine'],
  ['line_start', 'line_end'],
] as const;
/** In a field of lines. */
const RANGE_FIELDS = [
  ['start', 'end'],
  ['from', 'to'],
] as const;

const ENTRY_FIELDS = new Set([...TEXT_FIELDS, ...ADDRESS_FIELDS, ...LINES_FIELDS, ...EDGE_FIELDS.flat()]);

/**
 * The entries of a context map in any of these forms: a list of pairs, texts or objects, or an object of addresses and
 * texts. Null for any other value. Addresses stay as written, those of objects followed by their lines.
 */
export function readContextMap(value: JsonValue): ContextEntry[] | null {
  if (Array.isArray(value)) return readAll(value.map((entry, at) => readEntry(entry, at)));
  return isJsonObject(value) ? readMap(value) : null;
}

/** The same as the pairs that teddy asks for. */
export function readPairs(value: JsonValue): JsonValue[] | null {
  if (
    Array.isArray(value) &&
    value.every((entry) => isPair(entry) && entry.every(isTextOrNull) && entry[0] !== null)
  )
    return value;
  return readContextMap(value)?.map(({ text, uri }) => [text, uri]) ?? null;
}

/** Says how many entries are in another form than teddy asks for; null if none is. */
export function describeForm(value: JsonValue): string | null {
  const entries = Array.isArray(value) ? value : Object.keys(isJsonObject(value) ? value : {});
  const others = entries.filter((entry) => !isPair(entry) && !isNamed(entry)).length;
  if (others === 0) return null;
  return `${others} of ${entries.length} entries of the context map are not written as [text, address or null]; they were converted.`;
}

function isPair(entry: JsonValue): entry is JsonValue[] {
  return Array.isArray(entry) && entry.length === 2 && !isSwapped(entry);
}

/** As the strict schema asks for it. */
function isNamed(entry: JsonValue): boolean {
  return isJsonObject(entry) && Object.keys(entry).sort().join() === 'text,uri';
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

function isSwapped([text, uri]: readonly JsonValue[]): boolean {
  return typeof text === 'string' && typeof uri === 'string' && isRepoAddress(text) && !isRepoAddress(uri);
}

function readObject(entry: JsonObject, at: number): ContextEntry | null {
  const text = readFirst(entry, TEXT_FIELDS);
  const address = readFirst(entry, ADDRESS_FIELDS);
  if (!text) return null;
  if (!address) return makeEntry({ text: text.value, path: [at] }, null);
  return makeEntry(
    { text: text.value, path: [at, text.name] },
    { uri: addLines(address.value, readLines(entry)), path: [at, address.name] },
    [at],
  );
}

/** `{address: text}`, or `{text: address}` if only the value can be an address, or `{text: null}`. */
function readMap(map: JsonObject): ContextEntry[] | null {
  return readAll(
    Object.entries(map).map(([key, value]) => {
      // A single entry instead of the list.
      if (ENTRY_FIELDS.has(key) || !isTextOrNull(value)) return null;
      const path = [key];
      if (value === null) return makeEntry({ text: key, path }, null);
      return isRepoAddress(value) && !isRepoAddress(key)
        ? makeEntry({ text: key, path }, { uri: value, path })
        : makeEntry({ text: value, path }, { uri: key, path });
    }),
  );
}

/** Without an address, a text that is nothing but an address is one; a blank address is none. */
function makeEntry(
  { text, path }: { text: string; path: JsonPath },
  address: { uri: string; path: JsonPath } | null,
  whole: JsonPath = path,
): ContextEntry {
  if (address && /\S/.test(address.uri)) return { text, ...address };
  return isRepoAddress(text) ? { text, uri: text.trim(), path } : { text, uri: null, path: whole };
}

function readFirst(entry: JsonObject, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = valueAt(entry, name);
    if (typeof value === 'string') return { name, value };
  }
  return undefined;
}

/** `45` or `45-120`; null if the entry has no lines. */
function readLines(entry: JsonObject): string | null {
  for (const name of LINES_FIELDS) {
    const value = valueAt(entry, name);
    const lines = isJsonObject(value)
      ? readEdges(value, RANGE_FIELDS)
      : joinEdges(Array.isArray(value) ? value : [value]);
    if (lines !== null) return lines;
  }
  return readEdges(entry, EDGE_FIELDS);
}

function readEdges(holder: JsonObject, fields: readonly (readonly [string, string])[]): string | null {
  for (const names of fields) {
    const lines = joinEdges(names.map((name) => valueAt(holder, name)));
    if (lines !== null) return lines;
  }
  return null;
}

function joinEdges(edges: readonly (JsonValue | undefined)[]): string | null {
  const words = edges
    .filter((edge) => typeof edge === 'number' || typeof edge === 'string')
    .map((edge) => String(edge).trim());
  return words.filter((word) => word !== '').join('-') || null;
}

function isTextOrNull(value: JsonValue): value is string | null {
  return value === null || typeof value === 'string';
}

function isRepoAddress(text: string): boolean {
  return /^\s*repo:\S+\s*$/i.test(text);
}
