import type { JsonObject } from '../../json/values.js';
import type { ClientFailure, Measured } from '../types.js';
import {
  type AnswerReader,
  type ClientDefinition,
  emptyAnswer,
  kindOfStatus,
  type TakenAnswer,
  updateMeasured,
  withInk,
} from './client.js';
import { countAt, objectAt, sumOf, textAt } from './fields.js';
import type { RefusedPiece } from './pieces.js';

export const CODEX: ClientDefinition = {
  command: 'codex exec --json',
  executor: {
    // It keeps to the folder and off the network.
    args: ['exec', '--json', '--sandbox', 'workspace-write', '--skip-git-repo-check', '-'],
    environment: {},
  },
  isEvent,
  isBareError: (event) => textAt(event, 'type') === 'error' && textAt(event, 'message') !== null,
  openReader: () => new CodexReader(),
  refusal: /^(?:Not inside a trusted directory|Error loading config).*$/m,
};

/** Events of a thread; in older versions a `msg` with the id of the task that it belongs to. */
function isEvent(value: JsonObject): boolean {
  switch (textAt(value, 'type')) {
    case 'thread.started':
      return textAt(value, 'thread_id') !== null;
    case 'turn.started':
      return Object.keys(value).length === 1;
    case 'turn.completed':
      return objectAt(value, 'usage') !== null;
    case 'turn.failed':
      return objectAt(value, 'error') !== null;
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return objectAt(value, 'item') !== null;
  }
  const message = objectAt(value, 'msg');
  return message !== null && textAt(message, 'type') !== null && textAt(value, 'id') !== null;
}

/** What an agent does between its words; a to-do list and thoughts are neither. */
const WORK: readonly (string | null)[] = [
  ...['command_execution', 'file_change', 'mcp_tool_call', 'collab_tool_call', 'web_search'],
];
const OLD_WORK: readonly (string | null)[] = [
  ...['exec_command_begin', 'patch_apply_begin', 'mcp_tool_call_begin', 'web_search_begin'],
];

/**
 * `codex exec --json` prints an event a line: a thread, its turns, their items. Errors stand among them, on standard output.
 * The answer is the last `agent_message`. It never says the cost, nor how long it took.
 */
class CodexReader implements AnswerReader {
  readonly taken = emptyAnswer();
  /** The last message of the agent. */
  private words: string | null = null;
  /** The agent continued working after its last message, so that was not its answer. */
  private working = false;
  /** An error that need not be the end: a lost connection is taken up again. */
  private error: string | null = null;

  take(event: JsonObject): void {
    const old = objectAt(event, 'msg');
    if (old === null) this.takeEvent(event);
    else this.takeOldMessage(old);
  }

  skip(piece: RefusedPiece): void {
    if (piece.type === null || piece.type === 'item.completed') this.taken.doubt = piece;
  }

  end(): void {
    if (!this.taken.ended && this.error !== null) this.fail(this.error);
    this.taken.text = this.working ? null : this.words;
  }

  private takeEvent(event: JsonObject): void {
    const { taken } = this;
    const item = objectAt(event, 'item') ?? {};
    // `item_type` and `assistant_message` are the names of the first versions.
    const kind = textAt(item, 'type') ?? textAt(item, 'item_type');
    switch (textAt(event, 'type')) {
      case 'turn.started':
        this.beginTurn();
        break;
      case 'item.started':
        if (WORK.includes(kind)) this.working = true;
        break;
      case 'item.completed':
        if (kind === 'agent_message' || kind === 'assistant_message') this.takeWords(textAt(item, 'text'));
        if (kind === 'error') taken.instead = textAt(item, 'message');
        break;
      case 'turn.completed':
        this.endTurn();
        taken.measured = updateMeasured(taken.measured, tokensOf(objectAt(event, 'usage') ?? {}));
        break;
      case 'turn.failed':
        this.fail(textAt(objectAt(event, 'error') ?? {}, 'message') ?? this.error);
        break;
      case 'error':
        this.error = textAt(event, 'message');
        break;
    }
  }

  /** One event of the older versions. */
  private takeOldMessage(message: JsonObject): void {
    const type = textAt(message, 'type');
    if (OLD_WORK.includes(type)) this.working = true;
    switch (type) {
      case 'task_started':
        this.beginTurn();
        break;
      case 'agent_message':
        this.takeWords(textAt(message, 'message'));
        break;
      case 'task_complete':
        this.takeWords(textAt(message, 'last_agent_message'));
        this.endTurn();
        break;
      case 'token_count':
        takeOldTokens(message, this.taken);
        break;
      case 'error':
        this.error = textAt(message, 'message');
        break;
      case 'turn_aborted':
        this.error = `aborted: ${textAt(message, 'reason') ?? 'no reason given'}`;
        break;
    }
  }

  private beginTurn(): void {
    this.taken.ended = false;
    this.taken.failure = null;
    this.error = null;
  }

  private takeWords(text: string | null): void {
    if (withInk(text) === null) return;
    this.words = text;
    this.working = false;
    this.taken.doubt = null;
  }

  private endTurn(): void {
    this.taken.ended = true;
    this.taken.failure = null;
    this.working = false;
    this.error = null;
  }

  private fail(said: string | null): void {
    this.taken.ended = true;
    const reason = 'its turn ended with an error';
    this.taken.failure = { reason, said: withInk(said), kind: kindOf(said ?? '') };
  }
}

/** It has no field for the status: it puts it into sentences of its own, which start so. */
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
