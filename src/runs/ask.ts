import type { Action } from '../core/plan/types.js';
import type { Decider } from '../core/report/record.js';
import {
  type ActionQuestion,
  type Answer,
  type Question,
  type Reviewer,
  settleQuestion,
} from '../review/question.js';

/** Why something is not done, and who says so. */
export interface Refusal {
  by: Decider;
  reason: string | null;
}

export type Approval = Extract<Answer, { decision: 'approve' }>;

/** An action as it was decided on: the planned one, or what a person made of it. */
export interface AskedAction {
  action: Action;
  modified: boolean;
  /** A person answered, having seen all that was done before. */
  asked: boolean;
  question: ActionQuestion;
  answer: Approval | ({ decision: 'skip' | 'quit' } & Refusal);
}

export interface Asking {
  reviewer: Reviewer;
  /** The question as the files are now. */
  propose(action: Action, modified: boolean): ActionQuestion;
  /** Done before a person is asked: they see what was done so far. */
  beforePerson(): Promise<void>;
}

const NOBODY_TO_ASK: Refusal = { by: 'teddy', reason: 'Not run: nobody to ask.' };
export const NO_TERMINAL_TO_ANSWER: Refusal = { by: 'teddy', reason: 'Not run: no terminal to answer in.' };

/** Asks about an action until it is decided on. An edited one is asked about again, as it is then. */
export async function askAboutAction(planned: Action, asking: Asking): Promise<AskedAction> {
  let action = planned;
  for (;;) {
    const modified = action !== planned;
    let question = asking.propose(action, modified);
    let answer = settleQuestion(asking.reviewer, question);
    // Whoever would say yes to an edited action has not seen it; a no stands.
    if (modified && answer?.decision !== 'skip') answer = undefined;
    const asked = !answer && asking.reviewer.ask !== undefined;
    if (!answer && asking.reviewer.ask) {
      await asking.beforePerson();
      question = asking.propose(action, modified);
      answer = await asking.reviewer.ask(question);
    }
    if (answer?.decision === 'replace') {
      action = { ...answer.action, line: planned.line, metadata: planned.metadata };
      continue;
    }
    const nobody = action.type === 'CHAT_WITH_USER' ? NO_TERMINAL_TO_ANSWER : NOBODY_TO_ASK;
    return { action, modified, asked, question, answer: toAnswer(answer, nobody) };
  }
}

/** The same for what nobody can edit. */
export async function askAboutState(question: Question, reviewer: Reviewer): Promise<AskedAction['answer']> {
  const answer = reviewer.settle(question) ?? (await reviewer.ask?.(question));
  return toAnswer(answer?.decision === 'replace' ? undefined : answer, NOBODY_TO_ASK);
}

function toAnswer(
  answer: Exclude<Answer, { decision: 'replace' }> | undefined,
  nobody: Refusal,
): AskedAction['answer'] {
  if (!answer) return { decision: 'skip', ...nobody };
  return answer.decision === 'quit' ? { ...answer, by: 'person' } : answer;
}
