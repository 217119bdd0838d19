import { amountAt, countAt, countOrNone, objectAt, sumOf, textAt } from '../../json/members.js';
import type { JsonObject } from '../../json/values.js';
import type { ClientFailure, Measured } from '../types.js';
import {
  type AnswerReader,
  type ClientDefinition,
  emptyAnswer,
  type Failure,
  kindOfStatus,
  withInk,
} from './client.js';
import type { RefusedPiece } from './pieces.js';
import { describeTool } from './progress.js';

export const OPENCODE: ClientDefinition = {
  command: 'opencode run --format json',
  executor: {
    // Later versions call it `--auto` but still accept this name.
    args: ['run', '--format', 'json', '--dangerously-skip-permissions'],
    environment: {},
  },
  isEvent,
  openReader: () => new OpencodeReader(),
  describeEvent,
  refusal: /^(?:Error: )?Configuration is invalid.*$/m,
  describeRefusal: ({ stdout, stderr }) =>
    HELP.test(stdout.trimStart() || stderr.trimStart())
      ? 'it printed its help, so it does not support one of the flags it was started with'
      : null,
  // All its processes of a user share one database, and do not wait for its lock.
  busy: /^(?:database is locked$|Failed (?:query:|to (?:execute statement|run the query)))|\bSQLITE_BUSY\b/m,
};

const HELP = /^opencode run \[message\.\.\]\s/;

/** An event of a session, with a numeric timestamp. */
function isEvent(value: JsonObject): boolean {
  if (textAt(value, 'sessionID') === null || typeof value.timestamp !== 'number') return false;
  switch (textAt(value, 'type')) {
    case 'step_start':
    case 'step_finish':
    case 'text':
    case 'reasoning':
    case 'tool_use':
      return objectAt(value, 'part') !== null;
    case 'error':
      return objectAt(value, 'error') !== null;
    case 'done':
      return textAt(value, 'reason') !== null;
    default:
      return false;
  }
}

function describeEvent(event: JsonObject): string | null {
  const part = objectAt(event, 'part') ?? {};
  switch (textAt(event, 'type')) {
    case 'text':
      return textAt(part, 'text');
    case 'tool_use':
      return describeTool(textAt(part, 'tool'), objectAt(objectAt(part, 'state') ?? {}, 'input'));
    case 'error':
      return failureOf(objectAt(event, 'error') ?? {}).said;
    default:
      return null;
  }
}

/**
 * `opencode run --format json` prints one event per line: the steps of a session with their messages and tool calls.
 * The answer is all text of the last step. Tokens and cost are per step, without subagents. An error may not be final:
 * a step can be retried.
 */
class OpencodeReader implements AnswerReader {
  readonly taken = emptyAnswer();
  /** The assistant's text in this step since its last tool call, in parts. */
  private words: string[] = [];
  /** This step used a tool, so another step follows. */
  private worked = false;
  /** What each step used; null if unreadable. */
  private readonly steps: (JsonObject | null)[] = [];

  take(event: JsonObject): void {
    const { taken } = this;
    const part = objectAt(event, 'part') ?? {};
    switch (textAt(event, 'type')) {
      case 'step_start':
        this.forgetWords();
        this.worked = false;
        taken.ended = false;
        break;
      case 'tool_use':
        this.useTool();
        break;
      case 'text':
        this.words.push(textAt(part, 'text') ?? '');
        taken.ended = false;
        break;
      case 'step_finish':
        this.steps.push(part);
        this.endStep(textAt(part, 'reason'));
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

  skip(piece: RefusedPiece): void {
    if (piece.type === 'tool_use') this.useTool();
    else if (piece.type === 'step_finish') this.steps.push(null);
    else this.taken.doubt = piece;
  }

  end(): void {
    this.taken.text = withInk(joinParts(this.words));
    this.taken.measured = { ...this.taken.measured, ...measureSteps(this.steps) };
  }

  private forgetWords(): void {
    this.words = [];
    this.taken.doubt = null;
  }

  private useTool(): void {
    this.forgetWords();
    this.worked = true;
    this.taken.ended = false;
  }

  /** The first versions do not say why a step ended. */
  private endStep(reason: string | null): void {
    if (reason === null ? this.worked : reason === 'tool-calls') return;
    this.taken.ended = true;
    this.taken.failure = reason === 'length' ? TOO_LONG : null;
    this.taken.instead = `reason: ${reason ?? 'none'}`;
  }
}

const TOO_LONG: Failure = {
  reason: 'its answer reached the limit of output tokens',
  said: null,
  kind: 'cut-off',
};

/** Each part starts on a new line. */
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

/** Input excludes cache reads, and output excludes reasoning. */
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

/** Adds amounts of money, which need not be integers. */
function addUp(amounts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const amount of amounts) {
    if (amount === null) return null;
    sum += amount;
  }
  return amounts.length > 0 && sum <= Number.MAX_SAFE_INTEGER ? Number(sum.toFixed(9)) : null;
}
