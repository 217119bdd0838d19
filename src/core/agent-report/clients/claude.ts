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
} from '../../json/members.js';
import type { JsonObject } from '../../json/values.js';
import type { ClientFailure, Measured } from '../types.js';
import {
  type AnswerReader,
  type ClientDefinition,
  containsResult,
  emptyAnswer,
  type Failure,
  kindOfStatus,
  updateMeasured,
  withInk,
} from './client.js';
import type { RefusedPiece } from './pieces.js';
import { describeTool } from './progress.js';

export const CLAUDE: ClientDefinition = {
  command: 'claude -p --output-format json',
  executor: {
    args: ['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'],
    budgetArgs: (usd) => ['--max-budget-usd', String(usd)],
    schemaArgs: ({ text }) => ['--json-schema', text],
    environment: {
      // Otherwise claude refuses to start inside another of its sessions.
      CLAUDECODE: undefined,
      // Background tasks and wake-ups would cause another turn after the result.
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_DISABLE_CRON: '1',
      // claude would give the model any file mentioned as `@file` in the prompt, unmasked.
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    },
    writePrompt: removeMentions,
    // As root, claude refuses to skip its questions unless IS_SANDBOX says that it is confined.
    findUserRefusal: ({ IS_SANDBOX }, user) =>
      user === 0 && IS_SANDBOX !== '1'
        ? 'claude refuses to work without asking (bypassPermissions) as root. Run teddy as another user, or, if root is confined here, as in a container, set IS_SANDBOX=1.'
        : undefined,
  },
  isEvent,
  openReader: () => new ClaudeReader(),
  describeEvent,
  refusal:
    /^(?:--dangerously-skip-permissions cannot be used with root|Error: --\w[\w-]* is not a valid).*$/m,
};

function isEvent(value: JsonObject): boolean {
  switch (textAt(value, 'type')) {
    case 'result':
      return textAt(value, 'subtype') !== null && typeof value.is_error === 'boolean';
    case 'system':
      return textAt(value, 'subtype') !== null && textAt(value, 'session_id') !== null;
    case 'assistant':
    case 'user':
      return objectAt(value, 'message') !== null && textAt(value, 'session_id') !== null;
    default:
      return false;
  }
}

function describeEvent(event: JsonObject): string | null {
  const type = textAt(event, 'type');
  if (type === 'system' && textAt(event, 'subtype') === 'api_retry') return describeRetry(event);
  if (type !== 'assistant') return null;
  const block = objectsAt(objectAt(event, 'message') ?? {}, 'content').at(-1) ?? {};
  if (textAt(block, 'type') === 'tool_use')
    return describeTool(textAt(block, 'name'), objectAt(block, 'input'));
  return textAt(block, 'text');
}

function describeRetry(event: JsonObject): string {
  const status = countAt(event, 'error_status');
  return `trying again after an error of the API${status === null ? '' : ` (HTTP ${status})`}`;
}

/** The tool that returns an answer constrained by a schema. */
const STRUCTURED_ANSWER = 'StructuredOutput';

const REASONS: Readonly<Record<string, string>> = {
  error_max_turns: 'it reached its limit of turns',
  error_max_budget_usd: 'it reached its limit of cost',
  error_max_structured_output_retries: 'its answer did not match the schema after all its retries',
  error_during_execution: 'an error occurred while it ran',
};

/**
 * `claude -p --output-format json` prints one `result`, or a list of all events (some versions, and `--verbose`);
 * `stream-json` prints one event per line. There may be several results: one per turn, and one for background work. The
 * answer is in `structured_output`, else in `result`, else in the assistant's last message.
 */
class ClaudeReader implements AnswerReader {
  readonly taken = emptyAnswer();
  private words: string | null = null;

  take(event: JsonObject): void {
    const { taken } = this;
    const type = textAt(event, 'type');
    // Messages of claude's own subagents are not the answer.
    if (type === 'assistant' && textAt(event, 'parent_tool_use_id') === null) {
      this.words = lastWords(event, this.words);
      taken.ended = false;
      if (this.words !== null) taken.doubt = null;
    }
    if (type === 'result') this.takeResult(event);
  }

  /** Events in between contain tool output, where half a character is harmless. */
  skip(piece: RefusedPiece): void {
    if (piece.type === null || ['assistant', 'result'].includes(piece.type)) this.taken.doubt = piece;
  }

  end(): void {
    if (!this.taken.ended) this.taken.text = betterOf(this.taken.text, this.words);
  }

  private takeResult(result: JsonObject): void {
    const { taken } = this;
    const text = structuredAnswer(result) ?? withInk(textAt(result, 'result'));
    if (text !== null) taken.doubt = null;
    taken.text = betterOf(taken.text, text ?? this.words);
    taken.failure = failureOf(result);
    taken.ended = true;
    taken.denied = objectsAt(result, 'permission_denials').map(
      (each) => textAt(each, 'tool_name') ?? 'a tool',
    );
    taken.instead = `stop_reason: ${textAt(result, 'stop_reason') ?? 'none'}`;
    const durationMs = sumOf([taken.measured.durationMs ?? 0, millisecondsAt(result, 'duration_ms')]);
    taken.measured = updateMeasured(taken.measured, {
      ...tokensOf(result),
      costUsd: costOf(result),
      durationMs,
    });
  }
}

/** The later text, unless only the earlier one contains a result or a report: small talk may follow it. */
function betterOf(before: string | null, now: string | null): string | null {
  if (before === null || now === null) return now ?? before;
  return isAnswer(now) || !isAnswer(before) ? now : before;
}

function isAnswer(text: string): boolean {
  return containsResult(text) || text.includes('"report_metadata"');
}

function structuredAnswer(result: JsonObject): string | null {
  const answer = result.structured_output ?? null;
  return answer === null ? null : JSON.stringify(answer);
}

/** Text before a tool call is not an answer, unless the call itself returns the structured answer. */
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

/** An error result may lack `is_error`, and one that has it may call itself a success. */
function failureOf(result: JsonObject): Failure | null {
  const kind = textAt(result, 'subtype') ?? '';
  if (result.is_error !== true && !kind.startsWith('error')) return null;
  const reason = Object.hasOwn(REASONS, kind) ? REASONS[kind]! : 'it ended with an error';
  const said = withInk(textsAt(result, 'errors')) ?? withInk(textAt(result, 'result'));
  return { reason, said, kind: kindOf(result, said ?? '') };
}

/** Texts of login errors, which have no field of their own. */
const NOT_LOGGED_IN = /^(?:Not logged in|Invalid API key|OAuth (?:token|session))\b|Please run \/login/;
const TOO_LONG = /exceeded the \d+ output token maximum/;
/** Used by versions without `api_error_status`. */
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
 * Cost and tokens per model are totals of the process over all agents and turns, so the last result is complete.
 * `usage` omits other agents and models; it is only a fallback. Neither counts cache reads as input.
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

/** The field was renamed once. */
function costOf(result: JsonObject): number | null {
  return amountAt(result, 'total_cost_usd') ?? amountAt(result, 'total_cost');
}

/**
 * An `@` that claude would read as a file mention: at the start of a word, or, after a letter or digit, before a path.
 */
const MENTION = /(?<![\p{L}\p{N}_])@(?=[^\s@])|@(?=[/~.\\])/gu;

const NOTE = `In this text, every at sign before a word is followed by a space, as in "@ name", so that no file is inserted by its
name. When you write such a word, leave out that space.

`;

/** Removes file mentions from a prompt, and adds a note on how they are written if there were any. */
export function removeMentions(prompt: string): string {
  const plain = prompt.replace(MENTION, '@ ');
  return plain === prompt ? prompt : `${NOTE}${plain}`;
}
