import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serve } from '../../runs/serve.js';
import { askAt, askServer, KEY, PROVIDERS } from './asking.js';

const PLAN = '# Grüße 🐻 an die Bären\n\n## Rationale\n\n````text\n日本語のテキスト — “quoted”\n````\n';

describe.each(PROVIDERS)('%s', (provider) => {
  test('an answer as it comes, whole characters whatever the pieces', async () => {
    const { answer, pieces, requests } = await askServer(provider, {
      answer: PLAN,
      usage: { input: 1200, output: 340 },
    });
    expect(answer).toEqual({
      status: 'answered',
      text: PLAN,
      tokens: { input: 1200, output: 340, estimated: false },
      costUsd: null,
    });
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe(PLAN);
    expect(requests).toHaveLength(1);
    expect(requests[0]!.body).toMatchObject({ model: 'test-model', max_tokens: 500, stream: true });
    expect(requests[0]!.headers['user-agent']).toBe('teddy');
  });

  test('system prompt, messages and key arrive', async () => {
    const { requests } = await askServer(
      provider,
      { answer: 'Yes.' },
      {
        request: {
          system: 'Be brief.',
          messages: [
            { role: 'user', text: 'One?' },
            { role: 'assistant', text: 'One.' },
            { role: 'user', text: 'Two?' },
          ],
        },
      },
    );
    const { body, headers, path } = requests[0]!;
    const said = JSON.stringify(body);
    for (const text of ['Be brief.', 'One?', 'One.', 'Two?']) expect(said).toContain(text);
    expect(
      body.messages.map(({ role }: { role: string }) => role).filter((role: string) => role !== 'system'),
    ).toEqual(['user', 'assistant', 'user']);
    expect(provider === 'anthropic' ? headers['x-api-key'] : headers.authorization).toContain(KEY);
    expect(path).toBe(provider === 'anthropic' ? '/v1/messages' : '/v1/chat/completions');
  });

  test('what a model thinks is no text of its answer', async () => {
    const { answer, pieces } = await askServer(provider, { thought: 'Let me see …', answer: PLAN });
    expect(answer).toMatchObject({ status: 'answered', text: PLAN });
    expect(pieces.join('')).toBe(PLAN);
  });

  test('tokens are counted here where the service does not say', async () => {
    const { answer } = await askServer(
      provider,
      { answer: 'x'.repeat(41), usage: null },
      { settings: { prices: { input: 10, output: 100 } } },
    );
    // 'You plan.' and 'A plan, please.' are 3 and 4.
    expect(answer).toMatchObject({ tokens: { input: 7, output: 11, estimated: true }, costUsd: 0.00117 });
  });

  test('its cost, by prices', async () => {
    const { answer } = await askServer(
      provider,
      { answer: PLAN, usage: { input: 1000, output: 2000 } },
      { settings: { prices: { input: 3, output: 15 } } },
    );
    expect(answer.costUsd).toBe(0.033);
  });

  test('a service that does not stream is understood', async () => {
    const { answer, pieces } = await askServer(provider, {
      whole: true,
      answer: PLAN,
      usage: { input: 9, output: 8 },
    });
    expect(answer).toMatchObject({ status: 'answered', text: PLAN, tokens: { input: 9, output: 8 } });
    expect(pieces.join('')).toBe(PLAN);
  });

  test('a service that does not stream, and was cut off', async () => {
    const { answer } = await askServer(provider, { whole: true, answer: PLAN, finish: 'length' });
    expect(answer).toMatchObject({ status: 'cut-off', text: PLAN });
  });

  describe('how an answer ends', () => {
    test('at the token limit it is cut off, however well it reads', async () => {
      const { answer } = await askServer(provider, { answer: PLAN, finish: 'length' });
      expect(answer).toMatchObject({
        status: 'cut-off',
        text: PLAN,
        reason: 'It reached its limit of 500 tokens (model.maxOutputTokens).',
      });
    });

    test('at the token limit before any text', async () => {
      const { answer } = await askServer(provider, { thought: 'Hm. '.repeat(20), finish: 'length' });
      expect(answer).toMatchObject({ status: 'cut-off', text: '' });
      expect(answer).toMatchObject({
        reason: expect.stringContaining('before any text; reasoning counts too'),
      });
    });

    test.each(['max_tokens', 'model_context_window_exceeded'])('%s is cut off', async (finish) => {
      const { answer } = await askServer(provider, { answer: PLAN, finish });
      expect(answer).toMatchObject({ status: 'cut-off', text: PLAN });
    });

    test.each(['end_turn', 'eos', 'stop_sequence', 'COMPLETE'])('%s is an end', async (finish) => {
      const { answer } = await askServer(provider, { answer: PLAN, finish });
      expect(answer).toMatchObject({ status: 'answered', text: PLAN });
    });

    test.each(['content_filter', 'refusal'])('%s is none', async (finish) => {
      const { answer } = await askServer(provider, { answer: 'I ca', finish });
      expect(answer).toMatchObject({
        status: 'failed',
        text: 'I ca',
        reason: `The model, or a filter before it, refused to answer (${finish}).`,
      });
    });

    test('error is none', async () => {
      const { answer } = await askServer(provider, { answer: PLAN, finish: 'error' });
      expect(answer).toMatchObject({ status: 'failed', text: PLAN });
    });

    test.each([null, ''])('%j says nothing of an end', async (finish) => {
      const { answer, requests } = await askServer(provider, { answer: PLAN, finish });
      expect(answer).toMatchObject({
        status: 'failed',
        text: PLAN,
        reason: expect.stringMatching(/^The model at http:\S+ ended its answer without marking/),
      });
      expect(requests).toHaveLength(1);
    });

    test.each(['', ' \n '])('%j is no answer', async (text) => {
      const { answer, requests } = await askServer(provider, { answer: text });
      expect(answer).toMatchObject({ status: 'failed', reason: 'The model returned an empty answer.' });
      expect(requests).toHaveLength(1);
    });

    test('reasoning alone is no answer', async () => {
      const { answer } = await askServer(provider, { thought: 'Well.' });
      expect(answer).toMatchObject({ reason: 'The model returned reasoning but no answer.' });
    });
  });

  describe('an answer that breaks off', () => {
    test.each(['cutAfter', 'endAfter'] as const)(
      '%s: what came is kept, and nothing is asked again',
      async (how) => {
        const { answer, pieces, requests } = await askServer(provider, { answer: PLAN, [how]: 30 });
        expect(answer).toMatchObject({ status: 'failed', text: [...PLAN].slice(0, 30).join('') });
        expect(pieces.join('')).toBe(answer.text);
        expect(answer.tokens).toEqual({
          input: 7,
          output: Math.ceil(answer.text.length / 4),
          estimated: true,
        });
        expect(requests).toHaveLength(1);
      },
    );

    test.each(['cutAfter', 'endAfter', 'errorAfter'] as const)(
      '%s before any text: once more',
      async (how) => {
        const { answer, requests, waits } = await askServer(provider, [
          { answer: PLAN, [how]: 0 },
          { thought: 'Only a thought.', answer: PLAN, [how]: 0 },
          { answer: PLAN },
        ]);
        expect(answer).toMatchObject({ status: 'answered', text: PLAN });
        expect(requests).toHaveLength(3);
        expect(waits).toEqual([1000, 2000]);
      },
    );

    test('an error in the middle is told', async () => {
      const { answer } = await askServer(provider, {
        answer: PLAN,
        errorAfter: 10,
        error: { type: 'overloaded_error', message: 'Too many\nbears' },
      });
      expect(answer).toMatchObject({
        status: 'failed',
        text: [...PLAN].slice(0, 10).join(''),
        reason: expect.stringMatching(/reported an error: Too many bears\.$/),
      });
    });

    test('an error in its place that no wait mends', async () => {
      const { answer, requests } = await askServer(provider, {
        errorAfter: 0,
        error: { type: 'invalid_request_error', message: 'No such thing.' },
      });
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/reported an error: No such thing\.$/),
      });
      expect(requests).toHaveLength(1);
    });
  });

  describe('tries again', () => {
    test.each([429, 500, 502, 503, 504, 529, 408])('after HTTP %i', async (status) => {
      const { answer, retries, waits } = await askServer(provider, [
        { status, body: { type: 'error', error: { type: 'x', message: 'Come back later' } } },
        { answer: PLAN },
      ]);
      expect(answer).toMatchObject({ status: 'answered', text: PLAN });
      expect(retries).toEqual([
        { reason: expect.stringMatching(`answered with HTTP ${status}: Come back later\\.$`), waitMs: 1000 },
      ]);
      expect(waits).toEqual([1000]);
    });

    test('as late as the service asks', async () => {
      const { answer, waits } = await askServer(provider, [
        { status: 429, headers: { 'retry-after': '17' }, body: 'slow down' },
        { status: 529 },
        { answer: PLAN },
      ]);
      expect(answer.status).toBe('answered');
      expect(waits).toEqual([17_000, 2000]);
    });

    test('four times, and no more', async () => {
      const { answer, waits, requests } = await askServer(
        provider,
        { status: 503, body: '<html>Bad gateway</html>' },
        { settings: { prices: { input: 1, output: 1 } } },
      );
      expect(requests).toHaveLength(5);
      expect(waits).toEqual([1000, 2000, 4000, 8000]);
      expect(answer).toEqual({
        status: 'failed',
        mayPass: false,
        text: '',
        tokens: { input: 0, output: 0, estimated: false },
        costUsd: 0,
        reason: expect.stringMatching(/^The model at http:\S+ answered with HTTP 503\. Tried 5 times\.$/),
      });
    });

    test('not where that would pass the time limit', async () => {
      const { answer, requests } = await askServer(provider, {
        status: 429,
        headers: { 'retry-after': '3600' },
      });
      expect(requests).toHaveLength(1);
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining(
          'It asks to wait 3600 s, which is more time than model.timeout leaves.',
        ),
      });
    });
  });

  describe('does not try again', () => {
    test.each([
      ['any other port', undefined, 'Start the server, or choose another model with teddy setup.'],
      ["Ollama's port", 11434, 'Start it with `ollama serve`, or choose another model with teddy setup.'],
      [
        "LM Studio's port",
        1234,
        'Start the server in LM Studio (Developer tab) or with `lms server start`, or',
      ],
    ])('where no server runs on this machine: %s', async (_, known, remedy) => {
      const port = known ?? (await closedPort());
      const { answer, waits } = await askAt(provider, `http://127.0.0.9:${port}/v1`);
      expect(waits).toEqual([]);
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining(
          `The model at http://127.0.0.9:${port}/v1 refuses connections: no server is running there. ${remedy}`,
        ),
      });
    });

    test.each([
      [400, 'Check the settings under model in config.yaml.'],
      [401, 'Check the key in TEST_KEY.'],
      [403, 'Check the key in TEST_KEY.'],
      [404, 'Check the name of the model and its address: model.name and model.baseURL in config.yaml.'],
      [402, 'Check the balance of the account that the key belongs to.'],
      [413, 'Remove files from the context, or lower context.budget in config.yaml.'],
    ])('after HTTP %i', async (status, hint) => {
      const { answer, requests } = await askServer(provider, {
        status,
        body: { type: 'error', error: { type: 'x', message: 'Not like that!' } },
      });
      expect(requests).toHaveLength(1);
      expect(answer).toMatchObject({ status: 'failed', text: '', tokens: { input: 0, output: 0 } });
      expect(answer).toMatchObject({
        reason: expect.stringMatching(
          `^The model at http:\\S+ answered with HTTP ${status}: Not like that! ${hint}$`,
        ),
      });
    });

    test('where the quota is used up', async () => {
      const { answer, requests } = await askServer(provider, {
        status: 429,
        body: { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } },
      });
      expect(requests).toHaveLength(1);
      expect(answer).toMatchObject({ reason: expect.stringContaining('Check the balance of the account') });
    });

    test('where the input is too long', async () => {
      const { answer } = await askServer(provider, {
        status: 400,
        body: { error: { message: "This model's maximum context length is 8192 tokens" } },
      });
      expect(answer).toMatchObject({ reason: expect.stringContaining('context.budget') });
    });

    test('after a redirect, which nobody follows', async () => {
      const elsewhere: string[] = [];
      const other = await serve((request, response) => {
        elsewhere.push(request.url ?? '');
        response.end('{}');
      });
      for (const status of [301, 302, 307, 308]) {
        const { answer, requests } = await askServer(provider, {
          status,
          headers: { location: `${other}/steal` },
          body: '',
        });
        expect(requests).toHaveLength(1);
        expect(answer).toMatchObject({
          status: 'failed',
          reason: expect.stringContaining(`redirect to ${other}/steal, which is not followed`),
        });
      }
      expect(elsewhere).toEqual([]);
    });

    test('after a web page', async () => {
      const { answer, requests } = await askServer(provider, {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '\n<!doctype html><title>Hello</title>',
      });
      expect(requests).toHaveLength(1);
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('answered with a web page'),
      });
    });

    test.each(['{"hello": 1}', '{"half', '[1, 2]', 'data: {"hello": 1}\n\n', 'data: nonsense\n\n'])(
      'after %j',
      async (body) => {
        const { answer, requests } = await askServer(provider, { status: 200, body });
        expect(requests).toHaveLength(1);
        expect(answer).toMatchObject({
          status: 'failed',
          reason: expect.stringContaining('sent something that is not an answer of this API'),
        });
      },
    );

    test('after an error that came with success', async () => {
      const { answer } = await askServer(provider, {
        status: 200,
        body: { error: { message: 'The model is not loaded', code: 'x' } },
      });
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/reported an error: The model is not loaded\.$/),
      });
    });
  });

  test.each([
    ['{"detail": "Not Found"}', 'Not Found'],
    ['{"detail": [{"loc": ["x"], "msg": "field required"}]}', 'field required'],
    ['{"error": "model \\"m\\" not found"}', 'model "m" not found'],
    ['[{"error": {"message": "In a list"}}]', 'In a list'],
    ['{"object": "error", "message": "Flat"}', 'Flat'],
    ['just\r\n words\u0007', 'just words'],
    [`{"error": {"message": "${'long '.repeat(100)}"}}`, `${'long '.repeat(60).slice(0, 299)}…`],
  ])('the words of %j', async (body, words) => {
    const { answer } = await askServer(provider, { status: 418, body });
    expect(answer).toMatchObject({ reason: expect.stringContaining(`answered with HTTP 418: ${words}`) });
    expect((answer as { reason: string }).reason.length).toBeLessThan(420);
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.9');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
