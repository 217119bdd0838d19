// A model service for tests, as a module and as a program:
//
//   node test/model-server.mjs script.json [requests.jsonl]
//
// The script is a list of steps, as in model-server.d.mts. It prints its address, `http://127.0.0.1:PORT/v1`, and
// serves until it is killed. Each request becomes a line of the second file.
import { once } from 'node:events';
import { appendFileSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export async function startModelServer(script, onRequest = () => {}) {
  const next = typeof script === 'function' ? script : inOrder([script].flat());
  const requests = [];
  const server = createServer(async (incoming, outgoing) => {
    try {
      const received = await receive(incoming);
      requests.push(received);
      onRequest(received);
      const protocol = PROTOCOLS[received.path];
      if (received.path === '/v1/models') send(outgoing, 200, MODELS);
      else if (protocol === undefined)
        send(outgoing, 404, { error: { message: `No ${received.path} here.` } });
      else await answer(fill(next(received), received), protocol, outgoing);
    } catch {
      outgoing.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const MODELS = { data: [{ id: 'test-model' }, { id: 'another-model' }] };

function inOrder(steps) {
  let at = 0;
  return () => steps[Math.min(at++, steps.length - 1)] ?? {};
}

async function receive(incoming) {
  let text = '';
  incoming.setEncoding('utf8');
  for await (const piece of incoming) text += piece;
  const { method, url, headers } = incoming;
  let body = text;
  try {
    body = JSON.parse(text);
  } catch {}
  return { method, path: url, headers, body };
}

/** A step with all that it leaves out. */
function fill(step, { headers, body }) {
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '') ?? '';
  const echo = (text) => (step.echoKey ? text.replaceAll('KEY', key) : text);
  const answer = echo(step.answer ?? '');
  const sent =
    step.body === undefined || typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
  return {
    chunk: 7,
    thought: '',
    finish: 'stop',
    usage: { input: Math.ceil(JSON.stringify(body).length / 4), output: Math.ceil(answer.length / 4) },
    ...step,
    answer,
    body: sent === undefined ? undefined : echo(sent),
  };
}

async function answer(step, protocol, outgoing) {
  if (step.delayMs !== undefined) await sleep(step.delayMs);
  if (step.status !== undefined || step.body !== undefined) {
    return send(outgoing, step.status ?? 200, step.body ?? '', step.headers);
  }
  if (step.whole) return send(outgoing, 200, protocol.whole(step), step.headers);
  outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...step.headers });
  outgoing.flushHeaders();
  const { events, end } = cut(step, protocol);
  for (const piece of inPieces(events.join(''))) {
    if (outgoing.destroyed) return;
    outgoing.write(piece);
    // Each piece in a packet of its own, as far as that can be had.
    await (step.pieceDelayMs === undefined ? new Promise(setImmediate) : sleep(step.pieceDelayMs));
  }
  if (end === 'cut') outgoing.destroy();
  else if (end === 'end') outgoing.end();
}

function send(outgoing, status, body, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = /^\s*[{[]/.test(text) ? 'application/json' : 'text/plain';
  outgoing.writeHead(status, { 'content-type': type, ...headers });
  outgoing.end(text);
}

/** The events up to where the step breaks off, and what happens then. */
function cut(step, protocol) {
  const [end, after] = ['stall', 'cut', 'end', 'error']
    .map((kind) => [kind, step[`${kind}After`]])
    .find(([, characters]) => characters !== undefined) ?? ['none', Number.POSITIVE_INFINITY];
  const events = [...protocol.begin(step)];
  for (const piece of slices(step.thought, step.chunk)) events.push(protocol.thought(piece));
  for (const piece of slices(step.answer, step.chunk, after)) events.push(protocol.text(piece));
  if (end === 'none') {
    return { events: [...events, ...protocol.end(step)], end: step.holdOpen ? 'hold' : 'end' };
  }
  if (end !== 'error') return { events, end };
  const error = step.error ?? { type: 'overloaded_error', message: 'Overloaded' };
  return { events: [...events, protocol.error(error)], end: 'end' };
}

function slices(text, length, most = Number.POSITIVE_INFINITY) {
  const part = most < text.length ? [...text].slice(0, most).join('') : text;
  return part.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
}

/** Bytes in odd numbers; large ones in few pieces. */
function* inPieces(text) {
  const bytes = Buffer.from(text);
  const size = Math.max(13, Math.ceil(bytes.length / 400));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const PROTOCOLS = {
  '/v1/chat/completions': {
    begin: () => [openAiEvent({ delta: { role: 'assistant', content: '' }, finish_reason: null })],
    thought: (text) => openAiEvent({ delta: { reasoning_content: text }, finish_reason: null }),
    text: (text) => openAiEvent({ delta: { content: text }, finish_reason: null }),
    end: ({ finish, usage }) => [
      ...(finish === null ? [] : [openAiEvent({ delta: {}, finish_reason: finish })]),
      ...(usage === null
        ? []
        : [`data: ${JSON.stringify({ ...OPENAI_HEAD, choices: [], usage: openAiUsage(usage) })}\n\n`]),
      'data: [DONE]\n\n',
    ],
    error: (error) => `data: ${JSON.stringify({ error })}\n\n`,
    whole: ({ answer, thought, finish, usage }) => ({
      ...OPENAI_HEAD,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: answer, ...(thought && { reasoning_content: thought }) },
          finish_reason: finish,
        },
      ],
      ...(usage !== null && { usage: openAiUsage(usage) }),
    }),
  },
  '/v1/messages': {
    begin: ({ thought, usage }) => [
      anthropicEvent('message_start', {
        message: {
          ...ANTHROPIC_HEAD,
          content: [],
          stop_reason: null,
          ...(usage !== null && { usage: { input_tokens: usage.input, output_tokens: 1 } }),
        },
      }),
      anthropicEvent('ping', {}),
      ...(thought === ''
        ? []
        : [
            anthropicEvent('content_block_start', {
              index: 0,
              content_block: { type: 'thinking', thinking: '' },
            }),
          ]),
      anthropicEvent('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
    ],
    thought: (thinking) =>
      anthropicEvent('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking } }),
    text: (text) => anthropicEvent('content_block_delta', { index: 1, delta: { type: 'text_delta', text } }),
    end: ({ finish, usage }) => [
      anthropicEvent('content_block_stop', { index: 1 }),
      anthropicEvent('message_delta', {
        delta: { stop_reason: anthropicFinish(finish), stop_sequence: null },
        ...(usage !== null && { usage: { output_tokens: usage.output } }),
      }),
      anthropicEvent('message_stop', {}),
    ],
    error: (error) => anthropicEvent('error', { error }),
    whole: ({ answer, finish, usage }) => ({
      ...ANTHROPIC_HEAD,
      content: [{ type: 'text', text: answer }],
      stop_reason: anthropicFinish(finish),
      stop_sequence: null,
      ...(usage !== null && { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
    }),
  },
};

const OPENAI_HEAD = { id: 'chat-1', object: 'chat.completion.chunk', created: 0, model: 'test-model' };
const ANTHROPIC_HEAD = { id: 'msg-1', type: 'message', role: 'assistant', model: 'test-model' };

function openAiEvent(choice) {
  return `data: ${JSON.stringify({ ...OPENAI_HEAD, choices: [{ index: 0, ...choice }] })}\n\n`;
}

function openAiUsage({ input, output, costUsd }) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(costUsd !== undefined && { cost: costUsd }),
  };
}

function anthropicEvent(type, content) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...content })}\n\n`;
}

function anthropicFinish(finish) {
  return { stop: 'end_turn', length: 'max_tokens' }[finish] ?? finish;
}

async function main([scriptPath, requestsPath]) {
  if (scriptPath === undefined) {
    console.error('Usage: node test/model-server.mjs script.json [requests.jsonl]');
    process.exit(2);
  }
  const keep = (received) => appendFileSync(requestsPath, `${JSON.stringify(received)}\n`);
  const { url } = await startModelServer(
    JSON.parse(readFileSync(scriptPath, 'utf8')),
    requestsPath === undefined ? undefined : keep,
  );
  console.log(url);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
}
