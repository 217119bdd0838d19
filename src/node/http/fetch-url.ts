import { type Admit, admitter, type Failed, parseUrl, type Refused } from './admission.js';
import { limitTime, openExchange, readResponseBody } from './exchange.js';

export type FetchOptions = {
  /** For all of it, redirects and body included. */
  timeoutMs: number;
  /** For each connection. Default: 10 s. */
  connectMs?: number;
  /** Of the body, before and after decoding. */
  maxBytes: number;
  /** Whether addresses that are not public are allowed. */
  allowPrivate: boolean;
  /** Sent to the first origin only, should a redirect lead to another. */
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};

export type Fetched =
  | {
      status: 'ok';
      finalUrl: string;
      httpStatus: number;
      /** Lower case, without parameters. */
      contentType?: string;
      charset?: string;
      bytes: Uint8Array;
    }
  /** A rule forbids it. */
  | Refused
  /** The request failed. */
  | Failed;

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Reads a URL from an untrusted source. Every address is checked before connecting, again at each redirect, and the
 * checked address is the one that is used. Never throws.
 */
export async function fetchUrl(url: string, options: FetchOptions): Promise<Fetched> {
  return fetchAdmitted(url, options, admitter(options));
}

/** The same with another judge of addresses. */
export async function fetchAdmitted(text: string, options: FetchOptions, admit: Admit): Promise<Fetched> {
  const read = parseUrl(text);
  if (read.status === 'refused') return read;
  const limit = limitTime(options.timeoutMs, options.signal);
  let { url } = read;
  // The reason is about the first URL, so it names the target of a redirect.
  const about = (reason: string) => (url === read.url ? reason : `leads to ${url}, which ${reason}`);
  try {
    for (let redirects = 0; ; redirects++) {
      const admission = await admit(url, limit.signal);
      if (admission.status !== 'admitted') return { ...admission, reason: about(admission.reason) };
      const message = await openExchange(url, {
        method: 'GET',
        headers: headersFor(url, read.url, options),
        addresses: admission.addresses,
        connectMs: options.connectMs,
        signal: limit.signal,
      });
      const { statusCode: httpStatus = 0, headers } = message;
      if (!REDIRECTS.has(httpStatus) || headers.location === undefined) {
        const bytes = await readResponseBody(message, options.maxBytes);
        return {
          status: 'ok',
          finalUrl: url.href,
          httpStatus,
          ...readContentType(headers['content-type']),
          bytes,
        };
      }
      message.destroy();
      if (redirects === MOST_REDIRECTS) {
        return { status: 'failed', reason: `redirects more than ${MOST_REDIRECTS} times` };
      }
      const next = readRedirect(url, headers.location);
      if (next.status === 'refused') return { ...next, reason: about(next.reason) };
      url = next.url;
    }
  } catch (error) {
    return { status: 'failed', reason: about(limit.explain(error)) };
  } finally {
    limit.clear();
  }
}

/** The target of a Location header, unless a rule forbids it. */
export function readRedirect(from: URL, location: string): { status: 'url'; url: URL } | Refused {
  const target = URL.canParse(location, from.href) ? new URL(location, from.href).href : location;
  const read = parseUrl(target);
  if (read.status === 'refused')
    return { status: 'refused', reason: `redirects to ${location}, which ${read.reason}` };
  if (from.protocol === 'https:' && read.url.protocol === 'http:') {
    return { status: 'refused', reason: `redirects to ${read.url}, which is not encrypted` };
  }
  return read;
}

function headersFor(url: URL, first: URL, { headers = {} }: FetchOptions): Record<string, string> {
  return {
    'user-agent': 'teddy',
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    ...(url.origin === first.origin && lowerCase(headers)),
  };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function readContentType(header: string | undefined): { contentType?: string; charset?: string } {
  if (header === undefined) return {};
  const contentType = header.split(';', 1)[0]!.trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1]?.toLowerCase();
  return { contentType, ...(charset !== undefined && { charset }) };
}
