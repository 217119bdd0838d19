import { PlanOutline } from '../../core/plan/outline.js';
import { groupDigits, shortenCounted, visibleLine } from '../../core/text.js';
import { monotonicMs } from '../../node/clock.js';
import type { PlanEvent } from '../../sessions/plan-turn.js';
import { sumUp } from '../../sessions/turns/turn.js';
import type { EditorChannel } from './channel.js';

type StepStatus = 'pending' | 'in_progress' | 'completed';

const LONGEST_STEP = 200;
/** Between two looks at a plan that is being written or run: each is the whole list. */
const SHOW_MS = 200;

/** The actions of a plan as the editor lists them. */
export class PlanSteps {
  #steps: { text: string; status: StepStatus }[] = [];
  #shown = '';
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly channel: EditorChannel) {}

  set(texts: readonly string[]): void {
    this.#steps = texts.map((text) => ({
      text: visibleLine(shortenCounted(text, LONGEST_STEP)),
      status: 'pending',
    }));
    this.flush();
  }

  /** `number` counts from 1. */
  mark(number: number, status: StepStatus): void {
    const step = this.#steps[number - 1];
    if (step === undefined || step.status === status) return;
    step.status = status;
    if (monotonicMs() - this.#shownAt >= SHOW_MS) this.flush();
  }

  flush(): void {
    const shown = JSON.stringify(this.#steps);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#shownAt = monotonicMs();
    this.channel.show({ kind: 'steps', steps: this.#steps });
  }
}

/** Shows a plan while the model writes it: its title, and its actions as steps. */
export class PlanNews {
  #outline = new PlanOutline();
  #shown = '';
  #shownAt = Number.NEGATIVE_INFINITY;

  /** `costUsd`: of the session so far, if it is known. */
  constructor(
    private readonly channel: EditorChannel,
    private readonly steps: PlanSteps,
    private readonly budget: number,
    private costUsd: number | null,
  ) {}

  readonly show = (event: PlanEvent): void => {
    switch (event.kind) {
      case 'asking': {
        this.#outline = new PlanOutline();
        const again = event.attempt === 1 ? '' : ` again (attempt ${event.attempt})`;
        this.#think(`Asking ${event.model}${again}: about ${groupDigits(event.inputTokens)} tokens.`);
        break;
      }
      case 'text':
        this.#outline.push(event.text);
        if (monotonicMs() - this.#shownAt >= SHOW_MS) this.#showOutline();
        break;
      case 'waiting':
        this.#think(`${event.reason} Retrying in ${Math.ceil(event.waitMs / 1000)} s.`);
        break;
      case 'answered': {
        this.#showOutline();
        const { outcome, reason, answer } = event.attempt;
        const { tokens, costUsd } = sumUp([event.attempt]);
        if (costUsd !== null) this.costUsd = (this.costUsd ?? 0) + costUsd;
        if (tokens !== null) {
          const used = tokens.input + tokens.output;
          const size = Math.max(this.budget, used);
          this.channel.show({ kind: 'usage', used, size, costUsd: this.costUsd });
        }
        if (outcome === 'refused' || outcome === 'cut-off' || outcome === 'broken-off')
          this.#think(`${REFUSALS[outcome]}${reason === null ? '' : `: ${reason}`} Kept as ${answer}.`);
      }
    }
  };

  #showOutline(): void {
    const { title, actions } = this.#outline;
    const texts = actions.map(({ type, label }) => `${type} ${label ?? ''}`.trimEnd());
    const shown = JSON.stringify([title, texts]);
    if (shown === this.#shown || (title === null && texts.length === 0)) return;
    const isNewTitle = title !== null && !this.#shown.startsWith(JSON.stringify([title]).slice(0, -1));
    this.#shown = shown;
    this.#shownAt = monotonicMs();
    if (isNewTitle) this.#think(`Plan: ${title}`);
    if (texts.length > 0) this.steps.set(texts);
  }

  #think(text: string): void {
    this.channel.show({ kind: 'text', from: 'thought', text: `${visibleLine(text)}\n\n` });
  }
}

const REFUSALS = {
  refused: 'Plan refused; it goes back to the model',
  'cut-off': 'The answer was cut off',
  'broken-off': 'The answer broke off',
};
