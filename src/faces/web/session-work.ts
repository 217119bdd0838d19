import type { Config } from '../../config/types.js';
import { PlanOutline } from '../../core/plan/outline.js';
import type { NextMessage } from '../../inbox/inbox.js';
import { hashTurn } from '../../inbox/session-questions.js';
import { monotonicMs } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { sha256 } from '../../node/ids.js';
import { environmentVariables } from '../../node/terminal/terminal.js';
import { type PlanEvent, requireModel } from '../../sessions/plan-turn.js';
import { recoverRuns } from '../../sessions/recover-runs.js';
import { inSession, meaningOfEmpty } from '../../sessions/sessions.js';
import { Sessions } from '../../sessions/turns/sessions.js';
import type { Turn } from '../../sessions/turns/turn.js';
import { converse, explainNoPlan, hasModel, type SessionConversation } from '../conversation.js';
import type { SessionState } from './api.js';
import type { EventHub } from './events.js';
import { ApiProblem } from './requests.js';
import type { WebProject } from './web-project.js';

/** Between two lines about an answer that arrives. */
const LINE_MS = 250;

/**
 * Continues sessions from the page, with the code of `teddy chat`: saves the message, asks the model, and lets every
 * face of this user review the plan. A message counts only for the state of the session that the page has shown.
 */
export class SessionWork {
  readonly #project: WebProject;
  readonly #hub: EventHub;
  /** How many messages each session got from this server: a message that left no other trace counts, too. */
  readonly #sent = new Map<string, number>();
  readonly #problems = new Map<string, string>();
  /** The runs under way, by session. */
  readonly #runs = new Map<string, string>();
  readonly #interrupts = new Map<string, AbortController>();
  readonly #works = new Set<Promise<void>>();
  #isClosed = false;

  constructor(project: WebProject, hub: EventHub) {
    this.#project = project;
    this.#hub = hub;
  }

  /** What the page needs to send the next message. Throws `UserError` where the last turn cannot be read. */
  describe(session: string, config: Config | undefined): SessionState {
    const sessions = new Sessions(this.#project.workspace);
    const turn = sessions.lastTurn(session);
    const isBusy = sessions.isLive(session);
    return {
      hash: this.#hashOf(turn),
      canSend: config !== undefined && hasModel(config),
      whenEmpty: meaningOfEmpty(sessions, turn),
      isBusy,
      unsent: isBusy ? null : (sessions.leftMessage(turn) ?? null),
      reviewing: this.#runs.get(session) ?? null,
      problem: this.#problems.get(session) ?? null,
    };
  }

  /** A message to the state of the session that `describe` gave this hash. */
  async send(session: string, { hash, text }: { hash: string; text: string }): Promise<void> {
    const isShown = (turn: Turn) => hash === this.#hashOf(turn);
    await this.continue(session, { text, isShown, beyondBudget: false });
  }

  /** Resolves once the message is on disk, or the review has started; everything else follows by itself. */
  async continue(session: string, { text, isShown, beyondBudget }: NextMessage): Promise<void> {
    const { workspace, isTrusted, requireTrusted } = this.#project;
    if (!(await isTrusted()))
      throw new UserError('This project is not trusted yet. Run `teddy trust` in a terminal first.');
    const trusted = await requireTrusted();
    const sessions = new Sessions(workspace);
    if (this.#isClosed) throw new UserError('The server is stopping.');
    const message = /\S/.test(text) ? text : null;
    const interrupt = new AbortController();
    return new Promise<void>((accept, refuse) => {
      const work = inSession(
        workspace,
        sessions,
        session,
        () => this.#recover(),
        async (turn) => {
          const next = message === null ? meaningOfEmpty(sessions, turn) : 'ask';
          if (!isShown(turn)) throw new ApiProblem(409, 'The session has changed. Look at it again.');
          if (next === 'none') throw new ApiProblem(400, 'Write a message first.');
          if (next === 'ask') requireModel(trusted.config, environmentVariables());
          if (message !== null) await sessions.keepMessage(turn, message);
          await sessions.useSession(session);
          this.#sent.set(session, (this.#sent.get(session) ?? 0) + 1);
          this.#problems.delete(session);
          this.#interrupts.set(session, interrupt);
          accept();
          const at = { workspace, sessions, ...trusted, turn, interrupt };
          await this.#converse(at, next, message, beyondBudget).catch((error) =>
            this.#explain(session, error),
          );
          this.#interrupts.delete(session);
        },
      )
        .catch(refuse)
        .finally(() => {
          this.#works.delete(work);
          this.#hub.send({ type: 'changed', what: 'sessions' });
          this.#hub.send({ type: 'changed', what: 'inbox' });
        });
      this.#works.add(work);
    });
  }

  /** Stops the model or the review of a session. False where this server does not work in it. */
  stop(session: string): boolean {
    const interrupt = this.#interrupts.get(session);
    interrupt?.abort();
    return interrupt !== undefined;
  }

  /** Interrupts everything; all of it can be continued later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const interrupt of this.#interrupts.values()) interrupt.abort();
    await Promise.allSettled(this.#works);
  }

  #hashOf(turn: Turn): string {
    return sha256(`${hashTurn(turn)} ${this.#sent.get(turn.meta.session) ?? 0}`);
  }

  async #recover(): Promise<void> {
    const { workspace } = this.#project;
    if (workspace.isUnfinished()) await recoverRuns(workspace);
  }

  /** The user allows more than the budget for one turn only. */
  async #converse(at: SessionConversation, first: 'ask' | 'review', said: string | null, isLifted: boolean) {
    const { session } = at.turn.meta;
    let beyondBudget = isLifted;
    const narrator = new PlanLines((line) =>
      this.#hub.send({ type: 'planning', session, line, done: false }),
    );
    try {
      const end = await converse(at, first, said, {
        emit: (event) => narrator.show(event),
        mayPassBudget: async () => beyondBudget || undefined,
        onPlanned: () => {
          beyondBudget = false;
          this.#hub.send({ type: 'planning', session, line: '', done: true });
        },
        review: {
          onRun: (run) => {
            this.#runs.set(session, run);
            this.#hub.send({ type: 'changed', what: 'sessions' });
          },
          listen: ({ kind }) => {
            if (kind === 'run-ended') this.#runs.delete(session);
          },
        },
      });
      if (end.status !== 'reviewed') this.#explain(session, explainNoPlan(end));
    } finally {
      this.#runs.delete(session);
    }
  }

  #explain(session: string, problem: unknown): void {
    const sentence = problem instanceof Error ? problem.message : problem;
    if (typeof sentence === 'string') this.#problems.set(session, sentence);
  }
}

/** What happens while a model is asked, in one line that changes a few times in a second. */
class PlanLines {
  #outline = new PlanOutline();
  #length = 0;
  #model = '';
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly send: (line: string) => void) {}

  show(event: PlanEvent): void {
    switch (event.kind) {
      case 'assembling':
        this.#sendSoon(`Reading the context: ${event.done} of ${event.of} files`);
        break;
      case 'asking': {
        this.#outline = new PlanOutline();
        this.#length = 0;
        this.#model = event.model;
        const again = event.attempt === 1 ? '' : ` again (attempt ${event.attempt})`;
        this.send(`Asking ${event.model}${again}`);
        break;
      }
      case 'text': {
        this.#length += event.text.length;
        this.#outline.push(event.text);
        const last = this.#outline.actions.at(-1);
        const what = last === undefined ? '' : `: ${last.type} ${last.label ?? ''}`.trimEnd();
        const size = `${this.#length.toLocaleString('en')} characters`;
        this.#sendSoon(`${this.#model} is writing${what} (${size})`);
        break;
      }
      case 'waiting':
        this.send(`${event.reason} Retrying in ${Math.ceil(event.waitMs / 1000)} s.`);
    }
  }

  #sendSoon(line: string): void {
    const now = monotonicMs();
    if (now - this.#shownAt < LINE_MS) return;
    this.#shownAt = now;
    this.send(line);
  }
}
