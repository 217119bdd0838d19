import type { Severity } from '../issue.js';

interface IssueMeaning {
  severity: Severity;
  /** One sentence for docs/formats/state.md. */
  meaning: string;
}

/** Every issue that a STATE.md can have. None of them keeps a result from being captured. */
export const STATE_ISSUES = {
  'state-field-added': { severity: 'info', meaning: 'A field was missing and is there now.' },
} as const satisfies Record<string, IssueMeaning>;

export type StateIssueCode = keyof typeof STATE_ISSUES;
