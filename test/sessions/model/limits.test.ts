import { describe, expect, test } from 'vitest';
import { serve } from '../../runs/serve.js';
import { askAt, askServer, KEY, PROVIDERS } from './asking.js';

const TEXT = 'One and two and three and four. ';

describe.each(PROVIDERS)('%s', (provider) => {
  describe('time', () => {
    test('an answer that stalls ends with what came', async () => {
      const { answer, requests } = await askServer(
        provider,
        { answer: TEXT, stallAfter: 14 },
        { settings: { idleMs: 500 } },
      );
      expect(answer).toMatchObject({
        status: 'failed',
        text: TEXT.slice(0, 14),
        tokens: { input: 7, output: 4, estimated: true },
        reason: expect.stringMatching(/^The model at http:\S+ sent nothing for 0\.5 s \(model\.idle\)\.$/),
      });
      expect(requests).toHaveLength(1);
    });

    test('so does one of which nothing comes at all', async () => {
      const { answer, waits } = await askServer(
        provider,
        { answer: TEXT, delayMs: 60_000 },
        { settings: { idleMs: 200 } },
      );
      expect(answer).toMatchObject({
        status: 'failed',
        text: '',
        reason: expect.stringContaining('(model.idle)'),
      });
      expect(waits).toEqual([]);
    });

    test('one that goes on and on is ended', async () => {
      const { answer } = await askServer(
        provider,
        { answer: TEXT.repeat(1000), pieceDelayMs: 5 },
        { settings: { timeoutMs: 250 } },
      );
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/took more than 0\.25 s \(model\.timeout\)\.$/),
      });
      expect(TEXT.repeat(1000).startsWith(answer.text)).toBe(true);
    });
  });

  describe('interrupts', () => {
    test('in the middle of an answer', async () => {
      const { answer, pieces } = await askServer(
        provider,
        { answer: TEXT, stallAfter: 21 },
        { onText: (text, abort) => text.includes('t') && abort() },
      );
      expect(answer).toMatchObject({
        status: 'interrupted',
        text: 'One and two and three'.slice(0, pieces.join('').length),
        reason: 'Interrupted before the answer was complete.',
        tokens: { estimated: true },
      });
      expect(pieces.join('')).toBe(answer.text);
    });

    test('before anything came', async () => {
      const aborter = new AbortController();
      const { answer } = await askServer(
        provider,
        () => {
          setImmediate(() => aborter.abort());
          return { delayMs: 60_000 };
        },
        { request: { signal: aborter.signal } },
      );
      expect(answer).toMatchObject({ status: 'interrupted', text: '' });
    });

    test('while it waits', async () => {
      const { answer, requests } = await askServer(
        provider,
        { status: 503 },
        { onWait: (_, abort) => abort() },
      );
      expect(answer).toMatchObject({ status: 'interrupted', text: '', tokens: { input: 0, output: 0 } });
      expect(requests).toHaveLength(1);
    });

    test('before it begins', async () => {
      const { answer, requests } = await askServer(
        provider,
        { answer: TEXT },
        { request: { signal: AbortSignal.abort() } },
      );
      expect(answer).toMatchObject({ status: 'interrupted' });
      expect(requests).toHaveLength(0);
    });
  });

  describe('size', () => {
    test('an answer of more than 10 MB is stopped', async () => {
      const { answer } = await askServer(provider, { answer: 'é'.repeat(5_300_000), chunk: 300_000 });
      expect(answer).toMatchObject({
        status: 'failed',
        reason: 'The answer is longer than 10 MB and was stopped.',
      });
      expect(answer.text.length).toBeGreaterThan(5_000_000);
      expect(answer.text.length).toBeLessThan(5_600_000);
    });

    test('a line without an end is stopped', async () => {
      const block = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      const url = await serve((_, response) => {
        response.on('drain', () => more());
        const more = () => {
          while (!response.destroyed && sent < 100 && response.write(block)) sent++;
          sent++;
        };
        response.write('data: ');
        more();
      });
      const { answer } = await askAt(provider, `${url}/v1`);
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('too much data for an answer'),
      });
      expect(sent).toBeLessThan(100);
    });

    test('so is an error of any length', async () => {
      const { answer } = await askServer(provider, { status: 400, body: 'nope '.repeat(200_000) });
      expect(answer).toMatchObject({
        reason: expect.stringMatching(/HTTP 400: (nope )+nope?…|HTTP 400: [nope ]+…/),
      });
      expect((answer as { reason: string }).reason.length).toBeLessThan(450);
    });
  });

  describe('the key', () => {
    test.each([1, 2, 7, 100])('is not in an answer that repeats it, in pieces of %i', async (chunk) => {
      const { answer, pieces } = await askServer(provider, {
        answer: 'It is KEY, I say: KEYKEY.',
        echoKey: true,
        chunk,
      });
      expect(answer).toMatchObject({
        status: 'answered',
        text: 'It is [masked:00000000], I say: [masked:00000000][masked:00000000].',
      });
      expect(pieces.join('')).toBe(answer.text);
      expect(pieces.every((piece) => !piece.includes(KEY.slice(0, 8)))).toBe(true);
    });

    test('is not in one that breaks off in the middle of it', async () => {
      const { answer } = await askServer(provider, {
        answer: 'It is KEY',
        echoKey: true,
        cutAfter: 'It is '.length + KEY.length - 2,
      });
      expect(answer).toMatchObject({ status: 'failed', text: 'It is [masked:00000000]' });
    });

    test('is not in an error, also where that is cut', async () => {
      for (const lead of ['', 'x'.repeat(290)]) {
        const { answer, retries } = await askServer(provider, [
          { status: 500, body: { error: { message: `${lead}KEY is busy` } }, echoKey: true },
          { status: 401, body: { error: { message: `${lead}KEY is bad` } }, echoKey: true },
        ]);
        const said = JSON.stringify([answer, retries]);
        expect(said).toContain('[masked');
        expect(said).not.toContain(KEY.slice(0, 8));
      }
    });

    test('is not in a redirect or in an error on the way', async () => {
      const redirected = await askServer(provider, {
        status: 302,
        headers: { location: `http://other.example/?key=${KEY}` },
        body: '',
      });
      const broken = await askServer(provider, {
        errorAfter: 3,
        answer: TEXT,
        error: { type: 'x', message: KEY },
      });
      expect(JSON.stringify([redirected.answer, broken.answer])).not.toContain(KEY);
    });

    test('a word that stands for none is a word like others', async () => {
      const { answer, requests } = await askServer(provider, { answer: 'Start ollama.' }, { key: 'ollama' });
      expect(answer).toMatchObject({ status: 'answered', text: 'Start ollama.' });
      expect(JSON.stringify(requests[0]!.headers)).toContain('ollama');
    });

    test('loses the line break that a file may have given it', async () => {
      const { answer } = await askServer(provider, { answer: TEXT }, { key: `${KEY}\r\n` });
      expect(answer.status).toBe('answered');
    });

    test.each(['two words', 'ключ-0123456789', 'a\u0000b'])('%j is none', async (key) => {
      const { answer, requests } = await askServer(provider, { answer: TEXT }, { key });
      expect(requests).toHaveLength(0);
      expect(answer).toMatchObject({
        status: 'failed',
        reason: 'The key in TEST_KEY contains characters that no key has, such as a space or a line break.',
      });
    });

    test.each([null, '', ' \n'])('%j: nothing is asked', async (key) => {
      const { answer, requests } = await askServer(provider, { answer: TEXT }, { key });
      expect(requests).toHaveLength(0);
      expect(answer).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/^TEST_KEY is not set. It must hold the key for the model/),
      });
    });
  });
});

describe('services that differ', () => {
  test('whatever comes is a sign of life', async () => {
    const { answer } = await askServer(
      'openai-compatible',
      { thought: TEXT.repeat(2), answer: 'Done.', pieceDelayMs: 8 },
      { settings: { idleMs: 600 } },
    );
    expect(answer).toMatchObject({ status: 'answered', text: 'Done.' });
  });

  test('no key is sent where none is needed', async () => {
    const { answer, requests } = await askServer(
      'openai-compatible',
      { answer: TEXT },
      { key: null, keyName: null },
    );
    expect(answer.status).toBe('answered');
    expect(requests[0]!.headers).not.toHaveProperty('authorization');
  });

  test('a key that is needed after all', async () => {
    const { answer } = await askServer('openai-compatible', { status: 401 }, { key: null, keyName: null });
    expect(answer).toMatchObject({
      reason: expect.stringContaining('Set model.keyEnv in config.yaml to the variable that holds the key'),
    });
  });

  test('the environment of the SDK counts for nothing', async () => {
    const before = { ...process.env };
    process.env.ANTHROPIC_API_KEY = 'sk-other';
    process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:9/v1';
    try {
      const { requests } = await askServer('anthropic', { answer: TEXT }, { key: null, keyName: null });
      expect(requests[0]!.headers['x-api-key']).toBe('');
    } finally {
      process.env = before;
    }
  });

  test('one that knows the limit by another name', async () => {
    const { answer, requests, waits, client } = await askServer('openai-compatible', ({ body }) =>
      'max_tokens' in body
        ? { status: 400, body: { error: { message: "Use 'max_completion_tokens' instead." } } }
        : { answer: TEXT },
    );
    expect(answer).toMatchObject({ status: 'answered', text: TEXT });
    expect(requests.map(({ body }) => body.max_completion_tokens)).toEqual([undefined, 500]);
    expect(waits).toEqual([]);
    await client.ask({
      system: 's',
      messages: [{ role: 'user', text: 'x' }],
      signal: new AbortController().signal,
      onText: () => {},
      onRetry: () => {},
    });
    expect(requests).toHaveLength(3);
  });

  test('one that counts no tokens', async () => {
    const { answer, requests } = await askServer('openai-compatible', ({ body }) =>
      'stream_options' in body
        ? { status: 422, body: { detail: 'stream_options: extra fields not permitted' } }
        : { answer: TEXT, usage: null },
    );
    expect(answer).toMatchObject({ status: 'answered', tokens: { estimated: true } });
    expect(requests).toHaveLength(2);
  });

  test('one that refuses whatever is changed', async () => {
    const { answer, requests } = await askServer('openai-compatible', {
      status: 400,
      body: 'max_completion_tokens stream_options',
    });
    expect(answer.status).toBe('failed');
    expect(requests).toHaveLength(3);
  });

  test('one that tells what it costs', async () => {
    const { answer } = await askServer(
      'openai-compatible',
      { answer: TEXT, usage: { input: 10, output: 20, costUsd: 0.0123 } },
      { settings: { prices: { input: 1000, output: 1000 } } },
    );
    expect(answer.costUsd).toBe(0.0123);
  });

  test.each([
    { input: -5, output: 1.5 },
    { input: 0, output: 0 },
    { input: Number.MAX_VALUE, output: 2 ** 60 },
  ])('one that counts %j', async (usage) => {
    const { answer } = await askServer('openai-compatible', { answer: TEXT, usage });
    expect(answer.tokens).toEqual({ input: 7, output: 8, estimated: true });
  });

  test('one that labels its stream as something else', async () => {
    const { answer } = await askServer('openai-compatible', {
      answer: TEXT,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 'answered', text: TEXT });
  });

  test('one that encodes what nobody asked it to', async () => {
    const { answer } = await askServer('anthropic', {
      answer: TEXT,
      headers: { 'content-encoding': 'gzip' },
    });
    expect(answer).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('answers encoded as "gzip"'),
    });
  });

  test('a kind of event that came later', async () => {
    const url = await serve((_, response) => {
      const events = [
        {
          type: 'message_start',
          message: { id: 'm', model: 'x', usage: { input_tokens: 5, output_tokens: 0 } },
        },
        { type: 'weather', sunny: true },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ];
      response.end(events.map((event) => `event: x\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join(''));
    });
    const { answer } = await askAt('anthropic', `${url}/v1`);
    expect(answer).toMatchObject({ status: 'answered', text: TEXT, tokens: { input: 5, output: 3 } });
  });

  test('reasoning in think tags stays where it is: it is kept as it came', async () => {
    const came = `<think>\nA # Plan?\n</think>\n\n${TEXT}`;
    const { answer, pieces } = await askServer('openai-compatible', { answer: came, chunk: 3 });
    expect(answer).toMatchObject({ status: 'answered', text: came });
    expect(pieces.join('')).toBe(came);
  });
});
