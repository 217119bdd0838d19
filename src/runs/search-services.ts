import { type JsonAnswer, requestJson } from '../node/http/service.js';
import type { ResearchSettings } from './run-context.js';

/** One service that searches the web. Neither method throws. */
export interface SearchService {
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

const ASKING = { timeoutMs: 20_000, maxBytes: 5 * 1024 * 1024, trusted: true } as const;
export const MOST_RESULTS = 10;

/** `key` is empty for a service that wants none. */
export function openSearchService(settings: ResearchSettings, key: string): SearchService {
  switch (settings.provider) {
    case 'searxng':
      return createSearxng(settings.url);
    case 'brave':
      return createBrave(key, settings.url ?? 'https://api.search.brave.com');
    case 'tavily':
      return createTavily(key, settings.url ?? 'https://api.tavily.com');
  }
}

function createSearxng(url: string): SearchService {
  return {
    name: 'SearXNG',
    ask(query, signal) {
      const address = endpoint(url, '/search', { q: query, format: 'json' });
      return requestJson(address, { ...ASKING, method: 'GET', signal });
    },
    listResults: (value) => listAt(value, ['results'], 'content'),
    hint: (httpStatus) =>
      httpStatus === 403 ? 'Its settings.yml must list json under search.formats.' : undefined,
  };
}

function createBrave(key: string, url: string): SearchService {
  return {
    name: 'Brave',
    ask(query, signal) {
      const address = endpoint(url, '/res/v1/web/search', { q: query, count: String(MOST_RESULTS) });
      const headers = { 'x-subscription-token': key };
      return requestJson(address, { ...ASKING, method: 'GET', headers, signal });
    },
    // Where nothing is found there is no `web` at all.
    listResults: (value) =>
      field(value, 'type') === 'search' && field(value, 'web') === undefined
        ? []
        : listAt(value, ['web', 'results'], 'description'),
  };
}

function createTavily(key: string, url: string): SearchService {
  return {
    name: 'Tavily',
    ask(query, signal) {
      const headers = { authorization: `Bearer ${key}` };
      const body = { query, max_results: MOST_RESULTS };
      return requestJson(endpoint(url, '/search'), { ...ASKING, method: 'POST', headers, body, signal });
    },
    listResults: (value) => listAt(value, ['results'], 'content'),
  };
}

/** The list at the end of these keys, each entry under our names. */
function listAt(value: unknown, keys: readonly string[], snippet: string): RawResult[] | undefined {
  const list = keys.reduce<unknown>((inside, key) => field(inside, key), value);
  if (!Array.isArray(list)) return undefined;
  return list.map((entry) => ({
    url: field(entry, 'url'),
    title: field(entry, 'title'),
    snippet: field(entry, snippet),
  }));
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** A service's own path under the address that the config gives; an address that has it already keeps it. */
function endpoint(base: string, path: string, query: Record<string, string> = {}): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  const given = url.pathname.replace(/\/$/, '');
  url.pathname = given.endsWith(path) ? given : given + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
