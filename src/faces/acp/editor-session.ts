import type { EditorUpdate } from '../../core/acp/agent-messages.js';
import type { StopReason } from '../../core/acp/messages.js';
import { foldText, shorten, visibleLine } from '../../core/text.js';
import { UserError } from '../../node/errors.js';
import { environmentVariables, writeError } from '../../node/terminal/terminal.js';
import { Milestone } from '../../orchestrate/concurrency.js';
import { type BudgetReached, describeBudget, requireModel } from '../../sessions/plan-turn.js';
import { recoverRuns } from '../../sessions/recover-runs.js';
import { inSession, meaningOfEmpty, newSession } from '../../sessions/sessions.js';
import { Sessions } from '../../sessions/turns/sessions.js';
import { sumUp, type Turn } from '../../sessions/turns/turn.js';
import type { Workspace } from '../../workspace/workspace.js';
import { visible } from '../cli/output.js';
import { isProjectTrusted, requireTrustedConfig } from '../cli/project.js';
import { type ConversationEnd, converse, explainNoPlan, type SessionConversation } from '../conversation.js';
import { converseWithAgent, nextOfAgent, type WrappedAgent } from './agent-conversation.js';
import type { EditorChannel } from './channel.js';
import { listRunsInEditor, type PromptRead, readPrompt, undoInEditor } from './editor-commands.js';
import { choose, describeRun, EditorReview, type PromptGate, type UserReply } from './editor-review.js';
import { PlanNews, PlanSteps } from './plan-steps.js';
import { fenced } from './tool-calls.js';

interface PromptUnderWay {
  ended: Milestone<StopReason>;
  isCancelled: boolean;
}

const LONGEST_TITLE = 80;

/**
 * One session of an editor, which is a session of teddy with the same name. Its state is on disk, in the session's last
 * turn: whatever ends the process, the session continues at the same point.
 */
export class EditorSession {
  readonly #workspace: Workspace;
  readonly #channel: EditorChannel;
  readonly #agent: WrappedAgent | undefined;
  #prompt: PromptUnderWay | undefined;
  /** A conversation continues after its prompt has ended: it waits for a reply, or for another face. */
  #work: Promise<void> | undefined;
  #interrupt: AbortController | undefined;
  #attached = new Milestone();
  #reply: Milestone<UserReply> | undefined;
  /** Sent while a plan was under review in another face. */
  #next: string | undefined;

  /** `agent`: it works in place of the model. */
  constructor(workspace: Workspace, channel: EditorChannel, agent: WrappedAgent | undefined) {
    this.#workspace = workspace;
    this.#channel = channel;
    this.#agent = agent;
  }

  get isBusy(): boolean {
    return this.#prompt !== undefined;
  }

  get isWorking(): boolean {
    return this.#work !== undefined;
  }

  /** Resolves once the prompt is answered; throws nothing that the user can do something about. */
  async prompt(text: string): Promise<StopReason> {
    const prompt: PromptUnderWay = { ended: new Milestone(), isCancelled: false };
    this.#prompt = prompt;
    this.#attached.reach();
    this.#take(readPrompt(text)).catch((error) => {
      this.#explain(error);
      this.#endPrompt();
    });
    const stop = await prompt.ended.reached;
    return prompt.isCancelled ? 'cancelled' : stop;
  }

  /** Stops the model or the review. All that was decided, typed and received stays. */
  cancel(): void {
    if (this.#prompt) this.#prompt.isCancelled = true;
    this.#interrupt?.abort();
  }

  async close(): Promise<void> {
    this.cancel();
    await this.#work;
  }

  #endPrompt(): void {
    const prompt = this.#prompt;
    this.#prompt = undefined;
    this.#attached = new Milestone();
    prompt?.ended.reach('done');
  }

  async #take(prompt: PromptRead): Promise<void> {
    if (prompt.kind === 'unknown') return this.#answer(prompt.sentence);
    if (prompt.kind === 'message') return this.#takeMessage(prompt.text);
    switch (prompt.name) {
      case 'runs':
        return this.#answer(fenced(listRunsInEditor(this.#workspace)));
      case 'undo':
        if (this.#work) return this.#answer('/undo works once this plan has ended.');
        return this.#answer(fenced(await undoInEditor(this.#workspace, prompt.argument)));
      case 'skip': {
        if (this.#reply === undefined) return this.#answer('No question waits for a reply.');
        const reason = prompt.argument.trim();
        this.#reply.reach({ skip: reason === '' ? null : reason });
        return;
      }
      case 'resume':
        if (this.#reply) return this.#answer('The agent waits for your reply: write it, or /skip.');
        // A conversation that continues is attached to this prompt by now.
        if (this.#work === undefined) this.#start(null);
        return;
    }
  }

  async #takeMessage(text: string): Promise<void> {
    if (!/\S/.test(text)) return this.#answer('The message is empty. Say what you want.');
    if (this.#reply) {
      this.#reply.reach({ text: text.trimEnd() });
      return;
    }
    // What is still under review comes first, and can be answered here from now on.
    if (this.#work) this.#next = text;
    else this.#start(text);
  }

  #answer(text: string): void {
    this.#say(text);
    this.#endPrompt();
  }

  #start(message: string | null): void {
    const interrupt = new AbortController();
    if (this.#prompt?.isCancelled) interrupt.abort();
    this.#interrupt = interrupt;
    this.#work = this.#converse(message, interrupt)
      .catch((error) => this.#explain(error))
      .finally(() => this.#endWork());
  }

  #endWork(): void {
    const next = this.#next;
    this.#next = undefined;
    this.#work = undefined;
    this.#interrupt = undefined;
    if (next === undefined) this.#endPrompt();
    else if (!this.#prompt?.isCancelled) this.#start(next);
    else this.#answer('Your last message was not sent to the agent: send it again.');
  }

  async #converse(message: string | null, interrupt: AbortController): Promise<void> {
    const workspace = this.#workspace;
    const { session } = this.#channel;
    if (!(await isProjectTrusted({ root: workspace.root, workspace })))
      throw new UserError(
        `This project is not trusted yet. Run \`teddy trust\` in a terminal in ${workspace.root}.`,
      );
    const trusted = await requireTrustedConfig({ root: workspace.root, workspace });
    const sessions = new Sessions(workspace);
    const isNew = !sessions.names().includes(session);
    const agent = this.#agent;
    if (message !== null && agent === undefined) requireModel(trusted.config, environmentVariables());
    if (isNew) await newSession(workspace, sessions, session);
    if (isNew && message !== null)
      this.#show({ kind: 'title', title: visibleLine(shorten(foldText(message), LONGEST_TITLE)) });
    const recover = () => recoverDead(workspace);
    await inSession(workspace, sessions, session, recover, async (turn) => {
      const meaning = () => (agent ? nextOfAgent(workspace, sessions, turn) : meaningOfEmpty(sessions, turn));
      const next = message === null ? meaning() : 'ask';
      if (next === 'none') return this.#say('Nothing waits here. Say what you want.');
      if (message !== null) await sessions.keepMessage(turn, message);
      await sessions.useSession(session);
      const at = { workspace, sessions, ...trusted, turn, interrupt };
      if (agent === undefined) return this.#continue(at, next, message);
      const gate = this.#gate(interrupt);
      await converseWithAgent({ ...at, agent, channel: this.#channel, gate }, next, message);
    });
  }

  async #continue(at: SessionConversation, next: 'ask' | 'review', message: string | null): Promise<void> {
    const { sessions, config, turn, interrupt } = at;
    const { session } = turn.meta;
    const steps = new PlanSteps(this.#channel);
    const review = new EditorReview({
      root: at.workspace.root,
      channel: this.#channel,
      gate: this.#gate(interrupt),
      steps,
    });
    const { costUsd } = sumUp(sessions.metas(session).flatMap(({ attempts }) => attempts));
    const news = new PlanNews(this.#channel, steps, config.context.budget, costUsd);
    const end = await converse(at, next, message, {
      emit: news.show,
      mayPassBudget: (reached) => this.#askBudget(reached, interrupt),
      review: review.face,
    });
    await this.#conclude(end, sessions.lastTurn(session), review.unexplained);
  }

  #gate(interrupt: AbortController): PromptGate {
    return {
      attached: async (signal) => {
        if (this.#prompt) return;
        await Promise.race([this.#attached.reached, abortOf(signal)]);
      },
      awaitReply: async (signal) => {
        const reply = new Milestone<UserReply>();
        this.#reply = reply;
        this.#endPrompt();
        const given = await Promise.race([reply.reached, abortOf(signal)]);
        this.#reply = undefined;
        return given ?? undefined;
      },
      cancel: () => {
        if (this.#prompt) this.#prompt.isCancelled = true;
        interrupt.abort();
      },
    };
  }

  async #askBudget(reached: BudgetReached, interrupt: AbortController): Promise<boolean | undefined> {
    const call = {
      id: `budget-${reached.spentUsd}`,
      kind: 'other' as const,
      status: 'pending' as const,
      title: 'Continue beyond the budget?',
      files: [],
      diff: null,
      text: describeBudget(reached),
    };
    this.#show({ kind: 'call', call, isNew: true });
    const options = [
      { id: 'continue', name: 'Continue this turn', allows: true, always: false },
      { id: 'stop', name: 'Stop here', allows: false, always: false },
    ];
    const onCancel = () => this.#gate(interrupt).cancel();
    const picked = await choose(this.#channel, call, options, interrupt.signal, onCancel);
    const status = picked === 'continue' ? 'completed' : 'failed';
    this.#show({ kind: 'call', call: { ...call, status }, isNew: false });
    return picked === undefined ? undefined : picked === 'continue';
  }

  async #conclude(end: ConversationEnd, turn: Turn, unexplained: number): Promise<void> {
    if (end.status === 'message') return this.#say(visible(end.text.trimEnd()));
    if (end.status !== 'reviewed') {
      const issues = 'issues' in end ? end.issues.filter(({ severity }) => severity === 'error') : [];
      const lines = issues.map(({ message }) => `- ${visible(message)}`);
      const reason = explainNoPlan(end) ?? ('reason' in end ? end.reason : '');
      return this.#say([visible(reason), ...lines].join('\n'));
    }
    if (turn.stage === 'planned') return this.#say(WAITING);
    this.#say(describeRun(end.run, unexplained));
  }

  #explain(error: unknown): void {
    const message = visible(error instanceof Error ? error.message : String(error));
    const isExpected = error instanceof UserError;
    if (!isExpected) writeError(`teddy acp: unexpected error: ${message}\n`);
    this.#say(isExpected ? message : `This is a bug in teddy: ${message}`);
  }

  #say(text: string): void {
    this.#show({ kind: 'text', from: 'agent', text: `${text}\n\n` });
  }

  #show(update: EditorUpdate): void {
    this.#channel.show(update);
  }
}

export const WAITING =
  'The plan is still waiting for your review: /resume continues it, and any other message asks for another plan.';

/** Ends the runs of processes that died. */
export async function recoverDead(workspace: Workspace): Promise<void> {
  if (!workspace.isUnfinished()) return;
  await recoverRuns(workspace);
}

function abortOf(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
