import { countAt, objectAt, objectsAt, sumOf, textAt } from '../../json/members.js';
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
import type { RefusedPiece } from './pieces.js';
import { describeTool } from './progress.js';

export const CODEX: ClientDefinition = {
  command: 'codex exec --json',
  executor: {
    // codex confines itself to the folder, without network.
    args: ['exec', '--json', '--sandbox', 'workspace-write', '--skip-git-repo-check', '-'],
    // That sandbox needs user namespaces, which a confined program cannot create.
    confinedArgs: ['exec', '--json', '--sandbox', 'danger-full-access', '--skip-git-repo-check', '-'],
    schemaArgs: ({ file }) => ['--output-schema', file],
    environment: {},
  },
  isEvent,
  isBareError: (event) => textAt(event, 'type') === 'error' && textAt(event, 'message') !== null,
  openReader: () => new CodexReader(),
  describeEvent,
  refusal: /^(?:Not inside a trusted directory|Error loading config).*$/m,
};

/** Events of a thread; older versions print a `msg` with a task id. */
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

/** Items are shown when they start, and messages when they are complete. */
function describeEvent(event: JsonObject): string | null {
  const item = objectAt(event, 'item') ?? {};
  const kind = textAt(item, 'type');
  switch (textAt(event, 'type')) {
    case 'error':
      return textAt(event, 'message');
    case 'item.completed':
      return kind === 'agent_message' || kind === 'error'
        ? (textAt(item, 'text') ?? textAt(item, 'message'))
        : null;
    case 'item.started':
      if (kind === 'command_execution') return textAt(item, 'command');
      if (kind === 'file_change')
        return objectsAt(item, 'changes')
          .map((change) => `${textAt(change, 'kind')}: ${textAt(change, 'path')}`)
          .join(', ');
      return kind === 'mcp_tool_call'
        ? describeTool(textAt(item, 'tool'), objectAt(item, 'arguments'))
        : null;
    default:
      return null;
  }
}

/** Items that show work between messages; to-do lists and reasoning do not count. */
const WORK: readonly (string | null)[] = [
  ...['command_execution', 'file_change', 'mcp_tool_call', 'collab_tool_call', 'web_search'],
];
const OLD_WORK: readonly (string | null)[] = [
  ...['exec_command_begin', 'patch_apply_begin', 'mcp_tool_call_begin', 'web_search_begin'],
];

/**
 * `codex exec --json` prints one event per line: a thread, its turns, their items, and errors among them. The answer is
 * the last `agent_message`. It reports neither cost nor duration.
 */
class CodexReader implements AnswerReader {
  readonly taken = emptyAnswer();
  /** The agent's last message. */
  private words: string | null = null;
  /** The agent continued working after its last message, so that message is not the answer. */
  private working = false;
  /** An error that may not be final: codex reconnects after a lost connection. */
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
    // `item_type` and `assistant_message` are the names in the first versions.
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

  /** Reads an event of the older versions. */
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
    // What codex remarks before a turn, such as on its settings, is not why the turn has no answer.
    this.taken.instead = null;
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

/** codex has no status field; it starts its messages with these words. */
const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;
const USAGE_LIMIT = /^You['’]ve hit your usage limit\b/;
const TOO_LONG = /^Incomplete response returned, reason: max_output_tokens\b/;

function kindOf(said: string): ClientFailure {
  if (TOO_LONG.test(said)) return 'cut-off';
  const status = STATUS.exec(said)?.[1];
  return USAGE_LIMIT.test(said) ? 'limited' : kindOfStatus(status === undefined ? null : Number(status));
}

/**
 * Totals of the thread, including resumed runs, so the last one counts. Input includes cache reads, output includes
 * reasoning. All zeros means unknown.
 */
function tokensOf(usage: JsonObject): Pick<Measured, 'inputTokens' | 'outputTokens'> {
  const [inputTokens, outputTokens] = [countAt(usage, 'input_tokens'), countAt(usage, 'output_tokens')];
  return inputTokens === 0 && outputTokens === 0
    ? { inputTokens: null, outputTokens: null }
    : { inputTokens, outputTokens };
}

/** Totals are in `info`; older versions report the counts of each request. */
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
