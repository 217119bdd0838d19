import type { JsonAnswer } from '../../node/http/service.js';

export interface SearchResult {
  url: string;
  title: string;
  /** Plain text. */
  snippet: string;
}

/** One service that searches the web. Neither method throws. */
export interface SearchProvider {
  /** As it is called in a message. */
  name: string;
  ask(query: string, signal: AbortSignal): Promise<JsonAnswer>;
  /** The results as the service lists them; undefined where its answer is none of a search. */
  listResults(value: unknown): readonly RawResult[] | undefined;
  /** What else there is to say where it refuses with this status: a sentence. */
  hint?(httpStatus: number): string | undefined;
}

/** Under our names, and not yet looked at. */
export interface RawResult {
  url: unknown;
  title: unknown;
  snippet: unknown;
}

export const ASKING = { timeoutMs: 20_000, maxBytes: 5 * 1024 * 1024, trusted: true } as const;
export const MOST_RESULTS = 10;

/** The list at the end of these keys, each entry under our names. */
export function listAt(value: unknown, keys: readonly string[], snippet: string): RawResult[] | undefined {
  const list = keys.reduce<unknown>((inside, key) => field(inside, key), value);
  if (!Array.isArray(list)) return undefined;
  return list.map((entry) => ({
    url: field(entry, 'url'),
    title: field(entry, 'title'),
    snippet: field(entry, snippet),
  }));
}

export function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** Where a service's own path is under the address that the config gives; one that has it already stays. */
export function endpoint(base: string, path: string): URL | undefined {
  if (!URL.canParse(base)) return undefined;
  const url = new URL(base);
  const given = url.pathname.replace(/\/$/, '');
  url.pathname = given.endsWith(path) ? given : given + path;
  return url;
}
