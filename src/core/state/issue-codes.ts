import type { Issue, Severity } from '../issue.js';

interface IssueMeaning {
  severity: Severity;
  /** One sentence for docs/formats/state.md. */
  meaning: string;
}

const info = (meaning: string): IssueMeaning => ({ severity: 'info', meaning });
const warning = (meaning: string): IssueMeaning => ({ severity: 'warning', meaning });

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

export function stateIssue(
  code: StateIssueCode,
  message: string,
  where: Pick<Issue, 'line' | 'hint'> = {},
): Issue<StateIssueCode> {
  return { code, severity: STATE_ISSUES[code].severity, message, ...where };
}
