import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Address } from './admission.js';

export type HttpRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Where to connect to; the name is for the Host header and the certificate only. */
  addresses: Address[];
  connectMs?: number | undefined;
  signal: AbortSignal;
};

const CONNECT_MS = 10_000;

/** Completes the sentence "<url> …". */
export class ExchangeError extends Error {}

/** Sends a request, and resolves with the head of the answer. Rejects with any error. */
export async function openExchange(url: URL, question: HttpRequest): Promise<IncomingMessage> {
  const { method, headers, body, addresses, connectMs = CONNECT_MS, signal } = question;
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    // No agent: a reused connection would not have been checked.
    const outgoing = request(url, { method, headers, signal, agent: false, lookup: pin(addresses) });
    const patience = setTimeout(
      () => outgoing.destroy(new ExchangeError(`could not be reached in ${connectMs / 1000} s`)),
      connectMs,
    );
    outgoing.once('socket', (socket) => {
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(connected, () => clearTimeout(patience));
    });
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.once('close', () => {
      clearTimeout(patience);
      // An unrequested upgrade ends the request without an error.
      reject(new ExchangeError('broke off the connection'));
    });
    outgoing.end(body);
  });
}

function pin(addresses: Address[]): LookupFunction {
  return (_, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}

/** The longest delay of a timer; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export type TimeLimit = {
  signal: AbortSignal;
  /** Why an exchange failed; the time limit and the caller's signal are distinguished from other errors. */
  explain(error: unknown): string;
  clear(): void;
};

/** One limit over all of a request, redirects and body included, together with the caller's signal. */
export function limitTime(ms: number, caller: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(ms, LONGEST_MS));
  const onAbort = () => controller.abort();
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    explain(error) {
      if (caller?.aborted) return 'was not waited for';
      if (controller.signal.aborted) return `did not answer in ${ms / 1000} s`;
      return describeTimeLimit(error);
    },
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

/** Why an exchange failed, in words that complete the sentence "<url> …". */
export function describeTimeLimit(error: unknown): string {
  if (error instanceof ExchangeError) return error.message;
  const code = codeOf(error);
  return PLAIN_WORDS[code] ?? `could not be read (${code})`;
}

/** Node tries several addresses and returns one error for each. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

const PLAIN_WORDS: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'broke off the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'cannot be reached',
};

/**
 * The whole body, decoded. The limit holds before and after decompression: few bytes can expand to endless ones, and
 * endless ones to none. Rejects with any error.
 */
export async function readResponseBody(message: IncomingMessage, limit: number): Promise<Uint8Array> {
  try {
    const decode = decoderFor(message.headers['content-encoding']);
    const bytes = await collect(message, limit);
    return decode === undefined || bytes.length === 0 ? bytes : await unfold(bytes, decode, limit);
  } finally {
    message.destroy();
  }
}

async function collect(message: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Decode = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, decoded: Buffer) => void,
) => void;

function unfold(bytes: Buffer, decode: Decode, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    decode(bytes, { maxOutputLength: limit }, (error, decoded) => {
      if (error === null) resolve(decoded);
      else reject('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : error);
    });
  });
}

/** Undefined if there is nothing to decode. */
function decoderFor(encoding: string | undefined): Decode | undefined {
  const { brotliDecompress, gunzip, inflate } = process.getBuiltinModule('node:zlib');
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return gunzip;
    case 'deflate':
      return inflate;
    case 'br':
      return brotliDecompress;
    default:
      throw new ExchangeError(`is encoded as ${JSON.stringify(encoding)}, which is not known here`);
  }
}

function tooLarge(limit: number): ExchangeError {
  const mb = 1024 * 1024;
  return new ExchangeError(`is larger than ${limit >= mb ? `${limit / mb} MB` : `${limit} bytes`}`);
}
