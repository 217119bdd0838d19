import { shorten } from '../../core/text.js';
import type { SdkEnd } from './model-sdk.js';
import type { Trouble } from './transport.js';

/** `reason` is one or more sentences. */
export interface ModelFailure {
  reason: string;
  /** Whether a later try may succeed. */
  passing: boolean;
  waitMs: number | null;
  /** The service's rate limit was reached. */
  limited?: true;
}

/** The subjects of error messages. */
export interface About {
  /** For example `The model at https://api.example.com/v1`. */
  service: string;
  /** The start of a sentence on how to start a local server. */
  start: string;
  /** The variable that holds the key; null if no key is sent. */
  keyName: string | null;
  /** Masks the key in text from the service. */
  mask(text: string): string;
}

const LIMITED = { limited: true } as const;
const CONFIG = 'config.yaml';
const LONGEST_MESSAGE = 300;

export function describeTrouble(trouble: Trouble, about: About): ModelFailure {
  const { service } = about;
  switch (trouble.kind) {
    case 'unreachable':
      return {
        reason: `${service} ${trouble.reason}. Check the address (model.baseURL in ${CONFIG}), and whether the service is running.`,
        passing: trouble.passing,
        waitMs: null,
      };
    case 'no-server':
      return final(
        `${service} refuses connections: no server is running there. ${about.start}, or choose another model with teddy setup.`,
      );
    case 'broken':
      return { reason: `${service} ${trouble.reason}.`, passing: true, waitMs: null };
    case 'redirect':
      return final(
        `${service} answers with a redirect to ${oneLine(about.mask(trouble.to))}, which is not followed: it would carry the key elsewhere. Set model.baseURL in ${CONFIG} to the right address.`,
      );
    case 'page':
      return final(
        `${service} answered with a web page. Check the address (model.baseURL in ${CONFIG}): most addresses of APIs end in /v1.`,
      );
    case 'too-large':
      return final(`${service} sent too much data for an answer, so teddy stopped reading.`);
    case 'status':
      return describeStatus(trouble, about);
  }
}

type Refusal = Extract<Trouble, { kind: 'status' }>;

function describeStatus({ httpStatus, retryAfterMs, body }: Refusal, about: About): ModelFailure {
  const message = readMessage(body, about.mask);
  const told = message === '' ? '.' : `: ${message}${/[.!?…]$/.test(message) ? '' : '.'}`;
  // Services report used-up credit with the status code of a rate limit.
  const unpaid = httpStatus === 402 || /insufficient_quota|insufficient balance|billing/i.test(body);
  const passing = !unpaid && (httpStatus === 408 || httpStatus === 429 || httpStatus >= 500);
  const hint = unpaid
    ? 'Check the balance of the account that the key belongs to.'
    : hintFor(httpStatus, message, about.keyName);
  return {
    reason: `${about.service} answered with HTTP ${httpStatus}${told}${hint === '' ? '' : ` ${hint}`}`,
    passing,
    waitMs: retryAfterMs,
    ...(httpStatus === 429 && passing && LIMITED),
  };
}

function hintFor(httpStatus: number, message: string, keyName: string | null): string {
  if (httpStatus === 401 || httpStatus === 403) {
    return keyName === null
      ? `No key was sent. Set model.keyEnv in ${CONFIG} to the variable that holds the key.`
      : `Check the key in ${keyName}.`;
  }
  if (httpStatus === 404)
    return `Check the name of the model and its address: model.name and model.baseURL in ${CONFIG}.`;
  if (
    httpStatus === 413 ||
    /context (?:length|window|size)|too (?:long|large)|too many tokens/i.test(message)
  ) {
    return `Remove files from the context, or lower context.budget in ${CONFIG}.`;
  }
  return httpStatus === 400 || httpStatus === 422 ? `Check the settings under model in ${CONFIG}.` : '';
}

const PASSING_KINDS =
  /^(?:429|5\d\d)$|overload|rate_?limit|too_many_requests|server_error|api_error|timeout|unavailable/i;
const LIMITED_KINDS = /^429$|rate_?limit|too_many_requests/i;

/** Describes an answer that ended without a finish event, with or without text. */
export function describeEnd(
  end: Exclude<SdkEnd, { status: 'finished' }>,
  { service, mask }: About,
): ModelFailure {
  switch (end.status) {
    case 'unfinished':
      return {
        reason: `${service} ended its answer without marking it as complete.`,
        passing: true,
        waitMs: null,
      };
    case 'unreadable':
      return final(
        `${service} sent something that is not an answer of this API. Check model.provider and model.baseURL in ${CONFIG}.`,
      );
    case 'error': {
      const message = oneLine(mask(end.message));
      return {
        reason: `${service} reported an error: ${message}${/[.!?…]$/.test(message) ? '' : '.'}`,
        passing: end.kinds.some((kind) => PASSING_KINDS.test(kind)),
        waitMs: null,
        ...(end.kinds.some((kind) => LIMITED_KINDS.test(kind)) && LIMITED),
      };
    }
  }
}

function final(reason: string): ModelFailure {
  return { reason, passing: false, waitMs: null };
}

/** The error message in a response body; empty for HTML pages. */
function readMessage(body: string, mask: About['mask']): string {
  const text = body.trim();
  if (text.startsWith('<')) return '';
  try {
    return oneLine(mask(findMessage(JSON.parse(text), 0) ?? ''));
  } catch {
    return oneLine(mask(text));
  }
}

const MESSAGE_KEYS = ['error', 'errors', 'message', 'detail', 'msg'];

function findMessage(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 5) return undefined;
  if (Array.isArray(value)) return findMessage(value[0], depth + 1);
  for (const key of MESSAGE_KEYS) {
    const found = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    const message = found == null ? undefined : findMessage(found, depth + 1);
    if (message !== undefined) return message;
  }
  return undefined;
}

function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  return shorten(line, LONGEST_MESSAGE);
}
