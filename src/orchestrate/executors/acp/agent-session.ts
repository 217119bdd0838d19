import { type RpcAnswer, RpcConnection, type RpcPeer, type RpcReply } from '../../../core/acp/connection.js';
import {
  ACP_ERRORS,
  ACP_METHODS,
  FORM_CANCELLED,
  type FormRequest,
  type PermissionRequest,
  readForm,
  readInitialized,
  readNewSession,
  readPermission,
  readTurnEnd,
  readUpdate,
  type StopReason,
  writeCancel,
  writeForm,
  writeInitialize,
  writeNewSession,
  writePermission,
  writePromptTurn,
} from '../../../core/acp/messages.js';
import { containsResult } from '../../../core/agent-report/clients/client.js';
import type { JsonObject, JsonValue } from '../../../core/json/values.js';
import type { Taken } from '../../../core/taken.js';
import { RESULT_LIMIT } from '../../../core/task-result/read.js';
import { MB } from '../../../node/files.js';
import type { Usage } from '../types.js';

/** What the user and their policy say to what an agent asks for. */
export interface AgentJudge {
  /** `refused`: why it is refused, as whole sentences; null if no reason is known. */
  decide(
    request: PermissionRequest,
    signal: AbortSignal,
  ): Promise<{
    option: PermissionRequest['options'][number] | null;
    refused?: { title: string; reason: string | null };
  }>;
  /** Null if the user does not want to answer. */
  fill(form: FormRequest, signal: AbortSignal): Promise<JsonObject | null>;
}

/** Why there is no answer. `reason` completes the sentence "It …", without the full stop. */
type TalkFailure = { kind: 'unusable' | 'crashed'; reason: string };

export type TalkEnd =
  | { status: 'answered'; text: string }
  | { status: 'failed'; failure: TalkFailure }
  /** The agent is gone, or the connection was closed. `during`: what it had to do. */
  | { status: 'gone'; during: string };

interface SessionOptions {
  cwd: string;
  judge: AgentJudge;
  /** How the agent gets what is sent. */
  peer: Pick<RpcPeer, 'send' | 'unread'>;
  /** What it shows of its work: text as it comes, and whole lines. */
  onText(text: string): void;
  onWork(line: string): void;
  onCost(costUsd: number): void;
  /** It cannot go on: `reason` completes the sentence "It …". */
  onBroken(reason: string): void;
}

/** How often the reasons of refusals are sent after a turn. */
const MOST_TURNS = 10;

/** One session with an agent: it gets a prompt, and its last message is the answer. */
export class AgentSession {
  readonly usage: Usage = { inputTokens: null, outputTokens: null, costUsd: null };
  /** A sentence for everything that was refused. */
  readonly remarks: string[] = [];
  private readonly connection: RpcConnection;
  /** Aborted outside a turn: no one is asked then. */
  private turnOver = new AbortController();
  private session: string | undefined;
  private messages: string[] = [];
  private messageId: string | null = null;
  private isMessageOpen = false;
  private size = 0;
  /** Reasons that the agent has not got yet. */
  private reasons: string[] = [];

  constructor(private readonly options: SessionOptions) {
    this.connection = new RpcConnection({
      ...options.peer,
      onNotification: (method, params) => this.take(method, params),
      onRequest: (method, params) => this.reply(method, params),
      onNoise: (line) => options.onWork(line),
      onBroken: (reason) => options.onBroken(reason),
    });
  }

  /** It has no session yet. */
  get isStarting(): boolean {
    return this.session === undefined;
  }

  /** A piece of the agent's output. */
  receive(text: string): void {
    this.connection.receive(text);
  }

  /** Never rejects. */
  async run(prompt: string): Promise<TalkEnd> {
    const initialized = await this.ask(ACP_METHODS.initialize, writeInitialize(), readInitialized, true);
    if (initialized.status !== 'ok') return initialized.end;
    const { logins } = initialized.value;
    const opened = await this.ask(
      ACP_METHODS.newSession,
      writeNewSession(this.options.cwd),
      readNewSession,
      true,
      logins,
    );
    if (opened.status !== 'ok') return opened.end;
    this.session = opened.value;
    return this.talk(prompt, logins);
  }

  /** Asks the agent to stop, and answers what it still asks for. */
  cancel(): void {
    this.turnOver.abort();
    if (this.session !== undefined) this.connection.notify(ACP_METHODS.cancel, writeCancel(this.session));
  }

  close(): void {
    this.turnOver.abort();
    this.connection.close();
  }

  private async talk(prompt: string, logins: readonly string[]): Promise<TalkEnd> {
    let text = prompt;
    for (let turn = 1; ; turn++) {
      this.messages = [];
      this.isMessageOpen = false;
      const asked = writePromptTurn(this.session!, text);
      const turnOver = new AbortController();
      this.turnOver = turnOver;
      const ended = await this.ask(ACP_METHODS.prompt, asked, readTurnEnd, false, logins, () =>
        turnOver.abort(),
      );
      if (ended.status !== 'ok') return ended.end;
      const { stop, tokens } = ended.value;
      this.usage.inputTokens = addUp(this.usage.inputTokens, tokens.inputTokens);
      this.usage.outputTokens = addUp(this.usage.outputTokens, tokens.outputTokens);
      const reasons = this.reasons.splice(0);
      if (reasons.length === 0 || turn === MOST_TURNS) return this.conclude(stop);
      text = writeReasons(reasons);
    }
  }

  private conclude(stop: StopReason): TalkEnd {
    if (stop !== 'done') return { status: 'failed', failure: { kind: 'crashed', reason: STOPPED[stop] } };
    const text = this.messages.findLast(containsResult) ?? this.messages.findLast((each) => /\S/.test(each));
    if (text !== undefined) return { status: 'answered', text };
    return { status: 'failed', failure: { kind: 'crashed', reason: 'ended its turn without a message' } };
  }

  private async ask<T>(
    method: string,
    params: JsonObject,
    read: (answer: JsonValue) => Taken<T>,
    isSetUp: boolean,
    logins: readonly string[] = [],
    onAnswered?: () => void,
  ): Promise<{ status: 'ok'; value: T } | { status: 'not-ok'; end: TalkEnd }> {
    const answer = await this.connection.request(method, params, onAnswered);
    if (answer.status === 'closed') return { status: 'not-ok', end: { status: 'gone', during: method } };
    if (answer.status === 'result') {
      const taken = read(answer.value);
      if (taken.status === 'ok') return taken;
      const kind = method === ACP_METHODS.initialize ? 'unusable' : 'crashed';
      return { status: 'not-ok', end: { status: 'failed', failure: { kind, reason: taken.reason } } };
    }
    return {
      status: 'not-ok',
      end: { status: 'failed', failure: describeError(method, answer, isSetUp, logins) },
    };
  }

  private take(method: string, params: JsonValue): void {
    if (method !== ACP_METHODS.update) return;
    const read = readUpdate(params);
    if (read === undefined || read.session !== this.session) return;
    const { update } = read;
    switch (update.kind) {
      case 'text':
        this.addText(update.text, update.message);
        break;
      case 'work':
        this.isMessageOpen = false;
        if (update.line !== null) this.options.onWork(update.line);
        break;
      case 'cost':
        this.usage.costUsd = update.costUsd;
        this.options.onCost(update.costUsd);
        break;
    }
  }

  /** A message ends where the agent works, or begins another. */
  private addText(text: string, message: string | null): void {
    this.size += text.length;
    if (this.size > RESULT_LIMIT) {
      this.options.onBroken(`sent messages of more than ${RESULT_LIMIT / MB} MB together`);
      return;
    }
    const continues = this.isMessageOpen && message === this.messageId;
    if (continues) this.messages[this.messages.length - 1] += text;
    else this.messages.push(text);
    this.isMessageOpen = true;
    this.messageId = message;
    this.options.onText(text);
  }

  private reply(method: string, params: JsonValue): Promise<RpcReply> | undefined {
    if (method === ACP_METHODS.permission) return this.permit(params);
    if (method === ACP_METHODS.form) return this.fill(params);
    return undefined;
  }

  private async permit(params: JsonValue): Promise<RpcReply> {
    this.isMessageOpen = false;
    const request = readPermission(params);
    if (request === undefined) return INVALID;
    if (request.session !== this.session) return UNKNOWN_SESSION;
    const { signal } = this.turnOver;
    if (signal.aborted) return { result: writePermission(null) };
    const { option, refused } = await this.options.judge.decide(request, signal);
    // What is decided after the end is not done.
    if (signal.aborted) return { result: writePermission(null) };
    if (refused) {
      const { title, reason } = refused;
      this.remarks.push(`Refused: ${title}${reason === null ? '.' : ` (${reason})`}`);
      if (reason !== null) this.reasons.push(`${title}: ${reason}`);
    }
    return { result: writePermission(option) };
  }

  private async fill(params: JsonValue): Promise<RpcReply> {
    const form = readForm(params);
    if (form === undefined) return INVALID;
    if (form.session !== null && form.session !== this.session) return UNKNOWN_SESSION;
    const { signal } = this.turnOver;
    if (signal.aborted) return { result: FORM_CANCELLED };
    const content = await this.options.judge.fill(form, signal);
    return { result: signal.aborted ? FORM_CANCELLED : writeForm(content) };
  }
}

function addUp(before: number | null, more: number | null): number | null {
  return more === null ? before : (before ?? 0) + more;
}

const INVALID: RpcReply = {
  error: { code: ACP_ERRORS.invalidParams, message: 'teddy cannot read the parameters of this request.' },
};
const UNKNOWN_SESSION: RpcReply = {
  error: { code: ACP_ERRORS.invalidParams, message: 'There is no such session.' },
};

const STOPPED: Readonly<Record<Exclude<StopReason, 'done'>, string>> = {
  refused: 'refused the task',
  'cut-off': 'reached its own limit of tokens or requests before it was done',
  cancelled: 'cancelled its turn by itself',
};

/** An agent gets no reason with a refusal, so it is the next prompt. */
function writeReasons(reasons: readonly string[]): string {
  return `Some of what you asked for was refused, for these reasons:

${reasons.map((reason) => `- ${reason.replaceAll('\n', '\n  ')}`).join('\n')}

Take them into account and finish the task. Then print its result again, complete and as the last thing.
`;
}

function describeError(
  method: string,
  { code, message }: Extract<RpcAnswer, { status: 'error' }>,
  isSetUp: boolean,
  logins: readonly string[],
): TalkFailure {
  if (code === ACP_ERRORS.authRequired) {
    const how = logins.length === 0 ? '' : ` (it offers: ${logins.join(', ')})`;
    return { kind: 'unusable', reason: `is not logged in: ${message}${how}` };
  }
  return { kind: isSetUp ? 'unusable' : 'crashed', reason: `answered ${method} with an error: ${message}` };
}
