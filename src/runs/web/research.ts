import type { ResearchAction } from '../../core/plan/types.js';
import type { Done } from '../../core/report/record.js';
import { shorten } from '../../core/text.js';
import { sleep } from '../../node/clock.js';
import { type JsonAnswer, requestJson } from '../../node/http/service.js';
import type { ResearchSettings, RunContext, RunSettings } from '../run-context.js';
import { failure } from '../run-record.js';
import { decodeEntities } from './html-entities.js';

const MOST_QUERIES = 20;

/**
 * Carries a RESEARCH out: every query, one after the other, and all results as one JSON array. A success when at
 * least one query was answered and nothing interrupted it; the others are noted. Never throws.
 */
export async function research({ queries }: ResearchAction, context: RunContext): Promise<Done> {
  const chosen = chooseService(context);
  if (chosen.status === 'refused') return failure(chosen.reason);
  const { service, key } = chosen;
  const hide = hider(key, context);

  const answers: { query: string; answer: Answered }[] = [];
  for (const query of queries.slice(0, MOST_QUERIES)) {
    const answer = await search(service, query, context.signal);
    answers.push({ query, answer });
    if (answer.status === 'failed' && answer.hopeless) break;
  }
  const found = answers.flatMap(({ query, answer }) =>
    answer.status === 'found' ? answer.results.map((result) => ({ query, ...result })) : [],
  );
  const notes = describeTrouble(queries, answers).map(hide);
  const answered = answers.filter(({ answer }) => answer.status === 'found').length;
  const output = { text: writeResults(found, hide), language: 'json' };
  if (context.signal.aborted && answers.at(-1)?.answer.status === 'failed') {
    const why = `The research was interrupted: ${answered} of ${queries.length} queries were answered.`;
    return { ...failure([why, ...notes].join('\n')), ...(answered > 0 && { output }) };
  }
  if (answered === 0) return failure(['The research found nothing.', ...notes].join('\n'));
  return {
    status: 'success',
    summary: `${service.name} gave ${found.length === 1 ? '1 result' : `${found.length} results`}.`,
    output,
    ...(notes.length > 0 && { notes }),
  };
}

/** `reason` is a sentence, maybe with lines below it. */
type Chosen =
  | { status: 'chosen'; service: SearchService; key: string }
  | { status: 'refused'; reason: string };

type ResearchFacts = { settings: Pick<RunSettings, 'research'> } & Pick<RunContext, 'environment'>;

const HOW_TO_CONFIGURE = `No search service is configured.
Set research in config.yaml: searxng with its url, or brave or tavily with a key (see docs/setup.md).`;

/** Why no RESEARCH can be done, as a sentence, maybe with lines below it. */
export function refuseResearch(
  settings: ResearchFacts['settings'],
  environment: ResearchFacts['environment'],
): string | undefined {
  const chosen = chooseService({ settings, environment });
  return chosen.status === 'refused' ? chosen.reason : undefined;
}

function chooseService({ settings: { research: named }, environment }: ResearchFacts): Chosen {
  if (named === null) return { status: 'refused', reason: HOW_TO_CONFIGURE };
  const key = 'keyEnv' in named ? (environment[named.keyEnv]?.trim() ?? '') : '';
  if ('keyEnv' in named && key === '') {
    const reason = `The environment variable ${named.keyEnv} is not set. It must hold the key for ${named.provider}.`;
    return { status: 'refused', reason };
  }
  return { status: 'chosen', service: openSearchService(named, key), key };
}

/** A service may send back what it was sent. */
function hider(key: string, { redactor }: RunContext): (text: string) => string {
  if (key === '') return (text) => redactor.mask(text);
  const masked = redactor.mask(key);
  const instead = masked.includes(key) ? '[masked]' : masked;
  return (text) => redactor.mask(text.replaceAll(key, () => instead));
}

function describeTrouble(
  queries: readonly string[],
  answers: readonly { query: string; answer: Answered }[],
): string[] {
  const unasked = queries.length - answers.length;
  return [
    ...answers.flatMap(({ query, answer }) => {
      const about = JSON.stringify(shorten(query, 200));
      if (answer.status === 'failed') return [`The query ${about} failed: ${answer.reason}`];
      return answer.results.length === 0 ? [`Nothing was found for ${about}.`] : [];
    }),
    ...(unasked > 0
      ? [
          `${unasked === 1 ? '1 query was' : `${unasked} queries were`} not sent (at most ${MOST_QUERIES} are sent, and none after a refusal or an interruption).`,
        ]
      : []),
  ];
}

/** One result a line. */
function writeResults(
  results: readonly (SearchResult & { query: string })[],
  hide: (text: string) => string,
): string {
  if (results.length === 0) return '[]\n';
  const lines = results.map(({ query, url, title, snippet }) => {
    const [q, u, t, s] = [query, url, title, snippet].map((text) => JSON.stringify(hide(text)));
    return `  {"query": ${q}, "url": ${u}, "title": ${t}, "snippet": ${s}}`;
  });
  return `[\n${lines.join(',\n')}\n]\n`;
}

interface SearchResult {
  url: string;
  title: string;
  /** Plain text. */
  snippet: string;
}

type Answered =
  | { status: 'found'; results: SearchResult[] }
  /** `reason` is a whole sentence. `hopeless`: no other query would fare better. */
  | { status: 'failed'; reason: string; hopeless: boolean };

const LONGEST_WAIT_MS = 5000;
const TOO_MANY_REQUESTS = 429;

/** One query. A service that asks for patience is asked once more. Never throws. */
async function search(service: SearchService, query: string, signal: AbortSignal): Promise<Answered> {
  let answer = await service.ask(query, signal);
  if (httpStatusOf(answer) === TOO_MANY_REQUESTS) {
    await waitFor(retryAfterOf(answer), signal);
    answer = await service.ask(query, signal);
  }
  return judge(answer, service, signal);
}

function judge(answer: JsonAnswer, service: SearchService, { aborted }: AbortSignal): Answered {
  const httpStatus = httpStatusOf(answer);
  if (httpStatus !== undefined && (httpStatus < 200 || httpStatus > 299)) {
    const hint = service.hint?.(httpStatus) ?? HINTS[httpStatus];
    const reason = `${service.name} answered with HTTP ${httpStatus}.${hint ? ` ${hint}` : ''}`;
    return { status: 'failed', reason, hopeless: httpStatus === 401 || httpStatus === 403 };
  }
  if (answer.status !== 'ok') {
    return { status: 'failed', reason: `${service.name} ${answer.reason}.`, hopeless: aborted };
  }
  const raw = service.listResults(answer.value);
  if (raw === undefined) {
    const reason = `${service.name} answered, but not with a list of results.`;
    return { status: 'failed', reason, hopeless: false };
  }
  return { status: 'found', results: raw.flatMap(readResult).slice(0, MOST_RESULTS) };
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'It rejected the key.',
  403: 'It rejected the key.',
  429: 'It refuses more requests for now (rate limit).',
};

/** What has no address that could be read is no result. */
function readResult({ url, title, snippet }: RawResult): SearchResult[] {
  if (typeof url !== 'string' || url.length > 2000 || !URL.canParse(url)) return [];
  if (!/^https?:\/\//i.test(url)) return [];
  const plain = (text: unknown, most: number) => (typeof text === 'string' ? toPlainText(text, most) : '');
  return [{ url, title: plain(title, 200), snippet: plain(snippet, 500) }];
}

function httpStatusOf(answer: JsonAnswer): number | undefined {
  return 'httpStatus' in answer ? answer.httpStatus : undefined;
}

function retryAfterOf(answer: JsonAnswer): number {
  return ('retryAfterMs' in answer ? answer.retryAfterMs : undefined) ?? 1000;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(ms, LONGEST_WAIT_MS), undefined, { signal });
  } catch {}
}

/** Only tags by which services mark up a text: `List<String>` in a title is none. */
const TAG =
  /<\/?(?:a|abbr|b|br|code|div|em|i|li|mark|ol|p|pre|q|s|small|span|strong|sub|sup|u|ul|wbr)(?:\s[^<>]{0,500})?\/?>/gi;

/** A title or snippet without markup, on one line, no longer than `most` characters. */
function toPlainText(text: string, most: number): string {
  const words = decodeEntities(text.slice(0, 20_000).replace(TAG, ''))
    .split(/\s/)
    .filter((word) => word !== '');
  return shorten(words.join(' '), most);
}

/** One service that searches the web. Neither method throws. */
interface SearchService {
  /** As it is called in a message. */
  name: string;
  ask(query: string, signal: AbortSignal): Promise<JsonAnswer>;
  /** The results as the service lists them; undefined where its answer is none of a search. */
  listResults(value: unknown): readonly RawResult[] | undefined;
  /** What else there is to say where it refuses with this status: a sentence. */
  hint?(httpStatus: number): string | undefined;
}

/** Under our names, and not yet looked at. */
interface RawResult {
  url: unknown;
  title: unknown;
  snippet: unknown;
}

const ASKING = { timeoutMs: 20_000, maxBytes: 5 * 1024 * 1024, trusted: true } as const;
const MOST_RESULTS = 10;

/** `key` is empty for a service that wants none. */
function openSearchService(settings: ResearchSettings, key: string): SearchService {
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
