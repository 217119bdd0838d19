import { admitter, type Failed, parseUrl, type Refused } from './admit.js';
import { ExchangeError, openExchange } from './exchange.js';
import { readRetryAfter } from './request-json.js';
import { codeOf, describeTimeLimit } from './time-limit.js';

export type StreamRequest = {
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  /** The caller's word that a trusted config names this address: it may be private. */
  trusted: true;
};

export type StreamAnswer =
  | {
      status: 'open';
      httpStatus: number;
      /** Where a redirect leads to. */
      location?: string;
      retryAfterMs?: number;
      /** What comes, as it comes. Throws an `Error` whose message completes the sentence "<url> …". */
      chunks: AsyncIterable<Uint8Array>;
    }
  | Refused
  /** `passing`: it may be different in a moment. */
  | (Failed & { passing: boolean });

/**
 * Posts to a service that the user has named, and gives its answer as it comes. No time limit but the one to connect,
 * and redirects are not followed: they would carry keys elsewhere. Never throws.
 */
export async function openStream(text: string, request: StreamRequest): Promise<StreamAnswer> {
  const read = parseUrl(text);
  if (read.status === 'refused') return read;
  const { url } = read;
  try {
    const admission = await admitter({ allowPrivate: request.trusted })(url, request.signal);
    if (admission.status === 'refused') return admission;
    if (admission.status === 'failed')
      return { ...admission, passing: admission.reason.includes('EAI_AGAIN') };
    const message = await openExchange(url, {
      method: 'POST',
      headers: { ...request.headers, 'user-agent': 'teddy', 'accept-encoding': 'identity' },
      body: request.body,
      addresses: admission.addresses,
      signal: request.signal,
    });
    const { statusCode: httpStatus = 0, headers } = message;
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding !== 'identity' && encoding !== '') {
      message.destroy();
      return {
        status: 'refused',
        reason: `answers encoded as ${JSON.stringify(encoding)}, which nobody asked for`,
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
    return { status: 'failed', reason: describeTimeLimit(error), passing: isPassing(error) };
  }
}

async function* inWords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw new Error(describeTimeLimit(error));
  }
}

const PASSING = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE']);

function isPassing(error: unknown): boolean {
  return error instanceof ExchangeError || PASSING.has(codeOf(error));
}
