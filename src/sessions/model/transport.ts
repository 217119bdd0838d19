import { openStream } from '../../node/http/open-stream.js';
import { fillUsage, readEvents } from './events.js';
import type { SdkQuestion } from './model-sdk.js';

/** What went wrong on the way. `reason` completes the sentence "<service> …". */
export type Trouble =
  | { kind: 'unreachable'; reason: string; passing: boolean }
  | { kind: 'status'; httpStatus: number; retryAfterMs: number | null; body: string }
  | { kind: 'redirect'; to: string }
  /** An HTML page in the place of an answer. */
  | { kind: 'page' }
  | { kind: 'broken'; reason: string }
  | { kind: 'too-large' };

/** One exchange with the service, as the SDK sees it and as it was. */
export interface Transport {
  fetch: SdkQuestion['fetch'];
  readonly trouble: Trouble | null;
  /** Whether the service took the question: from then on it may cost something. */
  readonly accepted: boolean;
  /** The answer of a service that does not stream, where it came as a whole. */
  readonly whole: string | null;
}

/** Of all that comes, framing and reasoning included; and of one event. */
const MOST_BYTES = 200 * 1024 * 1024;
const LONGEST_LINE = 12 * 1024 * 1024;
/** Of an answer that is no success. */
const MOST_ERROR_BYTES = 64 * 1024;

/** `onBytes` is told whenever something comes. */
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

/** What came as a whole, once more. */
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

/** The first character that is not blank, and all of it again. Labels cannot be trusted; what comes can. */
async function peek(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<{ first: string; all: AsyncGenerator<Uint8Array> }> {
  const seen: Uint8Array[] = [];
  let first = '';
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    seen.push(next.value);
    // A mark of byte order is no character of a text.
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

/** The beginning of a body, and however much of that came. */
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
