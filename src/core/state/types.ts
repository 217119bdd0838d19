import type { Issue } from '../issue.js';
import type { StateIssueCode } from './issue-codes.js';

export type StateIssue = Issue<StateIssueCode>;

/** What STATE.md is to say. What is undefined is left as it stands. */
export interface StateFacts {
  /** `Phase: 3 of 8 (Name)`: a name that stands there stays as long as the number does. */
  phase?: { number: string; of: number };
  /** `Plan: 1 of 5 in current phase` */
  plan?: { number: string; of: number };
  status?: 'Ready to execute' | 'In progress' | 'Blocked' | 'Phase complete' | 'Complete';
  /** `Last activity: 2026-01-26 - Completed Task 2: …` */
  lastActivity?: { date: string; text: string };
  /** Tasks of all plans. */
  progress?: { done: number; total: number };
  velocity?: { plansCompleted: number; averageMs: number | null; totalMs: number };
  /** In the order of the table; rows of other phases stay. */
  byPhase?: PhaseRow[];
  /** The newest first. */
  recentPlans?: { durationsMs: number[]; trend: Trend };
  blockers?: BlockerChange;
  /** `Last session: 2026-01-26 14:32` and `Stopped at: …` */
  session?: { at: string; stoppedAt: string };
}

export type Trend = 'Improving' | 'Declining' | 'Stable' | 'Not enough data';

export interface PhaseRow {
  phase: string;
  completed: number;
  plans: number;
  /** Null: nothing was measured yet, written as `-`. */
  totalMs: number | null;
  averageMs: number | null;
}

/** The entry of one task under Blockers: put there, or taken away where it is as it was written. */
export type BlockerChange =
  | { change: 'add'; taskId: string; date: string; text: string }
  | { change: 'remove'; taskId: string };

export interface StateEdit {
  text: string;
  issues: StateIssue[];
}

/** What STATE.md says now, as texts; null where the field is not there. */
export interface StateFields {
  phase: string | null;
  plan: string | null;
  status: string | null;
  lastActivity: string | null;
  progress: string | null;
  totalPlansCompleted: string | null;
  averageDuration: string | null;
  totalExecutionTime: string | null;
  byPhase: { phase: string; plans: string; total: string; average: string }[];
  lastPlans: string | null;
  trend: string | null;
  /** The lines under Blockers, without blank ones, comments, rules and a placeholder such as `None yet.` */
  blockers: string[];
  lastSession: string | null;
  stoppedAt: string | null;
}
