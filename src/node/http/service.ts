import { decodeText } from '../files.js';
import { type Address, admitter, classifyAddress, type Failed, parseUrl, type Refused } from './admission.js';
import {
  codeOf,
  describeTimeLimit,
  ExchangeError,
  limitTime,
  openExchange,
  readResponseBody,
} from './exchange.js';

export type JsonRequest = {
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
  /** The caller guarantees that a trusted config names this address, which may be private. */
  trusted: true;
};

export type JsonAnswer =
  | ({ status: 'ok'; httpStatus: number; value: unknown } & Patience)
  | Refused
  /** `httpStatus`: of an answer that is not JSON. */
  | (Failed & { httpStatus?: number; noServer?: true } & Patience);

/** The delay that the service asks for, if any. */
type Patience = { retryAfterMs?: number };

/** Sends a request to a service that the user named. Follows no redirect, which would send keys elsewhere. Never throws. */
export async function requestJson(text: string, request: JsonRequest): Promise<JsonAnswer> {
  const read = parseUrl(text);
  if (read.status === 'refused') return read;
  const { url } = read;
  const limit = limitTime(request.timeoutMs, request.signal);
  let addresses: Address[] = [];
  try {
    const admission = await admitter({ allowPrivate: request.trusted })(url, limit.signal);
    if (admission.status !== 'admitted') return admission;
    ({ addresses } = admission);
    const message = await openExchange(url, {
      method: request.method,
      headers: { ...headersFor(request), ...request.headers },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      addresses,
      signal: limit.signal,
    });
    const { statusCode: httpStatus = 0, headers } = message;
    if (httpStatus >= 300 && httpStatus < 400) {
      message.destroy();
      const reason = `answers with a redirect to ${headers.location}, which is not followed`;
      return { status: 'refused', reason };
    }
    const answer = readJson(httpStatus, await readResponseBody(message, request.maxBytes));
    return { ...answer, ...readRetryAfter(headers['retry-after']) };
  } catch (error) {
    const noServer = isLocalRefusal(error, addresses);
    return { status: 'failed', reason: limit.explain(error), ...(noServer && { noServer: true as const }) };
  } finally {
    limit.clear();
  }
}

function headersFor({ body }: JsonRequest): Record<string, string> {
  return {
    'user-agent': 'teddy',
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function readJson(httpStatus: number, bytes: Uint8Array): Exclude<JsonAnswer, Refused> {
  const decoded = decodeText(bytes);
  try {
    if (decoded.status === 'text') {
      return { status: 'ok', httpStatus, value: JSON.parse(decoded.text.replace(/^\ufeff/, '')) };
    }
  } catch {}
  return { status: 'failed', httpStatus, reason: `did not answer with JSON (HTTP ${httpStatus})` };
}

/** Seconds, or a date. */
function readRetryAfter(header: string | undefined): Patience {
  if (header === undefined) return {};
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, ms) };
}

export type StreamRequest = {
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  /** The caller guarantees that a trusted config names this address, which may be private. */
  trusted: true;
};

export type StreamAnswer =
  | {
      status: 'open';
      httpStatus: number;
      /** The target of a redirect. */
      location?: string;
      retryAfterMs?: number;
      /** The body in pieces. Throws an `Error` whose message completes the sentence "<url> …". */
      chunks: AsyncIterable<Uint8Array>;
    }
  | Refused
  /** `passing`: it may be different in a moment. `noServer`: on this machine, nothing listens at that address. */
  | (Failed & { passing: boolean; noServer?: true });

/**
 * Posts to a service that the user named, and streams its answer. Only connecting has a time limit. Follows no redirect,
 * which would send keys elsewhere. Never throws.
 */
export async function openStream(text: string, request: StreamRequest): Promise<StreamAnswer> {
  const read = parseUrl(text);
  if (read.status === 'refused') return read;
  const { url } = read;
  let addresses: Address[] = [];
  try {
    const admission = await admitter({ allowPrivate: request.trusted })(url, request.signal);
    if (admission.status === 'refused') return admission;
    if (admission.status === 'failed')
      return { ...admission, passing: admission.reason.includes('EAI_AGAIN') };
    ({ addresses } = admission);
    const message = await openExchange(url, {
      method: 'POST',
      headers: { ...request.headers, 'user-agent': 'teddy', 'accept-encoding': 'identity' },
      body: request.body,
      addresses,
      signal: request.signal,
    });
    const { statusCode: httpStatus = 0, headers } = message;
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding !== 'identity' && encoding !== '') {
      message.destroy();
      return {
        status: 'refused',
        reason: `answers encoded as ${JSON.stringify(encoding)}, which was not asked for`,
      };
    }
    return {
      status: 'open',
      httpStatus,
      ...(headers.location !== undefined && { location: headers.location }),
      ...readRetryAfter(headers['retry-after']),
      chunks: inWords(message),
    };
  } catch (error) {
    const reason = describeTimeLimit(error);
    return isLocalRefusal(error, addresses)
      ? { status: 'failed', reason, passing: false, noServer: true }
      : { status: 'failed', reason, passing: isPassing(error) };
  }
}

async function* inWords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw new Error(describeTimeLimit(error));
  }
}

/** A server elsewhere may be restarting; one on this machine was not started, and waiting does not help. */
function isLocalRefusal(error: unknown, addresses: readonly Address[]): boolean {
  return (
    codeOf(error) === 'ECONNREFUSED' &&
    addresses.length > 0 &&
    addresses.every(({ address }) => classifyAddress(address) === 'loopback')
  );
}

const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE']);

function isPassing(error: unknown): boolean {
  return error instanceof ExchangeError || PASSING.has(codeOf(error));
}
