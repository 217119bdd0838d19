import type { Action } from '../core/plan/types.js';
import type { Answer, Overview, Question } from './question.js';

/** 'Approve the rest', whichever face the user said it in. It covers the actions that the plan listed, as they were. */
export class RestApproval {
  #overview: Overview | undefined;
  #approval: { lost: AbortSignal | undefined } | undefined;

  begin(overview: Overview): void {
    this.#overview = overview;
  }

  /** `lost` is aborted where another face answered the question first: then this does not count. */
  set(isApproved: boolean, lost?: AbortSignal): void {
    this.#approval = isApproved ? { lost } : undefined;
  }

  /** An action that was edited since is asked about, and so is every message. */
  resolve(question: Question): Answer | undefined {
    if (this.#approval === undefined || this.#approval.lost?.aborted) return undefined;
    if (question.kind === 'action') {
      const listed = this.#overview?.plan.actions[question.number - 1];
      if (question.action.type === 'CHAT_WITH_USER' || listed === undefined) return undefined;
      if (!sameAction(listed, question.action)) return undefined;
    }
    return { decision: 'approve', by: 'rest', hash: question.hash };
  }
}

/** Whether two actions do the same, wherever they are in a plan. */
export function sameAction(one: Action, other: Action): boolean {
  const bare = (action: Action) =>
    JSON.stringify(action, (name, value: unknown) => (name === 'line' ? undefined : value));
  return bare(one) === bare(other);
}
