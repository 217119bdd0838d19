import { openStream } from '../../node/http/service.js';
import type { SdkQuestion } from './model-sdk.js';

/** A transport failure. `reason` completes the sentence "<service> …". */
export type Trouble =
  | { kind: 'unreachable'; reason: string; passing: boolean }
  /** Nothing listens at this local address. */
  | { kind: 'no-server' }
  | { kind: 'status'; httpStatus: number; retryAfterMs: number | null; body: string }
  | { kind: 'redirect'; to: string }
  /** An HTML page instead of an answer. */
  | { kind: 'page' }
  | { kind: 'broken'; reason: string }
  | { kind: 'too-large' };

/** One HTTP exchange: a `fetch` for the SDK, and its actual outcome. */
export interface Transport {
  fetch: SdkQuestion['fetch'];
  readonly trouble: Trouble | null;
  /** Whether the service accepted the request, which may then cost money. */
  readonly accepted: boolean;
  /** The complete answer of a service that does not stream. */
  readonly whole: string | null;
}

/** Limits for the whole response, including framing and reasoning, and for one event. */
const MOST_BYTES = 200 * 1024 * 1024;
const LONGEST_LINE = 12 * 1024 * 1024;
/** The limit for an error response. */
const MOST_ERROR_BYTES = 64 * 1024;

/** `onBytes` is called whenever data arrives. */
export function createTransport(signal: AbortSignal, onBytes: () => void): Transport {
  let trouble: Trouble | null = null;
  let accepted = false;
  let whole: string | null = null;
  const fail = (what: Trouble): never => {
    trouble ??= what;
    throw new Error(what.kind);
  };

  const fetch: Transport['fetch'] = async (url, { headers, body }) => {
    const answer = await openStream(url, { headers, body, signal, trusted: true });
    onBytes();
    if (answer.status === 'refused')
      return fail({ kind: 'unreachable', reason: answer.reason, passing: false });
    if (answer.status === 'failed') {
      if (answer.noServer) return fail({ kind: 'no-server' });
      return fail({ kind: 'unreachable', reason: answer.reason, passing: answer.passing });
    }
    const { httpStatus, location, retryAfterMs = null, chunks } = answer;
    if (httpStatus < 200 || httpStatus > 299) {
      const text = await readStart(chunks, onBytes);
      if (httpStatus >= 300 && httpStatus < 400) return fail({ kind: 'redirect', to: location ?? 'nowhere' });
      return fail({ kind: 'status', httpStatus, retryAfterMs, body: text });
    }
    accepted = true;
    const { first, all } = await peek(limitBytes(chunks, onBytes, fail));
    if (first === '<') return fail({ kind: 'page' });
    if (first !== '{' && first !== '[') {
      return respond(ReadableStream.from(readEvents(all)), 'text/event-stream');
    }
    whole = await readAll(all);
    throw new Error('The answer came as a whole.');
  };
  return {
    fetch,
    get trouble() {
      return trouble;
    },
    get accepted() {
      return accepted;
    },
    get whole() {
      return whole;
    },
  };
}

/** A `fetch` that returns an answer received earlier. */
export function answerWith(whole: string): SdkQuestion['fetch'] {
  return async () => respond(fillUsage(whole), 'application/json');
}

function respond(body: ReadableStream<Uint8Array> | string, type: string): Response {
  return new Response(body, { status: 200, headers: { 'content-type': type } });
}

async function* limitBytes(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: () => void,
  fail: (what: Trouble) => never,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  let line = 0;
  try {
    for await (const chunk of chunks) {
      onBytes();
      const end = chunk.lastIndexOf(NEWLINE);
      length += chunk.length;
      line = end === -1 ? line + chunk.length : chunk.length - end;
      if (length > MOST_BYTES || line > LONGEST_LINE) fail({ kind: 'too-large' });
      yield chunk;
    }
  } catch (error) {
    fail({ kind: 'broken', reason: error instanceof Error ? error.message : String(error) });
  }
}

const NEWLINE = 0x0a;

/** Returns the first non-blank character and the whole stream. Content types are not reliable. */
async function peek(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<{ first: string; all: AsyncGenerator<Uint8Array> }> {
  const seen: Uint8Array[] = [];
  let first = '';
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    seen.push(next.value);
    // The decoder drops a byte order mark.
    first = new TextDecoder().decode(next.value.subarray(0, 1024)).trimStart().slice(0, 1);
    if (first !== '') break;
  }
  return { first, all: join(seen, chunks) };
}

async function* join(seen: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The start of a body, or as much of it as arrived. */
async function readStart(chunks: AsyncIterable<Uint8Array>, onBytes: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  try {
    for await (const chunk of chunks) {
      onBytes();
      length += chunk.length;
      text += decoder.decode(chunk, { stream: true });
      if (length > MOST_ERROR_BYTES) break;
    }
  } catch {}
  return text;
}

/** End markers are short lines. */
const LONGEST_MARK = 4096;

const DONE = 'data: [DONE]\n\n';
const STOP = 'data: {"type":"message_stop"}\n\n';

const AFTER_LINE_END = /(?<=[\r\n])/;
const LINE_END = /[\r\n]$/;
const DATA = /^(data: ?)([^\r\n]+)/;

/**
 * Yields the events of an answer up to its end marker, because the connection may stay open long after that.
 * Adds missing token counts.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let line = '';
  let end: string | null = null;
  for await (const chunk of chunks) {
    let passed = '';
    for (const piece of decoder.decode(chunk, { stream: true }).split(AFTER_LINE_END)) {
      line += piece;
      end = readEnd(line);
      if (end !== null) break;
      if (!LINE_END.test(piece)) continue;
      passed += line.replace(DATA, (_, name: string, value: string) => name + fillUsage(value));
      line = '';
    }
    if (passed !== '') yield encoder.encode(passed);
    if (end !== null) break;
  }
  yield encoder.encode(end ?? line + decoder.decode());
}

/**
 * The end marker as the SDK expects it, if this line starts one. The line may lack its newline: some services
 * send none.
 */
function readEnd(line: string): string | null {
  if (line.length > LONGEST_MARK) return null;
  if (/^data:\s*\[DONE\]/.test(line)) return DONE;
  if (/^event: ?message_stop[\r\n]/.test(line)) return STOP;
  if (!line.startsWith('data:') || !line.includes('"message_stop"')) return null;
  return parse(line.slice('data:'.length))?.type === 'message_stop' ? STOP : null;
}

/**
 * The SDK rejects Anthropic events without token counts, which not every service sends. Readers treat a count
 * of 0 as unknown.
 */
export function fillUsage(json: string): string {
  if (!/"message(?:_start|_delta)?"/.test(json)) return json;
  const event = parse(json);
  switch (event?.type) {
    case 'message_start': {
      const { message } = event;
      if (!isRecord(message) || message.usage != null) return json;
      return JSON.stringify({ ...event, message: { ...message, usage: { input_tokens: 0 } } });
    }
    // Only the output: an input count here would override that of `message_start`.
    case 'message_delta':
      return event.usage != null ? json : JSON.stringify({ ...event, usage: { output_tokens: 0 } });
    case 'message':
      if (event.usage != null) return json;
      return JSON.stringify({ ...event, usage: { input_tokens: 0, output_tokens: 0 } });
    default:
      return json;
  }
}

function parse(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
