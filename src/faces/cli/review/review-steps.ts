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

  before(question: Question): Step | undefined {
    if (question.kind === 'file') return question.number > 1 ? question.number - 1 : undefined;
    if (this.#plan === undefined) return undefined;
    const steps: Step[] = [...sectionsOf(this.#plan), ...this.#plan.actions.map((_, i) => i + 1)];
    const step = question.kind === 'action' ? question.number : question.section;
    return steps[steps.indexOf(step) - 1];
  }

  /**
   * Why the step before this question cannot be decided again, as a sentence; undefined if it can. Only steps without an
   * effect can: effects are undone after the review.
   */
  refuseBack(question: Question): string | undefined {
    // Of an agent's changes nothing has landed yet.
    if (question.kind === 'file') return undefined;
    const step = this.before(question)!;
    const record = this.#ended.get(step);
    if (record && canDecideAgain(record)) return undefined;
    const isDone = record === undefined || record.decision.status === 'approved';
    if (typeof step !== 'number')
      return isDone
        ? `The change to ${step} was already made; teddy undo reverts it after the review.`
        : `The change to ${step} was not your decision, so it cannot be decided again.`;
    const name = `Action ${step} (${this.#plan!.actions[step - 1]!.type})`;
    return isDone
      ? `${name} has already run; teddy undo reverts file changes after the review.`
      : `${name} was not your decision, so it cannot be decided again.`;
  }
}

export function sectionsOf(plan: Plan): StateChangeRecord['section'][] {
  return writeStateChanges(plan).map(({ section }) => section);
}
