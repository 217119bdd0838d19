import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ResearchSettings } from '../../../src/runs/run-context.js';
import { research } from '../../../src/runs/web/research.js';
import { makeRunContext } from '../run-context.js';
import { serve } from '../serve.js';

const KEY = ['tvly', 'k3y'.repeat(8)].join('-');

interface Found {
  url: unknown;
  title?: unknown;
  text?: unknown;
}

/** A service as its documentation has it: how it is asked, and how it answers and refuses. */
interface Service {
  name: string;
  settings(url: string): ResearchSettings;
  /** The query, when it is asked as it wants to be. */
  readQuery(request: IncomingMessage, body: string): string | undefined;
  answer(query: string, found: readonly Found[]): unknown;
  refusal: unknown;
}

const inUrl = (request: IncomingMessage, path: string) => {
  const url = new URL(request.url!, 'http://service.test');
  return request.method === 'GET' && url.pathname === path ? url.searchParams : undefined;
};

const SERVICES: Service[] = [
  {
    name: 'SearXNG',
    settings: (url) => ({ provider: 'searxng', url }),
    readQuery(request) {
      const parameters = inUrl(request, '/search');
      return parameters?.get('format') === 'json' ? (parameters.get('q') ?? undefined) : undefined;
    },
    answer: (query, found) => ({
      query,
      number_of_results: 0,
      results: found.map(({ url, title, text }) => ({ url, title, content: text, engine: 'x', score: 1 })),
      answers: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
    refusal: { error: 'Forbidden' },
  },
  {
    name: 'Brave',
    settings: (url) => ({ provider: 'brave', keyEnv: 'MY_KEY', url }),
    readQuery(request) {
      const parameters = inUrl(request, '/res/v1/web/search');
      const mayAsk = request.headers['x-subscription-token'] === KEY;
      return mayAsk && Number(parameters?.get('count')) <= 20
        ? (parameters?.get('q') ?? undefined)
        : undefined;
    },
    answer: (query, found) => ({
      type: 'search',
      query: { original: query },
      ...(found.length > 0 && {
        web: {
          type: 'search',
          results: found.map(({ url, title, text }) => ({
            type: 'search_result',
            url,
            title,
            description: text,
          })),
        },
      }),
    }),
    refusal: {
      type: 'ErrorResponse',
      error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: KEY, status: 422 },
    },
  },
  {
    name: 'Tavily',
    settings: (url) => ({ provider: 'tavily', keyEnv: 'MY_KEY', url }),
    readQuery(request, body) {
      if (request.method !== 'POST' || request.url !== '/search') return undefined;
      if (request.headers['content-type'] !== 'application/json') return undefined;
      if (request.headers.authorization !== `Bearer ${KEY}`) return undefined;
      const { query, max_results } = JSON.parse(body);
      return max_results <= 20 ? query : undefined;
    },
    answer: (query, found) => ({
      query,
      answer: null,
      results: found.map(({ url, title, text }) => ({
        url,
        title,
        content: text,
        score: 0.9,
        raw_content: null,
      })),
      response_time: 0.5,
    }),
    refusal: { detail: { error: `Unauthorized: invalid API key ${KEY}.` } },
  },
];

type Answer = (query: string, response: ServerResponse) => void;

/** Asks a real server that speaks the service's protocol and answers anything else with 400. */
async function ask(service: Service, queries: string[], answer: Answer, options: { under?: string } = {}) {
  const asked: string[] = [];
  const listener: RequestListener = async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    request.url = request.url!.replace(options.under ?? '', '');
    const query = service.readQuery(request, body);
    if (query === undefined) return void response.writeHead(400).end('{}');
    asked.push(query);
    answer(query, response);
  };
  const origin = await serve(listener);
  const context = makeRunContext({
    research: service.settings(`${origin}${options.under ?? ''}`),
    environment: { MY_KEY: KEY },
  });
  const action = { type: 'RESEARCH', line: 1, metadata: {}, description: null, queries } as const;
  const done = await research({ ...action, queries }, context);
  expect(JSON.stringify(done)).not.toContain(KEY);
  return { done, asked, results: done.output && JSON.parse(done.output.text) };
}

const found = (query: string, at = 1): Found => ({
  url: `https://example.org/${encodeURIComponent(query)}/${at}`,
  title: `Title ${at}`,
  text: `Text on ${query}`,
});

describe.each(SERVICES)('$name', (service) => {
  const give =
    (list: (query: string) => Found[]): Answer =>
    (query, response) =>
      void response.end(JSON.stringify(service.answer(query, list(query))));

  test('all queries, one result a line', async () => {
    const queries = ['first & "best"?', 'zweite #2 +größe'];
    const { done, asked } = await ask(
      service,
      queries,
      give((query) => [found(query)]),
    );
    expect(asked).toEqual(queries);
    expect(done).toEqual({
      status: 'success',
      summary: `${service.name} gave 2 results.`,
      output: {
        text: `[
  {"query": "first & \\"best\\"?", "url": "https://example.org/first%20%26%20%22best%22%3F/1", "title": "Title 1", "snippet": "Text on first & \\"best\\"?"},
  {"query": "zweite #2 +größe", "url": "https://example.org/zweite%20%232%20%2Bgr%C3%B6%C3%9Fe/1", "title": "Title 1", "snippet": "Text on zweite #2 +größe"}
]
`,
        language: 'json',
      },
    });
  });

  test.each(['/', '/below/', '/below'])('at another address: %s', async (under) => {
    const { results } = await ask(
      service,
      ['q'],
      give((query) => [found(query)]),
      { under: under.replace(/\/$/, '') },
    );
    expect(results).toHaveLength(1);
  });

  test('texts are plain', async () => {
    const entry = {
      url: 'https://example.org/',
      title: '<b>Fish</b> &amp; chips &lt;b&gt;',
      text: 'The <strong class="x">best</strong>\n it&#x27;s&nbsp;&hellip; List<String> a < b <br/>&#0;',
    };
    const { results } = await ask(
      service,
      ['q'],
      give(() => [entry]),
    );
    expect(results).toEqual([
      {
        query: 'q',
        url: entry.url,
        title: 'Fish & chips <b>',
        snippet: "The best it's … List<String> a < b \ufffd",
      },
    ]);
  });

  test('at most ten results, and texts of a length', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ ...found('q', at), text: '😀'.repeat(2000) }));
    const { results } = await ask(
      service,
      ['q'],
      give(() => many),
    );
    expect(results).toHaveLength(10);
    expect(results[9].snippet.length).toBeLessThanOrEqual(500);
    expect(results[9].snippet).toMatch(/^😀+…$/u);
  });

  test('entries that are no results are left out', async () => {
    const odd: Found[] = [
      { url: 'javascript:alert(1)' },
      { url: 'file:///etc/passwd' },
      { url: 'not a url' },
      { url: 42 },
      { url: null },
      { url: `https://example.org/${'a'.repeat(3000)}` },
      { url: 'https://example.org/bare', title: null, text: 7 },
    ];
    const { results } = await ask(
      service,
      ['q'],
      give(() => odd),
    );
    expect(results).toEqual([{ query: 'q', url: 'https://example.org/bare', title: '', snippet: '' }]);
  });

  test('nothing found is an answer', async () => {
    const { done } = await ask(
      service,
      ['q'],
      give(() => []),
    );
    expect(done).toMatchObject({
      status: 'success',
      output: { text: '[]\n', language: 'json' },
      notes: ['Nothing was found for "q".'],
    });
  });

  test('one that fails does not take the others with it', async () => {
    const { done, results } = await ask(service, ['a', 'broken', 'c'], (query, response) => {
      if (query === 'broken') response.writeHead(500).end('{}');
      else give((each) => [found(each)])(query, response);
    });
    expect(results.map(({ query }: { query: string }) => query)).toEqual(['a', 'c']);
    expect(done).toMatchObject({
      status: 'success',
      notes: [`The query "broken" failed: ${service.name} answered with HTTP 500.`],
    });
  });

  test.each([401, 403])('refused with %i: no other query is tried', async (status) => {
    const { done, asked } = await ask(service, ['a', 'b', 'c'], (_, response) => {
      response.writeHead(status).end(JSON.stringify(service.refusal));
    });
    expect(asked).toEqual(['a']);
    expect(done).toMatchObject({ status: 'failure', summary: 'The research found nothing.' });
    expect(done.error!.text).toContain(`The query "a" failed: ${service.name} answered with HTTP ${status}.`);
    expect(done.error!.text).toContain('2 queries were not sent');
  });

  test('asked for patience, it is asked again, once', async () => {
    let times = 0;
    const { asked, results } = await ask(service, ['a'], (query, response) => {
      if (times++ === 0) response.writeHead(429, { 'retry-after': '0' }).end('Too Many Requests');
      else give((each) => [found(each)])(query, response);
    });
    expect(asked).toEqual(['a', 'a']);
    expect(results).toHaveLength(1);
    const never = await ask(service, ['a'], (_, response) => {
      response.writeHead(429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }).end('{}');
    });
    expect(never.asked).toEqual(['a', 'a']);
    expect(never.done).toMatchObject({
      status: 'failure',
      error: { text: expect.stringContaining('(rate limit)') },
    });
  });

  test.each<[string, string, string]>([
    ['no JSON', '<html>', 'did not answer with JSON (HTTP 200)'],
    ['nothing', '', 'did not answer with JSON (HTTP 200)'],
    ['another shape', '{"results": {"a": 1}, "web": 5}', 'not with a list of results'],
    ['a list', '[]', 'not with a list of results'],
    ['null', 'null', 'not with a list of results'],
  ])('an answer that is %s', async (_, body, reason) => {
    const { done } = await ask(service, ['a'], (_, response) => void response.end(body));
    expect(done).toMatchObject({ status: 'failure', error: { text: expect.stringContaining(reason) } });
  });

  test('a service that sends the key back does not get it into the report', async () => {
    const echo = { url: `https://example.org/?k=${KEY}`, title: KEY, text: `Your key is ${KEY}.` };
    const { results } = await ask(
      service,
      ['a'],
      give(() => (service.name === 'SearXNG' ? [found('a')] : [echo])),
    );
    expect(results).toHaveLength(1);
    const redirected = await ask(service, ['a'], (_, response) => {
      response.writeHead(302, { location: service.name === 'SearXNG' ? '/x' : `/x?${KEY}` }).end();
    });
    expect(redirected.done.error!.text).toContain('redirect');
  });

  test('at most twenty queries', async () => {
    const queries = Array.from({ length: 22 }, (_, at) => `q${at}`);
    const { done, asked } = await ask(
      service,
      queries,
      give((query) => [found(query)]),
    );
    expect(asked).toEqual(queries.slice(0, 20));
    expect(done.notes).toEqual([expect.stringMatching(/^2 queries were not sent/)]);
  });
});

describe('settings', () => {
  const action = { type: 'RESEARCH' as const, line: 1, metadata: {}, description: null, queries: ['q'] };

  test('no service: how to name one', async () => {
    const done = await research(action, makeRunContext());
    expect(done).toMatchObject({
      status: 'failure',
      summary: 'No search service is configured.',
    });
    expect(done.error!.text).toContain('\nSet research in config.yaml: searxng with its url');
    expect(done.error!.text).toContain('docs/setup.md');
  });

  test.each([undefined, '', '  '])('no key (%j): which variable holds it', async (value) => {
    const context = makeRunContext({
      research: { provider: 'brave', keyEnv: 'MY_KEY' },
      environment: { MY_KEY: value },
    });
    expect(await research(action, context)).toMatchObject({
      status: 'failure',
      summary: 'The environment variable MY_KEY is not set. It must hold the key for brave.',
    });
  });

  test('a key that cannot be sent is not told either', async () => {
    const origin = await serve((_, response) => void response.end('{}'));
    const context = makeRunContext({
      research: { provider: 'tavily', keyEnv: 'MY_KEY', url: origin },
      environment: { MY_KEY: 'two\nlines-of-it' },
    });
    const done = await research(action, context);
    expect(done.status).toBe('failure');
    expect(JSON.stringify(done)).not.toContain('lines-of-it');
  });

  test.each(['nonsense', 'file:///etc/passwd', 'http://127.0.0.1:1'])(
    'an address that is none: %s',
    async (url) => {
      const done = await research(action, makeRunContext({ research: { provider: 'searxng', url } }));
      expect(done).toMatchObject({ status: 'failure', error: { text: expect.stringContaining('SearXNG ') } });
    },
  );

  test('SearXNG without JSON: where to switch it on', async () => {
    const url = await serve((_, response) => void response.writeHead(403).end('<h1>Forbidden</h1>'));
    const done = await research(action, makeRunContext({ research: { provider: 'searxng', url } }));
    expect(done.error!.text).toContain('Its settings.yml must list json under search.formats.');
  });

  test('stopped: the rest is not asked', async () => {
    const abort = new AbortController();
    let asked = 0;
    const url = await serve(() => {
      asked++;
      abort.abort();
    });
    const context = makeRunContext({ research: { provider: 'searxng', url }, signal: abort.signal });
    const done = await research({ ...action, queries: ['a', 'b', 'c'] }, context);
    expect(done.status).toBe('failure');
    expect(asked).toBe(1);
  });

  test('stopped after an answer: a failure that keeps the answer', async () => {
    const abort = new AbortController();
    const url = await serve((request, response) => {
      if (request.url!.includes('q=a'))
        response.end('{"results": [{"url": "https://e.org/", "title": "T"}]}');
      else abort.abort();
    });
    const context = makeRunContext({ research: { provider: 'searxng', url }, signal: abort.signal });
    const done = await research({ ...action, queries: ['a', 'b', 'c'] }, context);
    expect(done).toMatchObject({
      status: 'failure',
      summary: 'The research was interrupted: 1 of 3 queries were answered.',
      output: { text: expect.stringContaining('https://e.org/') },
    });
  });
});
