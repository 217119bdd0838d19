import type { Action, Plan, PlanIssue } from '../core/plan/types.js';
import type { Decider, LineComment } from '../core/report/record.js';
import type { Risk } from './risks.js';

/** Everything that is known before the first question is asked. */
export interface Overview {
  plan: Plan;
  issues: readonly PlanIssue[];
  /** What each action would do, if all before it succeed. */
  previews: readonly Preview[];
  /** The run that is continued, and what succeeded in it: that is not asked about or run again. */
  continued?: ContinuedRun | undefined;
}

interface ContinuedRun {
  run: string;
  /** By the number of the action, from 1. */
  actions: Pick<ReadonlySet<number>, 'has'>;
  stateChanges: Pick<ReadonlySet<StateQuestion['section']>, 'has'>;
}

/** One thing to decide on. `hash` covers all of it, including what would change. */
export type Question = ActionQuestion | StateQuestion;

export interface ActionQuestion {
  kind: 'action';
  /** 1-based, of `total`. */
  number: number;
  total: number;
  action: Action;
  /** The user edited the action, so it is shown again. */
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
  /** It will fail, for these reasons. */
  | { kind: 'will-fail'; reasons: string[] }
  /** Nothing can be shown beforehand. */
  | { kind: 'none' };

export type Answer =
  /** `hash` is that of the question answered: nothing else is approved. `reply` is for CHAT_WITH_USER. */
  | {
      decision: 'approve';
      by: Decider;
      hash: string;
      reply?: string;
      keep?: HunkChoice;
      comments?: LineComment[];
    }
  | { decision: 'skip'; by: Decider; reason: string | null; comments?: LineComment[] }
  /** This one and everything after it is skipped. */
  | { decision: 'quit'; reason: string | null }
  /** The user changed the action: it is shown and asked about again. */
  | { decision: 'replace'; action: Action }
  /** The user wants to decide again on the action or state change before this one. */
  | { decision: 'back' };

/** The hunks to write of those that the question's write has (`diffHunks`): its hash covers their ids. */
export interface HunkChoice {
  ids: readonly string[];
  /** Why others were dropped, by id. */
  reasons: Readonly<Record<string, string>>;
}

/** A command that failed, and that the user can run again. */
export interface FailedCommand {
  number: number;
  total: number;
  action: Action;
  /** How often it ran. */
  attempts: number;
}

export type RerunAnswer = { decision: 'rerun' | 'continue' } | { decision: 'quit'; reason: string | null };

/**
 * Decides. `resolve` answers at once without the user, or not at all. `ask` waits for the user, and is missing where
 * there is no terminal. Neither throws.
 */
export interface Reviewer {
  /** Called once, before anything else. */
  begin?(overview: Overview): void;
  resolve(question: Question): Answer | undefined;
  /** Once `signal` is aborted, another face has answered: it returns soon, and what it returns does not count. */
  ask?(question: Question, signal?: AbortSignal): Promise<Answer>;
  /** Asked after a command failed that the user had approved. */
  askRerun?(failed: FailedCommand, signal?: AbortSignal): Promise<RerunAnswer>;
}
