import type { JsonObject } from '../../json/types.js';
import type { ClientFailure, Measured } from '../types.js';
import {
  countAt,
  countOrNone,
  millisecondsAt,
  objectAt,
  objectsIn,
  sumOf,
  textAt,
  textsAt,
} from './fields.js';
import type { Piece } from './pieces.js';
import {
  type Failure,
  isOf,
  kindOfStatus,
  type TakenAnswer,
  takeNothing,
  updateMeasured,
  withInk,
} from './taken.js';

interface Reading {
  taken: TakenAnswer;
  /** What the assistant said since it last used a tool, as it came. */
  words: string[];
  /** The last error on the way, which need not be the end. */
  error: string | null;
}

/**
 * `gemini --output-format json` prints one object with the `response`, or with an `error`; `stream-json` prints an event a
 * line, and the answer in parts: all that the assistant says behind the last tool. It never tells the cost.
 */
export function takeFromGemini(pieces: Iterable<Piece>): TakenAnswer | null {
  const reading: Reading = { taken: takeNothing(), words: [], error: null };
  const { taken } = reading;
  let seen = false;
  for (const piece of pieces) {
    if (piece.status === 'refused') {
      if (piece.cutOff) taken.ended = false;
      else if (isTool(piece.type)) forgetWords(reading);
      else taken.doubt = piece;
      continue;
    }
    const { event } = piece;
    if (isOf('gemini', event)) {
      seen = true;
      if (Object.hasOwn(event, 'type')) takeEvent(event, reading);
      else takeOutput(event, reading);
    } else if (isBareError(event)) {
      seen = true;
      takeOutput(event, reading);
    }
  }
  if (!taken.ended && reading.error !== null) fail(taken, { type: null, message: reading.error });
  taken.text = withInk(reading.words.join(''));
  return seen ? taken : null;
}

/** What is printed where it fails before it has begun. */
function isBareError(event: JsonObject): boolean {
  const error = objectAt(event, 'error');
  return !Object.hasOwn(event, 'type') && error !== null && textAt(error, 'message') !== null;
}

function takeOutput(output: JsonObject, reading: Reading): void {
  const { taken } = reading;
  forgetWords(reading);
  reading.words.push(textAt(output, 'response') ?? '');
  taken.ended = true;
  taken.failure = failureOf(output);
  taken.instead = withInk(textsAt(output, 'warnings'));
  taken.measured = updateMeasured(taken.measured, tokensOfModels(objectAt(output, 'stats') ?? {}));
}

function takeEvent(event: JsonObject, reading: Reading): void {
  const { taken } = reading;
  const type = textAt(event, 'type');
  if (isTool(type)) forgetWords(reading);
  if (type === 'message') {
    taken.ended = false;
    if (textAt(event, 'role') !== 'assistant' || event.delta !== true) forgetWords(reading);
    if (textAt(event, 'role') === 'assistant') reading.words.push(textAt(event, 'content') ?? '');
  }
  if (type === 'error') {
    const message = textAt(event, 'message');
    taken.instead = message;
    if (textAt(event, 'severity') === 'error') reading.error = message;
  }
  if (type === 'result') {
    taken.ended = true;
    taken.failure = failureOf(event);
    if (textAt(event, 'status') === 'error' && taken.failure === null) {
      fail(taken, { type: null, message: reading.error });
    }
    taken.measured = updateMeasured(taken.measured, tokensOfStream(objectAt(event, 'stats') ?? {}));
  }
}

function isTool(type: string | null): boolean {
  return type === 'tool_use' || type === 'tool_result';
}

function forgetWords(reading: Reading): void {
  reading.words = [];
  reading.taken.doubt = null;
}

function failureOf(value: JsonObject): Failure | null {
  const error = objectAt(value, 'error');
  if (error === null) return null;
  const [type, message, code] = [textAt(error, 'type'), textAt(error, 'message'), countAt(error, 'code')];
  return describeError({ type, message, code });
}

function fail(taken: TakenAnswer, error: GeminiError): void {
  taken.ended = true;
  taken.failure = describeError(error);
}

/** `code` is its exit code or the status of its model's answer. */
interface GeminiError {
  type: string | null;
  message: string | null;
  code?: number | null;
}

function describeError({ type, message, code = null }: GeminiError): Failure {
  const which = type !== null && /^\w{1,60}$/.test(type) ? ` of the type ${type}` : '';
  return { reason: `it ended with an error${which}`, said: withInk(message), kind: kindOfExit(code) };
}

/** Not logged in, no sandbox, wrong settings, a folder that is not trusted. */
const UNUSABLE_CODES = [41, 44, 52, 55];

/** An exit code has eight bits: of a status it is the rest. */
export function kindOfExit(code: number | null): ClientFailure {
  if (code === null) return 'other';
  if (UNUSABLE_CODES.includes(code)) return 'unusable';
  const status = [401, 402, 403, 404, 429, 529].find((each) => each === code || each % 256 === code);
  return kindOfStatus(status ?? null);
}

/**
 * Totals of the session for each model. The prompt holds what came from the cache; prompts that tools made are counted
 * apart, and so are thoughts. `totalLatencyMs` adds up requests, of which several may run at once: no duration.
 */
function tokensOfModels(stats: JsonObject): Partial<Measured> {
  const tokens = objectsIn(objectAt(stats, 'models')).map((model) => objectAt(model, 'tokens') ?? {});
  return {
    inputTokens: sumOf(tokens.map((model) => sumOf([countAt(model, 'prompt'), countOrNone(model, 'tool')]))),
    outputTokens: sumOf(
      tokens.map((model) => sumOf([countAt(model, 'candidates'), countOrNone(model, 'thoughts')])),
    ),
  };
}

/** The same in sum. Thoughts stand in the total only, so what is no input is output. */
function tokensOfStream(stats: JsonObject): Partial<Measured> {
  const [inputTokens, outputTokens] = [countAt(stats, 'input_tokens'), countAt(stats, 'output_tokens')];
  const total = countAt(stats, 'total_tokens');
  const rest = total === null || inputTokens === null ? null : total - inputTokens;
  return {
    inputTokens,
    outputTokens: outputTokens === null ? null : Math.max(outputTokens, rest ?? 0),
    durationMs: millisecondsAt(stats, 'duration_ms'),
  };
}
