import type { Run } from '../../../../core/report/record.js';
import { UserError } from '../../../../node/errors.js';
import { onSignals } from '../../../../node/terminal/terminal.js';
import type { PlanTurnEnd } from '../../../../sessions/plan-turn.js';
import { endsInReply, meaningOfEmpty, openLastTurn } from '../../../../sessions/sessions.js';
import { type Look, visible, visibleLine } from '../../output.js';
import { markdownLines } from '../../review/markdown-lines.js';
import { BLANK, foreign, type Line, say } from '../../terminal/line.js';

import type { Screen } from '../../terminal/screen.js';
import type { TypedText } from '../../terminal/text-area.js';
import { readSlash, runSlash, type SlashRead } from './chat-commands.js';
import { askMessage } from './message-prompt.js';
import { askBeyondBudget, askModel, describePlanEnd, type PlanOptions } from './plan.js';
import { PlanNarrator } from './plan-narrator.js';
import { runTurnPlan, type SessionAtWork } from './session-turn.js';

type Step =
  | { kind: 'prompt' }
  /** Null lets the agent continue without a message. */
  | { kind: 'ask'; message: string | null }
  | { kind: 'review' }
  | { kind: 'leave'; code: number };

const PROMPT: Step = { kind: 'prompt' };

/**
 * One conversation: message, plan, review, result, next message. All of its state is on disk, in the session's last turn,
 * so that it continues at the same point however it ended.
 */
export class ChatLoop {
  readonly #screen: Screen;
  readonly #history: string[];
  /** `/model` changes these. */
  readonly #options: PlanOptions;
  #at: SessionAtWork;

  constructor(screen: Screen, at: SessionAtWork, options: PlanOptions) {
    this.#screen = screen;
    this.#at = at;
    this.#options = { ...options };
    this.#history = at.sessions.metas(at.session).flatMap(({ message }) => message ?? []);
  }

  async run(): Promise<number> {
    this.#screen.openKeyboard();
    this.#say('/help lists the commands; everything else you type goes to the agent.');
    const { message } = this.#options;
    let step: Step = message === undefined ? this.#resume() : { kind: 'ask', message };
    for (;;) {
      switch (step.kind) {
        case 'prompt':
          step = await this.#prompt();
          break;
        case 'ask':
          step = await this.#explain(this.#ask(step.message));
          break;
        case 'review':
          step = await this.#explain(this.#review());
          break;
        case 'leave':
          return step.code;
      }
    }
  }

  /** The first step of a resumed session. */
  #resume(): Step {
    const { turn, sessions } = this.#at;
    if (turn.stage === 'planned') {
      this.#say(`${visibleLine(turn.folder)} has a plan to review.`);
      return { kind: 'review' };
    }
    const last = sessions.agentMessages(turn).at(-1);
    if (last?.reply === null) this.#showMessage(last.text);
    return PROMPT;
  }

  async #prompt(): Promise<Step> {
    const { turn, sessions } = this.#at;
    const whenEmpty = meaningOfEmpty(sessions, turn);
    let text = sessions.leftMessage(turn) ?? sessions.unansweredMessage(turn) ?? '';
    let isLeaving = false;
    for (;;) {
      this.#screen.print([BLANK]);
      const typed: TypedText = await askMessage(this.#screen, this.#at, {
        enter: { review: 'send (empty: review the plan)', ask: 'send (empty: just continue)', none: 'send' }[
          whenEmpty
        ],
        esc: null,
        text,
        history: this.#history,
      });
      text = typed.text;
      if (typed.status === 'ended') return this.#leave(text);
      if (typed.status === 'interrupted') {
        if (isLeaving) return this.#leave('');
        if (text === '') return this.#leave('');
        isLeaving = true;
        this.#say('Press Ctrl-C again to leave. What you typed is kept.');
        continue;
      }
      isLeaving = false;
      const slash = readSlash(text);
      if (slash.kind === 'message' && slash.text !== '') return { kind: 'ask', message: slash.text };
      if (slash.kind === 'message') {
        if (whenEmpty === 'review') return { kind: 'review' };
        if (whenEmpty === 'ask') return { kind: 'ask', message: null };
      } else if (slash.kind === 'unknown') this.#say(slash.sentence);
      else {
        if (!this.#history.includes(text)) this.#history.push(text);
        text = '';
        await sessions.keepMessage(turn, '');
        if (slash.name === 'quit') return this.#leave('', 0);
        const done = runSlash(slash, this.#screen, this.#at, this.#options);
        await this.#explain(done.then(() => PROMPT));
      }
    }
  }

  /** Asks the model. Meanwhile, only Ctrl-C is handled. */
  async #ask(message: string | null): Promise<Step> {
    if (message !== null) {
      this.#history.push(message);
      this.#screen.print(quoteLines(message, this.#screen.look));
    }
    const narrator = new PlanNarrator(this.#options, this.#screen);
    const over = new AbortController();
    let end: PlanTurnEnd;
    try {
      end = await askModel(this.#at, message, this.#options, {
        interrupts: (interrupt) => {
          void this.#listen(over.signal, () => interrupt('SIGINT'));
          return onSignals(interrupt);
        },
        mayPassBudget: (reached) => {
          narrator.end();
          return this.#screen.lend(() => askBeyondBudget(reached, this.#at.project.root, this.#options));
        },
        emit: (event) => narrator.show(event),
      });
    } finally {
      narrator.end();
      over.abort();
    }
    this.#at = { ...this.#at, turn: end.turn };
    // Later turns have their own agent.
    delete this.#options.agent;
    // The review shows the issues.
    if (end.status === 'planned') return { kind: 'review' };
    if (end.status === 'message') this.#showMessage(end.text);
    else {
      const lines = describePlanEnd(end, this.#options);
      if (lines.length > 0) this.#screen.printText(lines.join('\n'));
    }
    return PROMPT;
  }

  async #listen(over: AbortSignal, interrupt: () => void): Promise<void> {
    const { keyboard } = this.#screen;
    await keyboard.within(over, async () => {
      while (!over.aborted) {
        const input = await keyboard.key();
        if (input.kind === 'ended') return interrupt();
        if (input.kind !== 'key') continue;
        if (input.key.name === 'ctrl-c') interrupt();
        if (input.key.name === 'ctrl-z') keyboard.suspend();
      }
    });
  }

  async #review(): Promise<Step> {
    let done: Run | undefined;
    let isLeaving = false;
    await this.#screen.lend(() =>
      runTurnPlan(
        this.#at,
        {
          ...this.#options,
          session: this.#at.session,
          copy: false,
          undoHint: '/undo',
          readReply: async (typed, screen) => {
            const slash = readSlash(typed);
            if (slash.kind === 'message') return { kind: 'reply', text: slash.text };
            isLeaving = slash.kind === 'slash' && slash.name === 'quit';
            if (isLeaving) return { kind: 'leave' };
            return { kind: 'command', text: await this.#runInReview(slash, typed, screen) };
          },
        },
        {
          describe: (run) => {
            done = run;
            return run.actions.length === 1 && endsInReply(run) ? null : '';
          },
        },
      ),
    );
    const { project, sessions, session } = this.#at;
    const turn = await openLastTurn(project.workspace, sessions, session);
    this.#at = { ...this.#at, turn };
    if (turn.stage === 'planned') this.#say('The plan is still waiting for your review.');
    if (isLeaving) return this.#leave('', 0);
    return done !== undefined && endsInReply(done) ? { kind: 'ask', message: null } : PROMPT;
  }

  /** Runs a command that was typed as a reply. Returns the text to continue with. */
  async #runInReview(
    slash: Exclude<SlashRead, { kind: 'message' }>,
    typed: string,
    screen: Screen,
  ): Promise<string> {
    const refuse = (text: string) => screen.print([say(text, 'dim', 0)]);
    if (slash.kind === 'unknown') {
      refuse(slash.sentence);
      return typed;
    }
    // Undo waits for the run to which this question belongs.
    if (slash.name === 'undo') refuse('/undo works at the next message, once this plan has ended.');
    else {
      try {
        await runSlash(slash, screen, this.#at, this.#options);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        screen.printText(visible(error.message));
      }
    }
    return '';
  }

  /** Errors are printed, and the conversation continues with the next prompt. */
  async #explain(work: Promise<Step>): Promise<Step> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#screen.printText(visible(error.message));
      return PROMPT;
    }
  }

  #showMessage(text: string): void {
    const { look } = this.#screen;
    const { agent } = this.#at.turn.meta;
    this.#screen.print([
      BLANK,
      say(`${visibleLine(agent)} writes:`, 'strong', 0),
      ...markdownLines(text.trimEnd(), look),
    ]);
  }

  #leave(draft: string, code = 130): Step {
    const kept = draft === '' ? '' : ' What you typed is kept.';
    this.#say(`teddy chat continues this conversation (session ${visibleLine(this.#at.session)}).${kept}`);
    return { kind: 'leave', code };
  }

  #say(text: string): void {
    this.#screen.print([say(text, 'dim', 0)]);
  }
}

function quoteLines(message: string, look: Look): Line[] {
  const lead = [{ text: '> ' }];
  return message
    .split('\n')
    .map((line): Line => ({ lead, more: lead, spans: foreign(line, look), wrap: 'words' }));
}
