import type { JsonObject } from '../../json/types.js';
import type { ClientFailure, Measured } from '../types.js';
import {
  amountAt,
  countAt,
  countOrNone,
  millisecondsAt,
  objectAt,
  objectsAt,
  objectsIn,
  sumOf,
  textAt,
  textsAt,
} from './fields.js';
import type { Piece } from './pieces.js';
import {
  betterOf,
  type Failure,
  isOf,
  kindOfStatus,
  type TakenAnswer,
  takeNothing,
  updateMeasured,
  withInk,
} from './taken.js';

/** The tool through which an answer comes that has to fit a schema. */
const STRUCTURED_ANSWER = 'StructuredOutput';

const REASONS: Readonly<Record<string, string>> = {
  error_max_turns: 'it reached its limit of turns',
  error_max_budget_usd: 'it reached its limit of cost',
  error_max_structured_output_retries: 'its answer did not fit the schema, however often it tried',
  error_during_execution: 'something went wrong while it ran',
};

/**
 * `claude -p --output-format json` prints one `result`, or, as some versions do and all with `--verbose`, a list of all events;
 * `stream-json` prints an event a line. There may be several results: one for each turn of the same process, and after the
 * answer one for what ended in the background. The answer is in `structured_output`, in `result`, or, where both are empty,
 * in what the assistant said last.
 */
export function takeFromClaude(pieces: Iterable<Piece>): TakenAnswer | null {
  const taken = takeNothing();
  let [seen, words]: [boolean, string | null] = [false, null];
  for (const piece of pieces) {
    if (piece.status === 'refused') {
      // The events in between hold what tools printed: half a character there is nothing to worry about.
      if (piece.cutOff) taken.ended = false;
      else if (piece.type === null || ['assistant', 'result'].includes(piece.type)) taken.doubt = piece;
      continue;
    }
    const { event } = piece;
    if (!isOf('claude', event)) continue;
    seen = true;
    const type = textAt(event, 'type');
    if (type === 'assistant' && isOwn(event)) {
      words = lastWords(event, words);
      taken.ended = false;
      if (words !== null) taken.doubt = null;
    }
    if (type === 'result') takeResult(event, words, taken);
  }
  if (!taken.ended) taken.text = betterOf(taken.text, words);
  return seen ? taken : null;
}

function takeResult(result: JsonObject, words: string | null, taken: TakenAnswer): void {
  const text = structuredAnswer(result) ?? withInk(textAt(result, 'result'));
  if (text !== null) taken.doubt = null;
  taken.text = betterOf(taken.text, text ?? words);
  taken.failure = failureOf(result);
  taken.ended = true;
  taken.instead = `stop_reason: ${textAt(result, 'stop_reason') ?? 'none'}`;
  const durationMs = sumOf([taken.measured.durationMs ?? 0, millisecondsAt(result, 'duration_ms')]);
  taken.measured = updateMeasured(taken.measured, {
    ...tokensOf(result),
    costUsd: costOf(result),
    durationMs,
  });
}

function structuredAnswer(result: JsonObject): string | null {
  const answer = result.structured_output ?? null;
  return answer === null ? null : JSON.stringify(answer);
}

/** Whether the agent itself speaks, not one that it asked in its turn. */
function isOwn(event: JsonObject): boolean {
  return textAt(event, 'parent_tool_use_id') === null;
}

/** What is said before a tool is called is no answer; an answer that has to fit a schema is such a call itself. */
function lastWords(event: JsonObject, before: string | null): string | null {
  let words = before;
  for (const block of objectsAt(objectAt(event, 'message') ?? {}, 'content')) {
    const type = textAt(block, 'type');
    if (type === 'text') words = withInk(textAt(block, 'text')) ?? words;
    if (type !== 'tool_use') continue;
    const answer = textAt(block, 'name') === STRUCTURED_ANSWER ? objectAt(block, 'input') : null;
    words = answer === null ? null : JSON.stringify(answer);
  }
  return words;
}

/** An error result need not be marked with `is_error`, and one that is may call itself a success. */
function failureOf(result: JsonObject): Failure | null {
  const kind = textAt(result, 'subtype') ?? '';
  if (result.is_error !== true && !kind.startsWith('error')) return null;
  const reason = Object.hasOwn(REASONS, kind) ? REASONS[kind]! : 'it ended with an error';
  const said = withInk(textsAt(result, 'errors')) ?? withInk(textAt(result, 'result'));
  return { reason, said, kind: kindOf(result, said ?? '') };
}

/** Of an error that has no field of its own, what the client always says of it. */
const NOT_LOGGED_IN = /^(?:Not logged in|Invalid API key|OAuth (?:token|session))\b|Please run \/login/;
const TOO_LONG = /exceeded the \d+ output token maximum/;
/** Before there was `api_error_status`. */
const OLD_STATUS = /^API Error: (?:[^(]{0,40}\()?(\d{3})\b/;
const OLD_LIMIT = /^Claude AI usage limit reached\|/;

function kindOf(result: JsonObject, said: string): ClientFailure {
  if (textAt(result, 'subtype') === 'error_max_budget_usd') return 'budget';
  if (TOO_LONG.test(said) || textAt(result, 'stop_reason') === 'max_tokens') return 'cut-off';
  if (NOT_LOGGED_IN.test(said)) return 'unusable';
  const old = OLD_STATUS.exec(said)?.[1];
  const status = countAt(result, 'api_error_status') ?? (old === undefined ? null : Number(old));
  return OLD_LIMIT.test(said) ? 'limited' : kindOfStatus(status);
}

/**
 * Cost and tokens of each model are totals of the process so far, all agents and turns together: the last result has them all.
 * `usage` leaves out what other agents and models used on the way, so it serves only where there is nothing else. Neither
 * counts the cache as input. `duration_ms` is the time of one turn.
 */
function tokensOf(result: JsonObject): Pick<Measured, 'inputTokens' | 'outputTokens'> {
  const models = objectsIn(objectAt(result, 'modelUsage'));
  const inputs = models.map((model) =>
    sumOf([
      countAt(model, 'inputTokens'),
      countOrNone(model, 'cacheReadInputTokens'),
      countOrNone(model, 'cacheCreationInputTokens'),
    ]),
  );
  const usage = objectAt(result, 'usage') ?? {};
  const input = sumOf([
    countAt(usage, 'input_tokens'),
    countOrNone(usage, 'cache_read_input_tokens'),
    countOrNone(usage, 'cache_creation_input_tokens'),
  ]);
  return {
    inputTokens: sumOf(inputs) ?? input,
    outputTokens:
      sumOf(models.map((model) => countAt(model, 'outputTokens'))) ?? countAt(usage, 'output_tokens'),
  };
}

/** The name has changed once. */
function costOf(result: JsonObject): number | null {
  return amountAt(result, 'total_cost_usd') ?? amountAt(result, 'total_cost');
}
