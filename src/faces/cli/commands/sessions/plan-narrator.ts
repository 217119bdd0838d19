import { PlanOutline } from '../../../../core/plan/outline.js';
import { groupDigits } from '../../../../core/text.js';
import { isTerminal, writeError } from '../../../../node/terminal/terminal.js';
import { tokensOf } from '../../../../sessions/context/input-parts.js';
import type { PlanEvent } from '../../../../sessions/plan-turn.js';
import type { PlanAttempt } from '../../../../sessions/turns/turn.js';
import { type GlobalOptions, type Paint, paintFor, visible, visibleLine } from '../../output.js';
import { foreignLine, type Line, prose } from '../../terminal/line.js';
import { type Headway, type ProgressLine, startProgress } from '../../terminal/progress-line.js';
import type { Screen } from '../../terminal/screen.js';
import { accountLines, leftOutLines } from './context.js';

/** Rows of the screen that a plan's outline leaves free. */
const ROOM = 6;

/**
 * Shows what happens while a model is asked: the title and the actions of the plan as they arrive, how much has come and
 * how long it has taken. Without a screen it writes to standard error; where that is not a terminal, only what stays.
 */
export class PlanNarrator {
  readonly #paint: Paint;
  readonly #options: GlobalOptions;
  readonly #screen: Screen | undefined;
  readonly #isLive = isTerminal('stderr');
  #progress: ProgressLine | undefined;
  #outline = new PlanOutline();
  #length = 0;
  #model = '';

  constructor(options: GlobalOptions, screen?: Screen) {
    this.#options = options;
    this.#screen = screen;
    this.#paint = paintFor('stderr', options);
  }

  show(event: PlanEvent): void {
    switch (event.kind) {
      case 'assembling':
        this.#show('Reading the context', { done: event.done, of: event.of, unit: 'files' });
        break;
      case 'assembled': {
        const isWhole = this.#isLive && this.#screen === undefined;
        if (isWhole || event.input.leftOut.length > 0)
          this.print((isWhole ? accountLines : leftOutLines)(event.input, this.#paint).join('\n'));
        break;
      }
      case 'asking': {
        this.#endProgress();
        this.#outline = new PlanOutline();
        this.#length = 0;
        this.#model = event.model;
        const again = event.attempt === 1 ? '' : ` again (attempt ${event.attempt})`;
        const words = `Asking ${visibleLine(event.model)}${again}: about ${groupDigits(event.inputTokens)} tokens`;
        if (this.#screen === undefined) this.print(`${words} …`);
        this.#show(words);
        break;
      }
      case 'text':
        this.#length += event.text.length;
        this.#outline.push(event.text);
        this.#show(this.#describeOutline(), { done: tokensOf(this.#length), unit: 'tokens' });
        break;
      case 'waiting':
        this.print(
          this.#paint('yellow', `${visible(event.reason)} Retrying in ${Math.ceil(event.waitMs / 1000)} s.`),
        );
        break;
      case 'answered':
        // The end explains an empty answer, and a conversation shows messages itself.
        if (event.attempt.answer !== null && !(this.#screen && event.attempt.outcome === 'message'))
          this.print(describeAttempt(event.attempt, event.pricesOf, this.#paint));
        break;
    }
  }

  /** Prints permanent lines above the progress. */
  print(text: string): void {
    if (this.#screen !== undefined) this.#screen.printText(text);
    else (this.#progress?.print ?? writeError)(`${text}\n`);
  }

  end(): void {
    this.#endProgress();
  }

  #endProgress(): void {
    this.#progress?.end();
    this.#progress = undefined;
  }

  #show(what: string, headway?: Headway): void {
    const screen = this.#screen;
    const draw = screen && ((line: Line | undefined) => screen.drawFoot(this.#rows(screen, line)));
    this.#progress ??= startProgress(what, { color: this.#options.color, draw });
    this.#progress.update(what, headway);
  }

  /** The outline is above if there is a screen; a single line has room only for the last action. */
  #describeOutline(): string {
    const model = visibleLine(this.#model);
    const last = this.#outline.actions.at(-1);
    if (this.#screen !== undefined || last === undefined) return `${model} is writing`;
    return `${model} is writing: ${last.type} ${last.label ?? ''}`.trimEnd();
  }

  #rows(screen: Screen, line: Line | undefined): string[] {
    if (line === undefined) return [];
    const { look } = screen;
    const { title, actions } = this.#outline;
    const lines = actions.map(({ type, label }) =>
      prose([{ text: type.padEnd(8), style: 'strong' }, ...foreignLine(` ${label ?? ''}`, look)], 4),
    );
    const shown = lines.slice(-Math.max(1, screen.height - ROOM));
    const hidden = lines.length - shown.length;
    return [
      ...(title === null ? [] : [prose(foreignLine(title, look, 'title'))]),
      ...(hidden === 0 ? [] : [prose([{ text: `${look.glyphs.dots} ${hidden} more`, style: 'dim' }], 4)]),
      ...shown,
      line,
    ].map((each) => screen.row(each));
  }
}

function describeAttempt(
  { answer, outcome, reason, tokens, costUsd }: PlanAttempt,
  pricesOf: string | undefined,
  paint: Paint,
): string {
  const size =
    tokens === null ? [] : [`${groupDigits(tokens.input)} tokens in, ${groupDigits(tokens.output)} out`];
  const estimate = pricesOf === undefined ? '' : ` at prices of ${pricesOf}`;
  const cost = costUsd === null ? [] : [`$${costUsd.toFixed(4)}${estimate}`];
  const facts = [...size, ...cost].join(', ');
  const head = paint(outcome === 'passed' ? 'green' : 'yellow', OUTCOMES[outcome]);
  const why = reason === null || outcome === 'interrupted' ? '' : `: ${visible(reason).replace(/\.$/, '')}`;
  return `${head}${facts === '' ? '' : ` (${facts})`}${why}; saved as ${answer}.`;
}

const OUTCOMES: Record<PlanAttempt['outcome'], string> = {
  passed: 'Plan received',
  refused: 'Plan refused',
  message: 'Message received instead of a plan',
  'cut-off': 'The answer was cut off',
  'broken-off': 'The answer broke off',
  interrupted: 'Stopped',
  replaced: 'Replaced',
};
