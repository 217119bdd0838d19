import type { JsonObject } from '../../json/types.js';
import type { ClientFailure, Measured } from '../types.js';
import { countAt, objectAt, sumOf, textAt } from './fields.js';
import { guessClient } from './guess-client.js';
import type { Piece } from './pieces.js';
import { isOf, kindOfStatus, type TakenAnswer, takeNothing, updateMeasured, withInk } from './taken.js';

/** What an agent does between its words; a to-do list and thoughts are neither. */
const WORK: readonly (string | null)[] = [
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
];

const OLD_WORK: readonly (string | null)[] = [
  'exec_command_begin',
  'patch_apply_begin',
  'mcp_tool_call_begin',
  'web_search_begin',
];

interface Reading {
  taken: TakenAnswer;
  /** The last message of the agent. */
  words: string | null;
  /** The agent went on working behind its last message, so that was no answer yet. */
  working: boolean;
  /** An error that need not be the end: a lost connection is taken up again. */
  error: string | null;
}

/**
 * `codex exec --json` prints an event a line: a thread, its turns, their items. Errors stand among them, on standard output.
 * The answer is the last `agent_message`. It never tells the cost, nor how long it took.
 */
export function takeFromCodex(pieces: Iterable<Piece>): TakenAnswer | null {
  const reading: Reading = { taken: takeNothing(), words: null, working: false, error: null };
  const { taken } = reading;
  let seen = false;
  for (const piece of pieces) {
    if (piece.status === 'refused') {
      if (piece.cutOff) taken.ended = false;
      else if (piece.type === null || piece.type === 'item.completed') taken.doubt = piece;
      continue;
    }
    const { event } = piece;
    const old = objectAt(event, 'msg');
    if (isOf('codex', event)) {
      seen = true;
      if (old === null) takeEvent(event, reading);
      else takeOldMessage(old, reading);
    } else if (isBareError(event)) {
      seen = true;
      reading.error = textAt(event, 'message');
    }
  }
  if (!taken.ended && reading.error !== null) endWithError(reading, reading.error);
  taken.text = reading.working ? null : reading.words;
  return seen ? taken : null;
}

/** It may be all that there is, and it could be anybody's. */
function isBareError(event: JsonObject): boolean {
  const known = textAt(event, 'type') === 'error' && textAt(event, 'message') !== null;
  return known && guessClient(event) === null;
}

function takeEvent(event: JsonObject, reading: Reading): void {
  const { taken } = reading;
  const item = objectAt(event, 'item') ?? {};
  // `item_type` and `assistant_message` are the names of the first versions.
  const kind = textAt(item, 'type') ?? textAt(item, 'item_type');
  switch (textAt(event, 'type')) {
    case 'turn.started':
      beginTurn(reading);
      break;
    case 'item.started':
      if (WORK.includes(kind)) reading.working = true;
      break;
    case 'item.completed':
      if (kind === 'agent_message' || kind === 'assistant_message') takeWords(textAt(item, 'text'), reading);
      if (kind === 'error') taken.instead = textAt(item, 'message');
      break;
    case 'turn.completed':
      endTurn(reading);
      taken.measured = updateMeasured(taken.measured, tokensOf(objectAt(event, 'usage') ?? {}));
      break;
    case 'turn.failed':
      endWithError(reading, textAt(objectAt(event, 'error') ?? {}, 'message') ?? reading.error);
      break;
  }
}

/** One event of the older versions. */
function takeOldMessage(message: JsonObject, reading: Reading): void {
  const type = textAt(message, 'type');
  if (OLD_WORK.includes(type)) reading.working = true;
  switch (type) {
    case 'task_started':
      beginTurn(reading);
      break;
    case 'agent_message':
      takeWords(textAt(message, 'message'), reading);
      break;
    case 'task_complete':
      takeWords(textAt(message, 'last_agent_message'), reading);
      endTurn(reading);
      break;
    case 'token_count':
      takeOldTokens(message, reading.taken);
      break;
    case 'error':
      reading.error = textAt(message, 'message');
      break;
    case 'turn_aborted':
      reading.error = `aborted: ${textAt(message, 'reason') ?? 'it does not say why'}`;
      break;
  }
}

function beginTurn(reading: Reading): void {
  reading.taken.ended = false;
  reading.taken.failure = null;
  reading.error = null;
}

function takeWords(text: string | null, reading: Reading): void {
  if (withInk(text) === null) return;
  reading.words = text;
  reading.working = false;
  reading.taken.doubt = null;
}

function endTurn(reading: Reading): void {
  reading.taken.ended = true;
  reading.taken.failure = null;
  reading.working = false;
  reading.error = null;
}

function endWithError({ taken }: Reading, said: string | null): void {
  taken.ended = true;
  taken.failure = { reason: 'its turn ended with an error', said: withInk(said), kind: kindOf(said ?? '') };
}

/** It has no field for the status: it puts it into sentences of its own, which begin so. */
const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;
const USAGE_LIMIT = /^You['’]ve hit your usage limit\b/;
const TOO_LONG = /^Incomplete response returned, reason: max_output_tokens\b/;

function kindOf(said: string): ClientFailure {
  if (TOO_LONG.test(said)) return 'cut-off';
  const status = STATUS.exec(said)?.[1];
  return USAGE_LIMIT.test(said) ? 'limited' : kindOfStatus(status === undefined ? null : Number(status));
}

/**
 * The totals of the thread so far, also of runs that this one resumes: the last one counts. What came from the cache is
 * part of the input, and thoughts are part of the output. Nothing but zeros says that it does not know.
 */
function tokensOf(usage: JsonObject): Pick<Measured, 'inputTokens' | 'outputTokens'> {
  const [inputTokens, outputTokens] = [countAt(usage, 'input_tokens'), countAt(usage, 'output_tokens')];
  return inputTokens === 0 && outputTokens === 0
    ? { inputTokens: null, outputTokens: null }
    : { inputTokens, outputTokens };
}

/** Totals in `info`; before there was one, the counts of one request each. */
function takeOldTokens(message: JsonObject, taken: TakenAnswer): void {
  const info = objectAt(message, 'info');
  if (info !== null) {
    const total = tokensOf(objectAt(info, 'total_token_usage') ?? {});
    taken.measured = updateMeasured(taken.measured, total);
    return;
  }
  const { inputTokens, outputTokens } = tokensOf(message);
  const { measured } = taken;
  taken.measured = updateMeasured(measured, {
    inputTokens: sumOf([measured.inputTokens ?? 0, inputTokens]),
    outputTokens: sumOf([measured.outputTokens ?? 0, outputTokens]),
  });
}
