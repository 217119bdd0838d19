import { countTokens } from '../context/input-parts.js';
import { type AnswerText, collectText, type Masker } from './answer-text.js';
import type { Dialect, Sdk, SdkEnd, SdkListener, SdkQuestion, SdkUsage } from './model-sdk.js';
import { answerWith, createTransport, type Transport, type Trouble } from './transport.js';
import { type About, describeEnd, describeTrouble } from './trouble.js';
import { type ModelRequest, type ModelSettings, priceTokens, type Spent } from './types.js';

/** The service to ask and its settings. */
export interface Service {
  settings: ModelSettings;
  baseURL: string;
  key: string | null;
  dialect: Dialect;
  masker: Masker;
  about: About;
}

export interface Tried {
  text: string;
  ending: Ending;
  /** Null if the service did not accept the request. */
  spent: Spent | null;
  trouble: Trouble | null;
}

/** `reason` is one or more sentences. */
type Ending =
  | { status: 'answered' }
  | { status: 'cut-off'; reason: string }
  | { status: 'failed'; reason: string; mayPass: boolean; limited?: true }
  | { status: 'interrupted'; reason: string }
  /** No text arrived, and a later try may succeed. */
  | { status: 'passing'; reason: string; waitMs: number | null; limited?: true };

export const INTERRUPTED = {
  status: 'interrupted',
  reason: 'Interrupted before the answer was complete.',
} as const;

const MOST_TEXT_MB = 10;

/** Makes one request. Ends as soon as a limit is reached, even if work is still in progress. Never throws. */
export async function tryOnce(
  sdk: Sdk,
  service: Service,
  request: ModelRequest,
  leftMs: number,
): Promise<Tried> {
  const { settings, masker } = service;
  const watch = startWatch(request.signal, { wholeMs: leftMs, idleMs: settings.idleMs });
  const transport = createTransport(watch.signal, watch.touch);
  const hearing = startHearing(masker, (text) => request.onText(text), watch);
  try {
    const question = { ...service, ...request, signal: watch.signal, fetch: transport.fetch };
    const first = await Promise.race([askSdk(sdk, question, transport, hearing), watch.stopped]);
    const over = isFinished(first) ? first : (watch.cause ?? first);
    hearing.close();
    const { text } = hearing.answer;
    // A request that was stopped counts as accepted: the service may still charge for it.
    const taken = transport.accepted || typeof over === 'string';
    return {
      text,
      ending: judge(over, transport.trouble, hearing, service),
      spent: taken ? countSpent(settings, request, hearing, isFinished(over) ? over.usage : null) : null,
      trouble: transport.trouble,
    };
  } finally {
    watch.close();
  }
}

async function askSdk(
  sdk: Sdk,
  question: SdkQuestion,
  transport: Transport,
  listener: SdkListener,
): Promise<SdkEnd> {
  const end = await sdk.streamAnswer(question, listener);
  if (transport.whole === null) return end;
  return sdk.readWholeAnswer({ ...question, fetch: answerWith(transport.whole) }, listener);
}

interface Hearing extends SdkListener {
  answer: AnswerText;
  /** In characters. */
  readonly thoughtLength: number;
  /** Ignores everything that arrives later. */
  close(): void;
}

function startHearing(masker: Masker, onText: (text: string) => void, watch: Watch): Hearing {
  const answer = collectText(masker, onText);
  let thoughtLength = 0;
  let closed = false;
  return {
    answer,
    get thoughtLength() {
      return thoughtLength;
    },
    onText(text) {
      if (closed || watch.cause !== null) return;
      answer.push(text);
      if (answer.bytes > MOST_TEXT_MB * 1024 * 1024) watch.stop('too-large');
    },
    onThought(text) {
      thoughtLength += text.length;
    },
    close() {
      closed = true;
      answer.end();
    },
  };
}

function judge(
  over: SdkEnd | Cause,
  trouble: Trouble | null,
  { answer: { text }, thoughtLength }: Hearing,
  { about, settings }: Service,
): Ending {
  if (typeof over === 'string') return describeStop(over, about, settings);
  if (isFinished(over) && over.raw) return readFinish(over.raw, text, thoughtLength > 0, settings);
  const { reason, waitMs, passing, limited } =
    trouble !== null
      ? describeTrouble(trouble, about)
      : describeEnd(isFinished(over) ? { status: 'unfinished' } : over, about);
  const ending = { reason, ...(limited && { limited }) };
  return passing && text === ''
    ? { ...ending, status: 'passing', waitMs }
    : { ...ending, status: 'failed', mayPass: passing };
}

function describeStop(cause: Cause, { service }: About, { timeoutMs, idleMs }: ModelSettings): Ending {
  switch (cause) {
    case 'interrupted':
      return INTERRUPTED;
    case 'timeout':
      return fail(`${service} took more than ${timeoutMs / 1000} s (model.timeout).`, false);
    case 'idle':
      return fail(`${service} sent nothing for ${idleMs / 1000} s (model.idle).`, true);
    case 'too-large':
      return fail(`The answer is longer than ${MOST_TEXT_MB} MB and was stopped.`, false);
  }
}

function fail(reason: string, mayPass: boolean): Ending {
  return { status: 'failed', reason, mayPass };
}

/** The service's own count, or an estimate if that is missing or implausible. */
function countSpent(
  settings: ModelSettings,
  { system, messages }: ModelRequest,
  { answer: { text }, thoughtLength }: Hearing,
  usage: SdkUsage | null,
): Spent {
  const asked = messages.reduce((sum, message) => sum + countTokens(message.text), countTokens(system));
  const answered = countTokens(text) + Math.ceil(thoughtLength / 4);
  const input = countedOr(usage?.input, asked);
  const output = countedOr(usage?.output, answered);
  const tokens = {
    input: input.count,
    output: output.count,
    estimated: input.estimated || output.estimated,
  };
  const reported = usage?.costUsd ?? null;
  return reported !== null && Number.isFinite(reported) && reported >= 0
    ? { tokens, costUsd: reported }
    : priceTokens(settings, tokens);
}

function countedOr(told: number | null | undefined, ours: number): { count: number; estimated: boolean } {
  const counted = Number.isSafeInteger(told) && (told! > 0 || (told === 0 && ours === 0));
  return counted ? { count: told!, estimated: false } : { count: ours, estimated: true };
}

function isFinished(over: SdkEnd | Cause): over is Extract<SdkEnd, { status: 'finished' }> {
  return typeof over !== 'string' && over.status === 'finished';
}

const LIMIT = /^(?:length|max_?(?:output_?|completion_?)?tokens|model_length|token_limit)$/i;
const WINDOW = /^model_context_window_exceeded$/i;
const FILTER = /^(?:content_?filter(?:ed)?|refusal|safety|recitation|blocklist|prohibited_content|spii)$/i;
const BROKEN = /^(?:error|abort(?:ed)?|cancell?ed|insufficient_system_resource)$/i;

/**
 * Interprets the finish reason of a service. Services use many words for a normal end, so unknown ones count
 * as normal.
 */
function readFinish(
  raw: string,
  text: string,
  hasThought: boolean,
  { maxOutputTokens }: Pick<ModelSettings, 'maxOutputTokens'>,
): Ending {
  if (WINDOW.test(raw))
    return {
      status: 'cut-off',
      reason: "The model's context window is full.",
    };
  if (LIMIT.test(raw)) {
    const before = text === '' ? ' before any text; reasoning counts too' : '';
    const reason = `It reached its limit of ${maxOutputTokens} tokens (model.maxOutputTokens)${before}.`;
    return { status: 'cut-off', reason };
  }
  if (FILTER.test(raw)) return fail(`The model, or a filter before it, refused to answer (${raw}).`, false);
  if (BROKEN.test(raw)) return fail(`The service ended the answer with an error (${raw}).`, true);
  if (text.trim() === '')
    return fail(`The model returned ${hasThought ? 'reasoning but no answer' : 'an empty answer'}.`, true);
  return { status: 'answered' };
}

/** What ended a try early. */
type Cause = 'interrupted' | 'timeout' | 'idle' | 'too-large';

/** The limits of one try. The first one reached is the cause. */
interface Watch {
  /** Aborts all work for this try. */
  signal: AbortSignal;
  /** Resolves when the try must end; never rejects. */
  stopped: Promise<Cause>;
  readonly cause: Cause | null;
  /** Restarts the idle timer. */
  touch(): void;
  stop(cause: Cause): void;
  /** Ends the try and aborts remaining work. */
  close(): void;
}

function startWatch(caller: AbortSignal, limits: { wholeMs: number; idleMs: number }): Watch {
  const controller = new AbortController();
  let resolve!: (cause: Cause) => void;
  const stopped = new Promise<Cause>((done) => {
    resolve = done;
  });
  let cause: Cause | null = null;
  let closed = false;
  const stop = (why: Cause) => {
    if (cause !== null || closed) return;
    cause = why;
    resolve(why);
    controller.abort();
  };
  const interrupt = () => stop('interrupted');
  const whole = setTimeout(() => stop('timeout'), limits.wholeMs);
  const idle = setTimeout(() => stop('idle'), limits.idleMs);
  caller.addEventListener('abort', interrupt, { once: true });
  if (caller.aborted) interrupt();
  return {
    signal: controller.signal,
    stopped,
    get cause() {
      return cause;
    },
    touch: () => void (closed || idle.refresh()),
    stop,
    close() {
      closed = true;
      clearTimeout(whole);
      clearTimeout(idle);
      caller.removeEventListener('abort', interrupt);
      controller.abort();
    },
  };
}
