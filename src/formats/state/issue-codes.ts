import type { Issue, Severity } from '../issue.js';

interface IssueMeaning {
  severity: Severity;
  /** One sentence for docs/formats/state.md. */
  meaning: string;
}

const info = (meaning: string): IssueMeaning => ({ severity: 'info', meaning });
const warning = (meaning: string): IssueMeaning => ({ severity: 'warning', meaning });

/** Every issue that a STATE.md can have. None of them keeps a result from being captured. */
export const STATE_ISSUES = {
  'state-created': info('There was no STATE.md, or an empty one; a new one was written.'),
  'state-section-added': info('A section, a group of fields or a table was missing and is there now.'),
  'state-field-added': info('A field was missing and is there now.'),
  'state-column-missing': warning('The table By Phase lacks a column, so its numbers are written nowhere.'),
  'state-blocker-kept': info(
    'The blocker of a task is over, but people wrote lines under its entry; the entry stays for them to remove.',
  ),
  'state-text-kept': info(
    'A field held words of a person; they stay, behind the new value or in a line named `Earlier` below it.',
  ),
} as const satisfies Record<string, IssueMeaning>;

export type StateIssueCode = keyof typeof STATE_ISSUES;

export function stateIssue(
  code: StateIssueCode,
  message: string,
  where: Pick<Issue, 'line' | 'hint'> = {},
): Issue<StateIssueCode> {
  return { code, severity: STATE_ISSUES[code].severity, message, ...where };
}
