import type { createAnthropic } from '@ai-sdk/anthropic';
import type { ModelApi } from '../../config/providers.js';
import type { ModelRequest, ModelSettings } from './types.js';

/** One request to one model, independent of the provider. */
export interface SdkQuestion extends Pick<ModelRequest, 'system' | 'messages' | 'signal'> {
  settings: Pick<ModelSettings, 'name' | 'maxOutputTokens'>;
  baseURL: string;
  key: string | null;
  dialect: Dialect;
  /** The only network access: the SDK opens no connection itself. */
  fetch(url: string, init: { headers: Record<string, string>; body: string }): Promise<Response>;
}

/** Differences between OpenAI-compatible services. */
export interface Dialect {
  limitKey: 'max_tokens' | 'max_completion_tokens';
  /** Whether the request asks for token counts. */
  asksUsage: boolean;
}

export interface SdkListener {
  onText(text: string): void;
  /** Reasoning, if the service marks it as such. */
  onThought(text: string): void;
}

export type SdkEnd =
  /** `raw` is the service's finish reason; null if it sent none. */
  | { status: 'finished'; raw: string | null; usage: SdkUsage }
  /** The service reported an error within its answer. */
  | { status: 'error'; kinds: string[]; message: string }
  /** The stream ended without a finish event. */
  | { status: 'unfinished' }
  /** The response does not follow the protocol, or `fetch` failed. */
  | { status: 'unreadable' };

/** Null for values that the service did not report. */
export interface SdkUsage {
  input: number | null;
  output: number | null;
  costUsd: number | null;
}

type Model = ReturnType<ReturnType<typeof createAnthropic>>;
type Options = Parameters<Model['doStream']>[0];
type Usage = Awaited<ReturnType<Model['doGenerate']>>['usage'];

/** The part of the AI SDK in use. Neither method throws. */
export interface Sdk {
  /** Makes one request without retries and streams the answer. */
  streamAnswer(question: SdkQuestion, listener: SdkListener): Promise<SdkEnd>;
  /** Reads an answer that arrived in one piece; `fetch` returns that text. */
  readWholeAnswer(question: SdkQuestion, listener: SdkListener): Promise<SdkEnd>;
}

/** Loads only the provider that is needed. */
export async function loadSdk(api: ModelApi): Promise<Sdk> {
  const modelFor = await (api === 'anthropic' ? loadAnthropic() : loadOpenAiCompatible());
  return {
    streamAnswer: (question, listener) => orError(() => stream(modelFor(question), question, listener)),
    readWholeAnswer: (question, listener) => orError(() => readWhole(modelFor(question), question, listener)),
  };
}

// All options are passed explicitly, because providers read missing ones from the environment.
async function loadAnthropic(): Promise<(question: SdkQuestion) => Model> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  return ({ baseURL, key, settings, fetch }) =>
    createAnthropic({ baseURL, apiKey: key ?? '', fetch: fetch as typeof globalThis.fetch })(settings.name);
}

async function loadOpenAiCompatible(): Promise<(question: SdkQuestion) => Model> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return ({ baseURL, key, settings, dialect, fetch }) =>
    createOpenAICompatible({
      name: 'model',
      baseURL,
      apiKey: key ?? '',
      fetch: fetch as typeof globalThis.fetch,
      includeUsage: dialect.asksUsage,
      transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, [dialect.limitKey]: max_tokens }),
    })(settings.name);
}

async function orError(run: () => Promise<SdkEnd>): Promise<SdkEnd> {
  try {
    return await run();
  } catch (error) {
    return readError(error);
  }
}

async function stream(model: Model, question: SdkQuestion, listener: SdkListener): Promise<SdkEnd> {
  const { stream: parts } = await model.doStream(optionsFor(question));
  for await (const part of parts) {
    if (part.type === 'text-delta') listener.onText(part.delta);
    else if (part.type === 'reasoning-delta') listener.onThought(part.delta);
    else if (part.type === 'error' && !isUnknownEvent(part.error)) return readError(part.error);
    else if (part.type === 'finish') return finished(part.finishReason, part.usage);
  }
  return { status: 'unfinished' };
}

async function readWhole(model: Model, question: SdkQuestion, listener: SdkListener): Promise<SdkEnd> {
  const { content, finishReason, usage } = await model.doGenerate(optionsFor(question));
  for (const part of content) {
    if (part.type === 'text') listener.onText(part.text);
    else if (part.type === 'reasoning') listener.onThought(part.text);
  }
  return finished(finishReason, usage);
}

function optionsFor({ system, messages, settings, signal }: SdkQuestion): Options {
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] })),
    ],
    maxOutputTokens: settings.maxOutputTokens,
    abortSignal: signal,
  };
}

function finished({ raw }: { raw: string | undefined }, usage: Usage): SdkEnd {
  const { inputTokens, outputTokens, raw: told } = usage;
  return {
    status: 'finished',
    raw: raw ?? null,
    usage: {
      input: inputTokens.total ?? null,
      output: outputTokens.total ?? null,
      costUsd: typeof told?.cost === 'number' ? told.cost : null,
    },
  };
}

const ANTHROPIC_EVENT = /^(?:message|content_block)_\w+$|^(?:ping|error)$/;

/** An event type added to the protocol later; it is safe to ignore. */
function isUnknownEvent(error: unknown): boolean {
  const type = field(field(error, 'value'), 'type');
  return typeof type === 'string' && !ANTHROPIC_EVENT.test(type);
}

/** Service errors are plain values; anything thrown is an error of the SDK and may quote one. */
function readError(error: unknown): SdkEnd {
  if (field(error, 'name') === 'AI_InvalidResponseDataError') return { status: 'unfinished' };
  const told = error instanceof Error ? parse(field(error, 'responseBody')) : error;
  const inner = field(told, 'error') ?? told;
  const message = typeof inner === 'string' ? inner : field(inner, 'message');
  if (typeof message !== 'string') return { status: 'unreadable' };
  const kinds = [field(inner, 'type'), field(inner, 'code')].filter((kind) => kind != null).map(String);
  return { status: 'error', kinds, message };
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
