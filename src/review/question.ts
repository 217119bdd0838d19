import type { Action, Plan, PlanIssue } from '../core/plan/types.js';
import type { Decider } from '../core/report/record.js';

/** Everything that is known before the first question is asked. */
export interface Overview {
  plan: Plan;
  issues: readonly PlanIssue[];
}

/** One thing to decide on. `hash` stands for all of it, what would be changed included. */
export type Question = ActionQuestion | StateQuestion;

export interface ActionQuestion {
  kind: 'action';
  /** 1-based, of `total`. */
  number: number;
  total: number;
  action: Action;
  /** The action was edited by a person, and is shown again. */
  modified: boolean;
  preview: Preview;
  risks: Risk[];
  hash: string;
}

export interface StateQuestion {
  kind: 'state';
  section: 'Active Context' | 'Memos';
  /** The proposed lines, each with its `\n`. */
  changes: string;
  hash: string;
}

/** What the action would do to the files, as they are by now. */
export type Preview =
  /** CREATE and EDIT. `before` is null where there is no file yet. */
  | { kind: 'write'; path: string; before: string | null; after: string; matched: string | null }
  /** It will fail, and why. */
  | { kind: 'doomed'; reasons: string[] }
  /** Nothing that can be shown beforehand. */
  | { kind: 'none' };

export interface Risk {
  kind:
    | 'cut-off'
    | 'overwrite'
    | 'deletes'
    | 'large-diff'
    | 'network'
    | 'agent-guard'
    | 'hidden-characters'
    | 'protected';
  /** A few words, for one line. */
  message: string;
}

export type Answer =
  /** `hash` is that of the question which was answered: nothing else is approved. `reply` is for CHAT_WITH_USER. */
  | { decision: 'approve'; by: Decider; hash: string; reply?: string }
  | { decision: 'skip'; by: Decider; reason: string | null }
  /** This one is skipped, and so is all that follows. */
  | { decision: 'quit'; reason: string | null }
  /** A person changed the action: it is asked about again. */
  | { decision: 'replace'; action: Action };

/**
 * Says yes or no. `settle` answers at once and without a person, or not at all. `ask` waits for a person, and is
 * missing where nobody can be asked. Neither throws.
 */
export interface Reviewer {
  /** Called once, before anything else. */
  begin?(overview: Overview): void;
  settle(question: Question): Answer | undefined;
  ask?(question: Question): Promise<Answer>;
}
