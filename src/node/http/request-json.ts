import { decodeText } from '../files.js';
import { admitter, type Failed, parseUrl, type Refused } from './admit.js';
import { readResponseBody } from './body.js';
import { openExchange } from './exchange.js';
import { limitTime } from './time-limit.js';

export type JsonRequest = {
  method: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
  /** The caller's word that a trusted config names this address: it may be private. */
  trusted: true;
};

export type JsonAnswer =
  | ({ status: 'ok'; httpStatus: number; value: unknown } & Patience)
  | Refused
  /** With `httpStatus` where there was an answer, which was no JSON. */
  | (Failed & { httpStatus?: number } & Patience);

/** How long the service asks to be left alone, where it does. */
type Patience = { retryAfterMs?: number };

/** Asks a service that the user has named. Redirects are not followed: they would carry keys elsewhere. Never throws. */
export async function requestJson(text: string, request: JsonRequest): Promise<JsonAnswer> {
  const read = parseUrl(text);
  if (read.status === 'refused') return read;
  const { url } = read;
  const limit = limitTime(request.timeoutMs, request.signal);
  try {
    const admission = await admitter({ allowPrivate: request.trusted })(url, limit.signal);
    if (admission.status !== 'admitted') return admission;
    const message = await openExchange(url, {
      method: request.method,
      headers: { ...headersFor(request), ...request.headers },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      addresses: admission.addresses,
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
    return { status: 'failed', reason: limit.explain(error) };
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
export function readRetryAfter(header: string | undefined): Patience {
  if (header === undefined) return {};
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? {} : { retryAfterMs: Math.max(0, ms) };
}
