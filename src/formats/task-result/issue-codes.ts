import type { Severity } from '../issue.js';

interface IssueMeaning {
  severity: Severity;
  /** One sentence for docs/formats/task-result.md. */
  meaning: string;
}

/** Every issue that a result can have. Errors make it INVALID. */
export const RESULT_ISSUES = {
  'result-empty': { severity: 'error', meaning: 'There is nothing in it.' },
} as const satisfies Record<string, IssueMeaning>;

export type ResultIssueCode = keyof typeof RESULT_ISSUES;
