import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import type { ContextEntry } from '../types.js';
import { addLines } from './reference.js';
import {
  ADDRESS_FIELDS,
  EDGE_FIELDS,
  ENTRY_FIELDS,
  LINES_EDGES,
  LINES_FIELDS,
  TEXT_FIELDS,
} from './schema.js';

const ENTRY_FIELD = new Set(ENTRY_FIELDS);

/**
 * The entries of a context map in any form that CONTEXT_MAP_SCHEMA allows; null for any other value. Addresses stay as
 * they were written, those of objects with their lines behind them.
 */
export function readContextMap(value: JsonValue): ContextEntry[] | null {
  if (Array.isArray(value)) return readAll(value.map((entry, at) => readEntry(entry, at)));
  return isJsonObject(value) ? readMap(value) : null;
}

/** Says how many entries are no pairs of a text and an address or null; null where all are. */
export function describeForm(value: JsonValue): string | null {
  const isPair = (entry: JsonValue) => Array.isArray(entry) && entry.length === 2 && !isSwapped(entry);
  const entries = Array.isArray(value) ? value : Object.keys(isJsonObject(value) ? value : {});
  const others = entries.filter((entry) => !isPair(entry)).length;
  if (others === 0) return null;
  return `${others} of ${entries.length} entries of the context map are not written as [text, address or null]; they were read as such.`;
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
    // More than two are no range: as written, for a person to look at.
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
