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

export const stateIssue = issueMaker<Issue<StateIssueCode>>(STATE_ISSUES);
