import { startHintFor } from '../../config/providers.js';
import { monotonicMs, sleep as waitFor } from '../../node/clock.js';
import { createMasker } from './answer-text.js';
import { INTERRUPTED, type Service, type Tried, tryOnce } from './one-try.js';
import {
  addUp,
  type ModelAnswer,
  type ModelClient,
  type ModelRequest,
  type ModelSettings,
  type Spent,
} from './types.js';

export interface ModelClientOptions {
  /** The environment variable that holds the key; null if the service needs none. */
  keyName?: string | null;
  /** Waits; may reject once the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<unknown>;
}

const MOST_RETRIES = 4;
const FIRST_WAIT_MS = 1000;

/** The key is sent only to the service: it never appears in an answer, reason or event. */
export function createModelClient(
  settings: ModelSettings,
  key: string | null,
  { keyName = null, sleep = (ms, signal) => waitFor(ms, undefined, { signal }) }: ModelClientOptions = {},
): ModelClient {
  const service = describeService(settings, key, keyName);

  async function ask(request: ModelRequest): Promise<ModelAnswer> {
    const { signal } = request;
    const tries: Spent[] = [];
    const fail = (reason: string, limited?: true): ModelAnswer => ({
      text: '',
      ...addUp(settings, tries),
      status: 'failed',
      reason,
      mayPass: false,
      ...(limited && { limited }),
    });
    const refusal = refuseKey(service, keyName);
    if (refusal !== null) return fail(refusal);
    // The SDK is large, and most commands do not ask a model.
    const { loadSdk } = await import('./model-sdk.js');
    const sdk = await loadSdk(settings.api);
    const deadline = monotonicMs() + settings.timeoutMs;

    for (let retries = 0; ; retries++) {
      if (signal.aborted) return { text: '', ...addUp(settings, tries), ...INTERRUPTED };
      let tried: Tried;
      do {
        tried = await tryOnce(sdk, service, request, deadline - monotonicMs());
        if (tried.spent !== null) tries.push(tried.spent);
      } while (learnDialect(service, tried));
      const { text, ending } = tried;
      if (ending.status !== 'passing') return { text, ...addUp(settings, tries), ...ending };

      if (retries === MOST_RETRIES)
        return fail(`${ending.reason} Tried ${retries + 1} times.`, ending.limited);
      const wait = ending.waitMs ?? FIRST_WAIT_MS * 2 ** retries;
      if (wait > deadline - monotonicMs()) {
        const seconds = Math.ceil(wait / 1000);
        const reason = `${ending.reason} It asks to wait ${seconds} s, which is more time than model.timeout leaves.`;
        return fail(reason, ending.limited);
      }
      request.onRetry(ending.reason, wait);
      await sleep(wait, signal).catch(() => {});
    }
  }
  return { settings, ask };
}

export function describeService(
  settings: ModelSettings,
  given: string | null,
  keyName: string | null,
): Service {
  const { baseURL } = settings;
  const key = given?.trim() || null;
  const masker = createMasker(key);
  return {
    settings,
    baseURL,
    key,
    dialect: { limitKey: 'max_tokens', asksUsage: true },
    masker,
    about: {
      service: masker.mask(`The model at ${baseURL.replace(/[?#].*$/s, '')}`),
      start: startHintFor(baseURL),
      keyName: key === null ? null : keyName,
      mask: masker.mask,
    },
  };
}

/** A sentence if the key is missing or malformed. */
export function refuseKey({ key, about }: Service, keyName: string | null): string | null {
  if (key === null) {
    if (keyName === null) return null;
    return `${keyName} is not set. It must hold the key for ${about.service.replace(/^T/, 't')}.`;
  }
  if (/^[\x21-\x7e]+$/.test(key)) return null;
  const where = keyName === null ? 'The key' : `The key in ${keyName}`;
  return `${where} contains characters that no key has, such as a space or a line break.`;
}

/**
 * Adapts to a service that rejected a parameter: newer ones rename the limit, some refuse usage counts.
 * Returns whether the request is worth repeating.
 */
function learnDialect({ settings, dialect }: Service, { trouble }: Tried): boolean {
  if (settings.api !== 'openai-compatible' || trouble?.kind !== 'status') return false;
  if (trouble.httpStatus !== 400 && trouble.httpStatus !== 422) return false;
  if (dialect.limitKey === 'max_tokens' && trouble.body.includes('max_completion_tokens')) {
    dialect.limitKey = 'max_completion_tokens';
    return true;
  }
  if (dialect.asksUsage && trouble.body.includes('stream_options')) {
    dialect.asksUsage = false;
    return true;
  }
  return false;
}
