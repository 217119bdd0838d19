import { type Issue, type IssueMeaning, info, issueMaker, warning } from '../issue.js';

/** Every issue that a STATE.md can have. None of them prevents a result from being captured. */
export const STATE_ISSUES = {
  'state-created': info('There was no STATE.md, or it was empty; a new one was written.'),
  'state-section-added': info('A section, a group of fields or a table was missing and was added.'),
  'state-field-added': info('A field was missing and was added.'),
  'state-column-missing': warning('The table By Phase has no such column, so its numbers are not written.'),
  'state-blocker-kept': info(
    'A task is not blocked any more, but there are notes under its entry; the entry stays until you remove it.',
  ),
  'state-text-kept': info(
    'A value said more than its new one has room for; the old text is on the next line, as `Earlier`.',
  ),
} as const satisfies Record<string, IssueMeaning>;

export type StateIssueCode = keyof typeof STATE_ISSUES;

export type StateIssue = Issue<StateIssueCode>;

export const stateIssue = issueMaker<StateIssue>(STATE_ISSUES);

/** The values for STATE.md. An undefined one leaves the file's text alone. */
export interface StateFacts {
  /** `Phase: 3 of 8 (Name)`: a name that is there stays as long as the number does. */
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
