import {
  countAt,
  countOrNone,
  millisecondsAt,
  objectAt,
  objectsIn,
  sumOf,
  textAt,
  textsAt,
} from '../../json/members.js';
import type { JsonObject } from '../../json/values.js';
import type { ClientFailure, Measured } from '../types.js';
import {
  type AnswerReader,
  type ClientDefinition,
  type ClientEnd,
  emptyAnswer,
  type Failure,
  kindOfStatus,
  updateMeasured,
  withInk,
} from './client.js';
import type { RefusedPiece } from './pieces.js';
import { describeTool } from './progress.js';

export const GEMINI: ClientDefinition = {
  command: 'gemini --output-format json',
  executor: {
    args: ['--output-format', 'stream-json', '--approval-mode', 'yolo'],
    // Otherwise gemini does not start in a folder that the user has not trusted, such as a new worktree.
    environment: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  },
  isEvent: (value) => isOutput(value) || isStreamEvent(value),
  // Printed if gemini fails before it starts.
  isBareError: (value) =>
    !Object.hasOwn(value, 'type') && textAt(objectAt(value, 'error') ?? {}, 'message') !== null,
  openReader: () => new GeminiReader(),
  describeEvent,
  refusal: /^.{0,9}Gemini CLI is not running in a trusted directory\..*$/m,
  kindOfEnd,
};

/** The class of the error that ended it. */
const LAST_ERROR =
  /^Error when talking to Gemini API .{0,300}\b(ModelNotFound|RetryableQuota|TerminalQuota)Error: /m;

/** Errors are on standard error only, the last one as JSON; the exit code tells their kind, but for some of 1. */
function kindOfEnd({ stderr, exitCode }: ClientEnd): ClientFailure {
  const error = LAST_ERROR.exec(stderr)?.[1];
  if (error === 'ModelNotFound') return 'unusable';
  return error === undefined ? kindOfExit(exitCode) : 'limited';
}

/** The output of `--output-format json`. */
function isOutput(value: JsonObject): boolean {
  const stats = objectAt(value, 'stats');
  const answers = textAt(value, 'response') !== null || objectAt(value, 'error') !== null;
  return answers && stats !== null && objectAt(stats, 'models') !== null;
}

/** The output of `--output-format stream-json`. */
function isStreamEvent(value: JsonObject): boolean {
  if (textAt(value, 'timestamp') === null) return false;
  switch (textAt(value, 'type')) {
    case 'init':
      return textAt(value, 'session_id') !== null && textAt(value, 'model') !== null;
    case 'message':
      return textAt(value, 'role') !== null && textAt(value, 'content') !== null;
    case 'tool_use':
    case 'tool_result':
      return textAt(value, 'tool_id') !== null;
    case 'error':
      return textAt(value, 'severity') !== null;
    case 'result':
      return textAt(value, 'status') !== null;
    default:
      return false;
  }
}

function describeEvent(event: JsonObject): string | null {
  switch (textAt(event, 'type')) {
    case 'message':
      return textAt(event, 'role') === 'assistant' ? textAt(event, 'content') : null;
    case 'tool_use':
      return describeTool(textAt(event, 'tool_name'), objectAt(event, 'parameters'));
    case 'error':
      return textAt(event, 'message');
    default:
      return null;
  }
}

/**
 * `gemini --output-format json` prints one object with a `response` or an `error`. `stream-json` prints one event per
 * line; the answer is all that the assistant says after the last tool. It does not report the cost.
 */
class GeminiReader implements AnswerReader {
  readonly taken = emptyAnswer();
  /** The assistant's text since its last tool call, in pieces. */
  private words: string[] = [];
  /** The last error so far, which may not be final. */
  private error: string | null = null;

  take(event: JsonObject): void {
    if (Object.hasOwn(event, 'type')) this.takeEvent(event);
    else this.takeOutput(event);
  }

  skip(piece: RefusedPiece): void {
    if (isTool(piece.type)) this.forgetWords();
    else this.taken.doubt = piece;
  }

  end(): void {
    const { taken } = this;
    if (!taken.ended && this.error !== null) {
      taken.ended = true;
      taken.failure = describeError(null, this.error);
    }
    taken.text = withInk(this.words.join(''));
  }

  private takeEvent(event: JsonObject): void {
    const { taken } = this;
    const type = textAt(event, 'type');
    if (isTool(type)) this.forgetWords();
    if (type === 'message') {
      taken.ended = false;
      if (textAt(event, 'role') !== 'assistant' || event.delta !== true) this.forgetWords();
      if (textAt(event, 'role') === 'assistant') this.words.push(textAt(event, 'content') ?? '');
    }
    if (type === 'error') {
      const message = textAt(event, 'message');
      taken.instead = message;
      if (textAt(event, 'severity') === 'error') this.error = message;
    }
    if (type === 'result') {
      taken.ended = true;
      taken.failure = failureOf(event);
      if (textAt(event, 'status') === 'error') taken.failure ??= describeError(null, this.error);
      taken.measured = updateMeasured(taken.measured, tokensOfStream(objectAt(event, 'stats') ?? {}));
    }
  }

  private takeOutput(output: JsonObject): void {
    const { taken } = this;
    this.forgetWords();
    this.words.push(textAt(output, 'response') ?? '');
    taken.ended = true;
    taken.failure = failureOf(output);
    taken.instead = withInk(textsAt(output, 'warnings'));
    taken.measured = updateMeasured(taken.measured, tokensOfModels(objectAt(output, 'stats') ?? {}));
  }

  private forgetWords(): void {
    this.words = [];
    this.taken.doubt = null;
  }
}

function isTool(type: string | null): boolean {
  return type === 'tool_use' || type === 'tool_result';
}

function failureOf(value: JsonObject): Failure | null {
  const error = objectAt(value, 'error');
  if (error === null) return null;
  return describeError(textAt(error, 'type'), textAt(error, 'message'), countAt(error, 'code'));
}

/** `code` is an exit code or an HTTP status. */
function describeError(type: string | null, message: string | null, code: number | null = null): Failure {
  const which = type !== null && /^\w{1,60}$/.test(type) ? ` of the type ${type}` : '';
  return { reason: `it ended with an error${which}`, said: withInk(message), kind: kindOfExit(code) };
}

/** Not logged in, no sandbox, wrong settings, a folder that is not trusted. */
const UNUSABLE_CODES = [41, 44, 52, 55];

/** An exit code has eight bits, so a status is truncated to its low byte. */
function kindOfExit(code: number | null): ClientFailure {
  if (code === null) return 'other';
  if (UNUSABLE_CODES.includes(code)) return 'unusable';
  const status = [401, 402, 403, 404, 429, 529].find((each) => each === code || each % 256 === code);
  return kindOfStatus(status ?? null);
}

/**
 * Session totals per model. The prompt includes cache reads; tool prompts and thoughts are counted separately.
 * `totalLatencyMs` adds up parallel requests, so it is not a duration.
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

/** Totals over all models. Thoughts are only in the total, so everything but the input counts as output. */
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
