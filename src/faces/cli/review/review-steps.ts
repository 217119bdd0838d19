import { writeStateChanges } from '../../../core/plan/state-changes.js';
import type { Plan } from '../../../core/plan/types.js';
import type { ActionRecord, StateChangeRecord } from '../../../core/report/record.js';
import type { Question } from '../../../review/question.js';
import { canDecideAgain } from '../../../runs/run-record.js';

/** An action's number, or a section. */
type Step = number | StateChangeRecord['section'];

/** The steps of a plan in the order in which they are asked about, and how each ended. */
export class ReviewSteps {
  #plan: Plan | undefined;
  readonly #ended = new Map<Step, ActionRecord | StateChangeRecord>();

  begin(plan: Plan): void {
    this.#plan = plan;
  }

  noteEnd(step: Step, record: ActionRecord | StateChangeRecord): void {
    this.#ended.set(step, record);
  }

  /**
   * Whether the step before this question can be decided again. Only steps without an effect can: effects are undone after
   * the review.
   */
  canGoBack(question: Question): boolean {
    // Of an agent's changes nothing has landed yet.
    if (question.kind === 'file') return question.number > 1;
    if (this.#plan === undefined) return false;
    const steps: Step[] = [...sectionsOf(this.#plan), ...this.#plan.actions.map((_, i) => i + 1)];
    const step = question.kind === 'action' ? question.number : question.section;
    const record = this.#ended.get(steps[steps.indexOf(step) - 1]!);
    return record !== undefined && canDecideAgain(record);
  }
}

export function sectionsOf(plan: Plan): StateChangeRecord['section'][] {
  return writeStateChanges(plan).map(({ section }) => section);
}
