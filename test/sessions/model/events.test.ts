import { describe, expect, test } from 'vitest';
import { fillUsage, readEvents } from '../../../src/sessions/model/transport.js';
import { serve } from '../../runs/serve.js';
import { askAt, askServer, PROVIDERS } from './asking.js';

const TEXT = 'Bär 🐻 says:\ndata: [DONE]\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n日本';

const OPENAI = [
  `data: ${JSON.stringify({ choices: [{ delta: { content: TEXT } }] })}\n\n`,
  `data: ${JSON.stringify({ choices: [{ delta: { content: '[DONE]' }, finish_reason: 'stop' }] })}\n\n`,
].join('');

const ANTHROPIC = [
  { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: TEXT },
    next: { type: 'message_stop' },
  },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

const DONE = 'data: [DONE]\n\n';
const STOP = 'data: {"type":"message_stop"}\n\n';

/** Never ends by itself: `closed` tells that it was left. */
function holdOpen(pieces: readonly Uint8Array[]) {
  const source = { closed: false, chunks: give() };
  async function* give() {
    try {
      yield* pieces;
      await new Promise(() => {});
    } finally {
      source.closed = true;
    }
  }
  return source;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

const ENDS: [name: string, sent: string, events: string, seen: string][] = [
  ['[DONE]', OPENAI, 'data: [DONE]\n\n', DONE],
  ['[DONE] without a space', OPENAI, 'data:[DONE]\n', DONE],
  ['[DONE] and no end of its line', OPENAI, 'data: [DONE]', DONE],
  ['message_stop', ANTHROPIC, 'event: message_stop\ndata: {"type":"message_stop"}\n\n', STOP],
  ['message_stop by its name alone', ANTHROPIC, 'event: message_stop\n', STOP],
  ['message_stop in its data alone', ANTHROPIC, 'data: {"x": {}, "type": "message_stop"}\n\n', STOP],
  ['message_stop and no end of its line', ANTHROPIC, 'data: {"type":"message_stop"}', STOP],
];

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('the end of an answer, lines that end with %s', (_, lineEnd) => {
  test.each(ENDS)('%s, cut anywhere', async (_, events, end, seen) => {
    const [before, mark] = [events, end].map((text) => text.replaceAll('\n', lineEnd)) as [string, string];
    const bytes = Buffer.from(before + mark);
    for (let at = 0; at <= bytes.length; at++) {
      const source = holdOpen([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(await readText(readEvents(source.chunks))).toBe(before + seen);
      expect(source.closed).toBe(true);
    }
  });

  test.each(ENDS)('%s, byte by byte, with more behind it', async (_, events, end, seen) => {
    const [before, mark] = [events, end].map((text) => text.replaceAll('\n', lineEnd)) as [string, string];
    const bytes = Buffer.from(`${before}${mark}${lineEnd}data: {"more":1}${lineEnd}${lineEnd}`);
    const source = holdOpen([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(await readText(readEvents(source.chunks))).toBe(before + seen);
    expect(source.closed).toBe(true);
  });
});

test.each([
  OPENAI,
  ANTHROPIC,
  ': [DONE]\n\n',
  'data: "[DONE]"\n\n',
  'event: message_stopped\ndata: 1\n\n',
  'data: {"delta":{"type":"message_stop"}}\n\n',
  'data: ["message_stop"]\n\ndata: {"message_stop"\n\n',
  'data: half a li',
  '',
])('no end is in %j', async (events) => {
  const bytes = Buffer.from(events);
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    expect(await readText(readEvents(ReadableStream.from(pieces)))).toBe(events);
  }
});

test('a mark of byte order hides no end', async () => {
  const { chunks } = holdOpen([Buffer.from('\ufeffdata: [DO'), Buffer.from('NE]\n\n')]);
  expect(await readText(readEvents(chunks))).toBe(DONE);
});

test('bytes that are no text are no trouble', async () => {
  const events = ReadableStream.from([
    Uint8Array.of(0xff, 0x0a, 0xf0, 0x9f),
    Buffer.from('\ndata: [DONE]\n'),
  ]);
  expect(await readText(readEvents(events))).toBe(`\ufffd\n\ufffd\n${DONE}`);
});

describe.each(PROVIDERS)('%s: a response that stays open', (provider) => {
  test('ends where its protocol says so', async () => {
    const { answer, requests } = await askServer(provider, {
      answer: TEXT,
      usage: { input: 12, output: 34 },
      holdOpen: true,
    });
    expect(answer).toMatchObject({
      status: 'answered',
      text: TEXT,
      tokens: { input: 12, output: 34, estimated: false },
    });
    expect(requests).toHaveLength(1);
  });

  test('is as cut off as any other', async () => {
    const { answer } = await askServer(provider, { answer: TEXT, finish: 'length', holdOpen: true });
    expect(answer).toMatchObject({ status: 'cut-off', text: TEXT });
  });

  test('says nothing of an end where it gave no reason', async () => {
    const { answer } = await askServer(provider, { answer: TEXT, finish: null, holdOpen: true });
    expect(answer).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('ended its answer without marking'),
    });
  });

  const [name, whole] = provider === 'anthropic' ? ['message_stop', ANTHROPIC] : ['[DONE]', OPENAI];
  const text = provider === 'anthropic' ? TEXT : `${TEXT}[DONE]`;
  test.each(ENDS.filter(([end]) => end.startsWith(name)))(
    '%s: the connection is closed',
    async (_, __, end) => {
      let closed = (): void => {};
      const left = new Promise<void>((resolve) => {
        closed = resolve;
      });
      const url = await serve((_, response) => {
        response.on('close', closed);
        response.write(whole + end);
      });
      const { answer } = await askAt(provider, `${url}/v1`);
      expect(answer).toMatchObject({ status: 'answered', text });
      await left;
    },
  );
});

describe('a service that counts no tokens', () => {
  test.each([{ whole: true }, { whole: false }])('is understood in any protocol: %j', async (how) => {
    for (const provider of PROVIDERS) {
      const { answer } = await askServer(provider, { answer: 'x'.repeat(41), usage: null, ...how });
      expect(answer).toMatchObject({
        status: 'answered',
        tokens: { input: 7, output: 11, estimated: true },
      });
    }
  });

  test('or only at the end', async () => {
    const url = await serve((_, response) => {
      const events = ANTHROPIC.replace(',"usage":{"input_tokens":5}', '').replace(
        '{"output_tokens":3}',
        '{"input_tokens":7000,"output_tokens":3}',
      );
      response.end(events + STOP);
    });
    const { answer } = await askAt('anthropic', `${url}/v1`);
    expect(answer.tokens).toEqual({ input: 7000, output: 3, estimated: false });
  });

  test('or only at the beginning', async () => {
    const url = await serve((_, response) => {
      response.end(ANTHROPIC.replace(',"usage":{"output_tokens":3}', '') + STOP);
    });
    const { answer } = await askAt('anthropic', `${url}/v1`);
    expect(answer).toMatchObject({ status: 'answered', tokens: { input: 5, estimated: true } });
  });

  test.each([
    '{"type":"message_start", "message":{"usage":{"input_tokens":5}}}',
    '{"type":"message_start", "message":"usage"}',
    '{"type":"message_start"}',
    '{"type":"message_delta", "usage":{"output_tokens":5}}',
    '{"type":"ping", "about":"message_start"}',
    '{"type":"message_start"',
    '["message_start"]',
    'null "message"',
    '"message"',
    '',
  ])('%j stays as it is', (json) => {
    expect(fillUsage(json)).toBe(json);
  });
});
