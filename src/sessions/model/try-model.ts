import { listPrices } from '../../config/prices.js';
import { type ProviderName, providerOf } from '../../config/providers.js';
import { isJsonObject } from '../../core/json/values.js';
import { type JsonAnswer, requestJson } from '../../node/http/service.js';
import { createModelClient, describeService, refuseKey } from './client.js';
import { describeTrouble } from './trouble.js';
import type { ModelAnswer, ModelSettings } from './types.js';

/** A candidate for the config. */
export interface ModelChoice {
  provider: ProviderName;
  name: string;
  baseURL: string;
  /** The variable that holds the key; null if the service needs none. */
  keyEnv: string | null;
}

export interface TrialOptions {
  key: string | null;
  signal: AbortSignal;
}

const MOST_TOKENS = 64;
const QUESTION = 'Reply with the word ready.';

/** Asks the model for one word, which may cost a fraction of a cent. */
export function tryModel(choice: ModelChoice, { key, signal }: TrialOptions): Promise<ModelAnswer> {
  const client = createModelClient(settingsFor(choice), key, { keyName: choice.keyEnv });
  return client.ask({
    system: '',
    messages: [{ role: 'user', text: QUESTION }],
    signal,
    onText: () => {},
    onRetry: () => {},
  });
}

/** `reason` is a sentence. `unlisted`: the service responds but has no list of models. */
export type ModelList =
  | { status: 'models'; names: string[] }
  | { status: 'unlisted' }
  | { status: 'failed'; reason: string };

/** A list is short, and the user waits for it. */
const LIST_MS = 15_000;
const MOST_BYTES = 10 * 1024 * 1024;

/** Lists the models that a service offers for this key, free of charge. */
export async function listModels(choice: ModelChoice, { key, signal }: TrialOptions): Promise<ModelList> {
  const settings = settingsFor(choice);
  const service = describeService(settings, key, choice.keyEnv);
  const refusal = refuseKey(service, choice.keyEnv);
  if (refusal !== null) return { status: 'failed', reason: refusal };
  const answer = await requestJson(`${choice.baseURL.replace(/\/+$/, '')}/models`, {
    method: 'GET',
    headers: keyHeaders(settings, service.key),
    timeoutMs: LIST_MS,
    maxBytes: MOST_BYTES,
    signal,
    trusted: true,
  });
  if (answer.status === 'ok' && answer.httpStatus === 200) {
    const names = readNames(answer.value);
    return names.length === 0 ? { status: 'unlisted' } : { status: 'models', names };
  }
  if ('httpStatus' in answer && (answer.httpStatus === 404 || answer.httpStatus === 405)) {
    return { status: 'unlisted' };
  }
  return { status: 'failed', reason: describeTrouble(troubleOf(answer), service.about).reason };
}

function troubleOf(answer: JsonAnswer): Parameters<typeof describeTrouble>[0] {
  if (answer.status === 'ok') {
    const body = JSON.stringify(answer.value);
    return { kind: 'status', httpStatus: answer.httpStatus, retryAfterMs: null, body };
  }
  if (answer.status === 'failed' && answer.noServer) return { kind: 'no-server' };
  return { kind: 'unreachable', reason: answer.reason, passing: false };
}

/** All services send `{data: [{id}]}`; Gemini prefixes each id with `models/`. */
function readNames(value: unknown): string[] {
  const data = isJsonObject(value) && Array.isArray(value.data) ? value.data : [];
  return data
    .flatMap((each) => (isJsonObject(each) && typeof each.id === 'string' ? each.id : []))
    .map((id) => id.replace(/^models\//, ''))
    .sort();
}

function keyHeaders({ api }: ModelSettings, key: string | null): Record<string, string> {
  if (api === 'anthropic') return { 'anthropic-version': '2023-06-01', 'x-api-key': key ?? '' };
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

function settingsFor({ provider, name, baseURL }: ModelChoice): ModelSettings {
  return {
    provider,
    api: providerOf(provider).api,
    baseURL,
    name,
    maxOutputTokens: MOST_TOKENS,
    timeoutMs: 60_000,
    idleMs: 60_000,
    prices: listPrices(provider, name),
  };
}
