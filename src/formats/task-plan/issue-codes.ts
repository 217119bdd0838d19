import type { Severity } from '../issue.js';

interface IssueMeaning {
  severity: Severity;
  /** One sentence for docs/formats/task-plan.md. */
  meaning: string;
}

/** Every issue that a PLAN.md can have. */
export const TASK_PLAN_ISSUES = {
  'tasks-missing': {
    severity: 'error',
    meaning: 'The plan holds neither `<task>` elements nor checkboxes that begin `Task N:`.',
  },
} as const satisfies Record<string, IssueMeaning>;

export type TaskPlanIssueCode = keyof typeof TASK_PLAN_ISSUES;
