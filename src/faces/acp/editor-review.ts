import {
  readPermissionAnswer,
  readTextForm,
  type ShownCall,
  writePermissionRequest,
  writeTextForm,
} from '../../core/acp/agent-messages.js';
import { ACP_METHODS, type PermissionOption } from '../../core/acp/messages.js';
import { labelAction } from '../../core/plan/actions.js';
import type { Run } from '../../core/report/record.js';
import { shortenCounted, visibleLine } from '../../core/text.js';
import { reportOf } from '../../inbox/proposals.js';
import { monotonicMs } from '../../node/clock.js';
import type {
  ActionQuestion,
  Answer,
  ChangesetOverview,
  Overview,
  Question,
  RerunAnswer,
} from '../../review/question.js';
import type { RunEvent } from '../../runs/events.js';
import { visible } from '../cli/output.js';
import type { ReviewFace } from '../open-review.js';
import type { EditorChannel } from './channel.js';
import type { PlanSteps } from './plan-steps.js';
import { callOf, code, endCall, fenced } from './tool-calls.js';

/** What the user says to a message of the agent. */
export type UserReply = { text: string } | { skip: string | null };

export interface PromptGate {
  /** Resolves once a prompt of the editor is under way: only then can its user be asked. */
  attached(signal: AbortSignal): Promise<void>;
  /** Ends the prompt: the next one is the reply. Undefined once `signal` is aborted. */
  awaitReply(signal: AbortSignal): Promise<UserReply | undefined>;
  cancel(): void;
}

interface Reviewed {
  root: string;
  channel: EditorChannel;
  gate: PromptGate;
  steps: PlanSteps;
}

/** Between two looks at the output of a command. */
const OUTPUT_MS = 500;
const SHOWN_OUTPUT = 4000;

/** Another face has answered, or the user has cancelled: this answer does not count. */
const LEFT = { decision: 'quit', reason: null } as const;

/** Shows the actions of a run as tool calls of an editor, and asks for permission for each. */
export class EditorReview {
  /** How many were skipped, and nobody said why. */
  unexplained = 0;
  readonly #at: Reviewed;
  #run = '';
  /** As they were last shown, by id: writes end in a batch, after the next call has begun. */
  readonly #calls = new Map<string, ShownCall>();
  #output = '';
  #outputAt = 0;

  constructor(at: Reviewed) {
    this.#at = at;
  }

  readonly face: ReviewFace = {
    onRun: (run) => {
      this.#run = run;
      this.#calls.clear();
    },
    onQuestion: (question) => {
      if (!isMessage(question)) this.#show(this.#callOf(question));
    },
    listen: (event) => this.#listen(event),
    person: {
      face: 'editor',
      reviewer: {
        begin: (overview) => ('files' in overview ? this.#beginFiles(overview) : this.#begin(overview)),
        resolve: () => undefined,
        ask: (question, signal) => this.#ask(question, signal!),
        askRerun: (failed, signal) => this.#askRerun(failed.number, failed.attempts, signal!),
      },
    },
  };

  #begin({ plan, issues }: Overview): void {
    const { steps, channel, root } = this.#at;
    steps.set(plan.actions.map((action) => `${action.type} ${labelAction(action)}`));
    const broken = issues.filter(({ severity }) => severity === 'error').length;
    const warning = broken === 0 ? '' : ' Parts of it will fail as they are.';
    const text = `**${escapeTitle(plan.title)}** in ${visibleLine(root)}.${warning}\n\n`;
    channel.show({ kind: 'text', from: 'agent', text });
    if (plan.rationale !== '')
      channel.show({ kind: 'text', from: 'thought', text: `${fenced(plan.rationale)}\n\n` });
  }

  #beginFiles({ title, files, notes }: ChangesetOverview): void {
    const { steps, channel, root } = this.#at;
    steps.set(files.map(({ type, path }) => `${type} ${path}`));
    const lines = [`**${escapeTitle(title)}** in ${visibleLine(root)}.`, ...notes.map(code)];
    channel.show({ kind: 'text', from: 'agent', text: `${lines.join('\n\n')}\n\n` });
  }

  #callOf(question: Question): ShownCall {
    const part = question.kind === 'state' ? partOf(question.section) : question.number;
    return callOf(question, this.#idOf(part), this.#at.root);
  }

  #show(call: ShownCall): void {
    const before = this.#calls.get(call.id);
    this.#calls.set(call.id, call);
    if (before !== undefined && JSON.stringify(call) === JSON.stringify(before)) return;
    this.#at.channel.show({ kind: 'call', call, isNew: before === undefined });
  }

  #idOf(part: string | number): string {
    return `${this.#run}.${part}`;
  }

  async #ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (isMessage(question)) return this.#askMessage(question, signal);
    const call = this.#callOf(question);
    this.#show(call);
    const { hash } = question;
    // With the hash in it, the answer to another question is none to this one.
    const id = (decision: string) => `${decision}:${hash.slice(0, 16)}`;
    const picked = await this.#choose(
      call,
      [
        { id: id('approve'), name: 'Approve', allows: true, always: false },
        { id: id('rest'), name: 'Approve the rest', allows: true, always: true },
        { id: id('skip'), name: 'Skip', allows: false, always: false },
      ],
      signal,
    );
    switch (picked) {
      case id('approve'):
        return { decision: 'approve', by: 'person', hash };
      case id('rest'):
        return { decision: 'approve', by: 'rest', hash };
      case id('skip'):
        return this.#askReason(call, signal);
      default:
        return LEFT;
    }
  }

  async #askReason(call: ShownCall, signal: AbortSignal): Promise<Answer> {
    const { channel } = this.#at;
    const form = { call: call.id, message: `Why skip it? ${call.title}`, title: 'Reason (optional)' };
    const answer = channel.hasForms
      ? await channel.request(ACP_METHODS.form, writeTextForm(channel.session, form), signal)
      : undefined;
    if (signal.aborted) return LEFT;
    const reason = answer?.status === 'result' ? readTextForm(answer.value) : null;
    if (reason === null) this.unexplained += 1;
    return { decision: 'skip', by: 'person', reason };
  }

  /** The message ends the prompt, and the next prompt is the reply. */
  async #askMessage({ action, hash }: ActionQuestion, signal: AbortSignal): Promise<Answer> {
    const { channel, gate } = this.#at;
    if (action.type === 'CHAT_WITH_USER')
      channel.show({ kind: 'text', from: 'agent', text: `${visible(action.message.trim())}\n\n` });
    const reply = await gate.awaitReply(signal);
    if (reply === undefined) return LEFT;
    if ('skip' in reply) return { decision: 'skip', by: 'person', reason: reply.skip };
    return { decision: 'approve', by: 'person', hash, reply: reply.text };
  }

  async #askRerun(number: number, attempts: number, signal: AbortSignal): Promise<RerunAnswer> {
    const call = this.#calls.get(this.#idOf(number)) ?? { ...NO_CALL, id: this.#idOf(number) };
    const id = (decision: string) => `${decision}:${number}.${attempts}`;
    const picked = await this.#choose(
      call,
      [
        { id: id('rerun'), name: 'Run it again', allows: true, always: false },
        { id: id('continue'), name: 'Continue without it', allows: false, always: false },
        { id: id('quit'), name: 'Skip the rest', allows: false, always: true },
      ],
      signal,
    );
    if (picked === id('rerun') || picked === id('continue'))
      return { decision: picked === id('rerun') ? 'rerun' : 'continue' };
    return LEFT;
  }

  /** Asks in the editor. Undefined where it has no answer: another face has it, or the user has cancelled. */
  async #choose(
    call: ShownCall,
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    await this.#at.gate.attached(signal);
    return choose(this.#at.channel, call, options, signal, () => this.#at.gate.cancel());
  }

  #listen(event: RunEvent): void {
    switch (event.kind) {
      case 'action-started': {
        this.#at.steps.mark(event.number, 'in_progress');
        this.#output = '';
        const call = this.#calls.get(this.#idOf(event.number));
        if (call !== undefined) this.#show({ ...call, status: 'in_progress' });
        break;
      }
      case 'output':
        this.#addOutput(event.number, event.text);
        break;
      case 'action-ended': {
        const { number, record, label } = event;
        this.#at.steps.mark(number, 'completed');
        if (record.type === 'CHAT_WITH_USER') break;
        const id = this.#idOf(number);
        const shown = this.#calls.get(id) ?? { ...NO_CALL, id };
        const title = shown.title === '' ? visibleLine(`${record.type} ${label}`) : shown.title;
        this.#show(endCall({ ...shown, title }, record));
        break;
      }
      case 'run-ended':
        if (event.run.kind === 'changeset') this.#endFiles(event.run);
        this.#at.steps.flush();
        break;
      case 'state-changed': {
        const { section, decision, notApplied } = event.record;
        const call = this.#calls.get(this.#idOf(partOf(section)));
        if (call === undefined) break;
        const isDone = decision.status === 'approved' && notApplied.length === 0;
        this.#show({ ...call, status: isDone ? 'completed' : 'failed' });
        break;
      }
    }
  }

  /** All files of an agent land at once. */
  #endFiles({ actions }: Run): void {
    for (const [at, record] of actions.entries()) {
      const shown = this.#calls.get(this.#idOf(at + 1));
      if (shown === undefined) continue;
      this.#at.steps.mark(at + 1, 'completed');
      this.#show(endCall(shown, record));
    }
  }

  /** The end of what a command has printed so far. */
  #addOutput(number: number, text: string): void {
    this.#output = (this.#output + text).slice(-SHOWN_OUTPUT);
    const now = monotonicMs();
    const shown = this.#calls.get(this.#idOf(number));
    if (shown === undefined || now - this.#outputAt < OUTPUT_MS) return;
    this.#outputAt = now;
    const call = { ...shown, text: `${shown.text}\n\n${fenced(this.#output)}` };
    this.#at.channel.show({ kind: 'call', call, isNew: false });
  }
}

const NO_CALL: ShownCall = {
  id: '',
  kind: 'other',
  title: '',
  status: 'pending',
  files: [],
  diff: null,
  text: '',
};

/** A section of the project's state in the id of a call. */
function partOf(section: string): string {
  return section.replace(' ', '-');
}

function isMessage(question: Question): question is ActionQuestion {
  return question.kind === 'action' && question.action.type === 'CHAT_WITH_USER';
}

const LONGEST_REPORT = 200_000;

/** The report as an answer; `unexplained`: how many were skipped without a reason. */
export function describeRun(run: Run, unexplained: number): string {
  const report = visible(reportOf(run));
  const isCut = report.length > LONGEST_REPORT;
  const shown = isCut
    ? `${shortenCounted(report, LONGEST_REPORT)}\n\nAll of it: .teddy/runs/${run.id}/report.md`
    : report;
  if (unexplained === 0) return shown.trimEnd();
  const what = unexplained === 1 ? 'what' : 'some of what';
  return `${shown.trimEnd()}\n\nYou gave no reason for ${what} you skipped. Your next message can.`;
}

/** Shown in bold. */
function escapeTitle(title: string): string {
  return visibleLine(title).replace(/[\\*_`[\]<>!#]/g, '\\$&');
}

/** The id of the option that the user picked; undefined where there is none. */
export async function choose(
  channel: EditorChannel,
  call: ShownCall,
  options: readonly PermissionOption[],
  signal: AbortSignal,
  onCancel: () => void,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const request = writePermissionRequest(channel.session, call, options);
  const answer = await channel.request(ACP_METHODS.permission, request, signal);
  if (signal.aborted) return undefined;
  const picked = answer.status === 'result' ? readPermissionAnswer(answer.value) : undefined;
  if (options.some((option) => option.id === picked)) return picked!;
  if (picked === null) {
    onCancel();
    return undefined;
  }
  const why = answer.status === 'error' ? `: ${shortenCounted(answer.message, 200)}` : '';
  const text = `Your editor has not asked you${visibleLine(why)}. Answer with \`teddy inbox\` in a terminal, or on the page (\`teddy web\`).\n\n`;
  channel.show({ kind: 'text', from: 'agent', text });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return undefined;
}
