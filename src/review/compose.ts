import type { Policy } from '../config/types.js';
import { hasEffect } from '../core/plan/actions.js';
import type { Action, Plan } from '../core/plan/types.js';
import { Jail } from '../workspace/jail.js';
import { type Decisions, decisionsReviewer } from './decisions.js';
import { denialReviewer, type PolicyFacts, policyReviewer, readsReviewer } from './policy.js';
import type {
  ActionQuestion,
  Answer,
  ChangesetOverview,
  Overview,
  Question,
  Reviewer,
  StateQuestion,
} from './question.js';

/** Yes to everything. A CHAT_WITH_USER is approved without a reply. */
export function yesReviewer(): Reviewer {
  return { resolve: ({ hash }) => ({ decision: 'approve', by: 'yes', hash }) };
}

/** 'Approve the rest', whichever face the user said it in. It covers the actions that the plan listed, as they were. */
export class RestApproval {
  #overview: Overview | ChangesetOverview | undefined;
  #approval: { lost: AbortSignal | undefined } | undefined;

  begin(overview: Overview | ChangesetOverview): void {
    this.#overview = overview;
  }

  /** `lost` is aborted where another face answered the question first: then this does not count. */
  set(isApproved: boolean, lost?: AbortSignal): void {
    this.#approval = isApproved ? { lost } : undefined;
  }

  /** An action that was edited since is asked about, and so is every message. */
  resolve(question: Question): Answer | undefined {
    if (this.#approval === undefined || this.#approval.lost?.aborted) return undefined;
    const overview = this.#overview;
    if (question.kind === 'file') {
      const listed = overview && 'files' in overview ? overview.files[question.number - 1] : undefined;
      if (listed?.hash !== question.hash) return undefined;
    }
    if (question.kind === 'action') {
      const listed = overview && 'plan' in overview ? overview.plan.actions[question.number - 1] : undefined;
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

/** The first reviewer with an answer decides. The first one that can ask the user asks. */
export function composeReviewers(...all: readonly Reviewer[]): Reviewer {
  const person = all.find(({ ask }) => ask !== undefined);
  return {
    begin(overview) {
      for (const reviewer of all) reviewer.begin?.(overview);
    },
    resolve(question) {
      for (const reviewer of all) {
        const answer = reviewer.resolve(question);
        if (answer) return answer;
      }
      return undefined;
    },
    ...(person && { ask: (question) => person.ask!(question) }),
    ...(person?.askRerun && { askRerun: (failed) => person.askRerun!(failed) }),
  };
}

export interface Reviewing extends PolicyFacts {
  policy: Policy;
  decisions?: Decisions | undefined;
  /** With `review.reads: allow`, the files that git does not ignore. */
  readable?: ReadonlySet<string> | undefined;
  /** `--yes` */
  yes?: boolean | undefined;
  /** The user at the terminal. */
  person?: Reviewer | undefined;
}

/** In order of precedence: a deny, the decisions file, an allow, allowed reads, `--yes`, the user. */
export function chooseReviewer({ policy, decisions, readable, yes, person, ...facts }: Reviewing): Reviewer {
  const hasRules = policy.rules.length > 0;
  return composeReviewers(
    ...(hasRules ? [denialReviewer(policy, facts)] : []),
    ...(decisions ? [decisionsReviewer(decisions)] : []),
    ...(hasRules ? [policyReviewer(policy, facts)] : []),
    ...(readable ? [readsReviewer(policy, readable, facts)] : []),
    ...(yes ? [yesReviewer()] : []),
    ...(person ? [person] : []),
  );
}

/**
 * What is decided without asking. No file, no rule and no `--yes` approves a file that was cut off, where the user must
 * see where it ends, or takes sides in a conflict.
 */
export function resolveQuestion(reviewer: Reviewer, question: Question): Answer | undefined {
  const answer = reviewer.resolve(question);
  return answer?.decision === 'approve' && isOnlyForUser(question) ? undefined : answer;
}

function isOnlyForUser(question: Question): boolean {
  if (question.kind === 'file') return question.conflict !== null;
  return question.kind === 'action' && question.action.type === 'CREATE' && question.action.cutOff === true;
}

export type Unresolved =
  | { kind: 'action'; number: number; type: Plan['actions'][number]['type'] }
  | { kind: 'state'; section: StateQuestion['section'] };

/**
 * What a plan would ask the user, in its order, known before anything runs; empty where the user can be asked.
 * A CHAT_WITH_USER is never among them: without a terminal it is skipped, and stops nothing.
 */
export function findUnresolved(reviewer: Reviewer, plan: Plan): Unresolved[] {
  if (reviewer.ask) return [];
  const questions: (StateQuestion | ActionQuestion)[] = [...stateQuestions(plan), ...actionQuestions(plan)];
  return questions.flatMap((question): Unresolved[] => {
    if (question.kind === 'action' && hasEffect(question.action, 'asks')) return [];
    if (resolveQuestion(reviewer, question)) return [];
    return question.kind === 'action'
      ? [{ kind: 'action', number: question.number, type: question.action.type }]
      : [{ kind: 'state', section: question.section }];
  });
}

/** Without a preview: reviewers that answer without the user do not look at it. */
function actionQuestions({ actions }: Plan): ActionQuestion[] {
  return actions.map((action, index) => ({
    kind: 'action',
    number: index + 1,
    total: actions.length,
    action,
    modified: false,
    preview: { kind: 'none' },
    risks: [],
    hash: '',
  }));
}

function stateQuestions({ activeContext, memos }: Plan): StateQuestion[] {
  const sections: StateQuestion['section'][] = [];
  if (activeContext.length > 0) sections.push('Active Context');
  if (memos.length > 0) sections.push('Memos');
  return sections.map((section) => ({ kind: 'state', section, changes: '', hash: '' }));
}

/** Where a path of a plan really leads, for a policy: links resolved, relative to the root. Never throws. */
export function resolvePathIn(root: string): (path: string) => string | undefined {
  return (path) => {
    let jail: Jail | undefined;
    try {
      jail = new Jail(root);
      const located = jail.locate(path, { purpose: 'read' });
      return located.status === 'inside' ? located.place.path : undefined;
    } catch {
      return undefined;
    } finally {
      jail?.close();
    }
  };
}
