import type { JsonObject } from '../../json/types.js';
import type { ClientFailure, Measured } from '../types.js';
import { amountAt, countAt, countOrNone, objectAt, sumOf, textAt } from './fields.js';
import type { Piece } from './pieces.js';
import { type Failure, isOf, kindOfStatus, type TakenAnswer, takeNothing, withInk } from './taken.js';

interface Reading {
  taken: TakenAnswer;
  /** What the assistant said in this step since it last used a tool, part by part. */
  words: string[];
  /** A tool was used in this step, so that another one follows. */
  worked: boolean;
  /** What each step took; null where that cannot be read. */
  steps: (JsonObject | null)[];
}

/**
 * `opencode run --format json` prints an event a line: the steps of a session, and in each what the assistant said and
 * the tools that it used. The answer is all that is said in the last step. Tokens and cost are those of one step each,
 * without what other agents used that this one asked. An error need not be the end: a step may be tried again.
 */
export function takeFromOpencode(pieces: Iterable<Piece>): TakenAnswer | null {
  const reading: Reading = { taken: takeNothing(), words: [], worked: false, steps: [] };
  const { taken } = reading;
  let seen = false;
  for (const piece of pieces) {
    if (piece.status === 'event') {
      if (!isOf('opencode', piece.event)) continue;
      seen = true;
      takeEvent(piece.event, reading);
    } else if (piece.cutOff) taken.ended = false;
    else if (piece.type === 'tool_use') useTool(reading);
    else if (piece.type === 'step_finish') reading.steps.push(null);
    else taken.doubt = piece;
  }
  taken.text = withInk(joinParts(reading.words));
  taken.measured = { ...taken.measured, ...measureSteps(reading.steps) };
  return seen ? taken : null;
}

function takeEvent(event: JsonObject, reading: Reading): void {
  const { taken } = reading;
  const part = objectAt(event, 'part') ?? {};
  switch (textAt(event, 'type')) {
    case 'step_start':
      forgetWords(reading);
      reading.worked = false;
      taken.ended = false;
      break;
    case 'tool_use':
      useTool(reading);
      break;
    case 'text':
      reading.words.push(textAt(part, 'text') ?? '');
      taken.ended = false;
      break;
    case 'step_finish':
      reading.steps.push(part);
      endStep(textAt(part, 'reason'), reading);
      break;
    case 'error':
      taken.ended = true;
      taken.failure = failureOf(objectAt(event, 'error') ?? {});
      break;
    case 'done':
      taken.ended = true;
      break;
  }
}

function forgetWords(reading: Reading): void {
  reading.words = [];
  reading.taken.doubt = null;
}

function useTool(reading: Reading): void {
  forgetWords(reading);
  reading.worked = true;
  reading.taken.ended = false;
}

/** The first versions do not tell why a step ended. */
function endStep(reason: string | null, { taken, worked }: Reading): void {
  if (reason === null ? worked : reason === 'tool-calls') return;
  taken.ended = true;
  taken.failure = reason === 'length' ? TOO_LONG : null;
  taken.instead = `reason: ${reason ?? 'none'}`;
}

const TOO_LONG: Failure = {
  reason: 'its answer was cut off at the limit of output tokens',
  said: null,
  kind: 'cut-off',
};

/** Each part begins a line of its own. */
function joinParts(parts: readonly string[]): string {
  const inked = parts.filter((part) => part !== '');
  return inked
    .map((part, at) => (at + 1 === inked.length || part.endsWith('\n') ? part : `${part}\n`))
    .join('');
}

/** `name` and `data.message`; in later versions `type` and `message`. */
function failureOf(error: JsonObject): Failure {
  const type = textAt(error, 'name') ?? textAt(error, 'type');
  const kind = type !== null && /^[\w.-]{1,60}$/.test(type) ? ` of the type ${type}` : '';
  const data = objectAt(error, 'data') ?? {};
  const message = textAt(data, 'message') ?? textAt(error, 'message');
  const failed: ClientFailure =
    type !== null && UNUSABLE_ERRORS.includes(type) ? 'unusable' : kindOfStatus(countAt(data, 'statusCode'));
  return { reason: `it ended with an error${kind}`, said: withInk(message), kind: failed };
}

const UNUSABLE_ERRORS = [
  'ProviderAuthError',
  'ProviderModelNotFoundError',
  'ProviderInitError',
  'ConfigInvalidError',
  'ConfigJsonError',
];

/** Neither what came from the cache is part of the input, nor are thoughts of the output. */
function measureSteps(steps: readonly (JsonObject | null)[]): Partial<Measured> {
  const tokens = steps.map((step) => objectAt(step ?? {}, 'tokens') ?? {});
  const caches = tokens.map((step) => objectAt(step, 'cache') ?? {});
  const inputs = tokens.map((step, at) =>
    sumOf([countAt(step, 'input'), countOrNone(caches[at]!, 'read'), countOrNone(caches[at]!, 'write')]),
  );
  const outputs = tokens.map((step) => sumOf([countAt(step, 'output'), countOrNone(step, 'reasoning')]));
  return {
    inputTokens: sumOf(inputs),
    outputTokens: sumOf(outputs),
    costUsd: addUp(steps.map((step) => amountAt(step ?? {}, 'cost'))),
  };
}

/** Amounts of money, which are no whole numbers. */
function addUp(amounts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const amount of amounts) {
    if (amount === null) return null;
    sum += amount;
  }
  return amounts.length > 0 && sum <= Number.MAX_SAFE_INTEGER ? Number(sum.toFixed(9)) : null;
}
