import { ExchangeError } from './exchange.js';

/** The longest time a timer can wait for; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export type TimeLimit = {
  signal: AbortSignal;
  /** Why an exchange failed, with the limit and the caller's own signal told apart from all other errors. */
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

/** Node tries several addresses and then has an error for each, and none for all. */
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
