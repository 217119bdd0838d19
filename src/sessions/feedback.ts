import type { Issue } from '../core/issue.js';

const MOST_ISSUES = 30;

/** What a model is told of a plan of its own that was refused. Lines are those of its answer. */
export function describeRefused(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const more = errors.length - MOST_ISSUES;
  return [
    'Your plan was refused, and nothing of it was done. What has to be mended (lines are those of your answer):',
    '',
    ...errors.slice(0, MOST_ISSUES).map(describeIssue),
    ...(more > 0 ? [`- and ${more} more of these.`] : []),
    '',
    'Write the whole plan again, with all of this mended. Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

function describeIssue({ code, message, line, action, hint }: Issue): string {
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(action === undefined ? [] : [`action ${action}`]),
  ].join(', ');
  const text = `${place === '' ? '' : `${place}: `}${message} (${code})${hint === undefined ? '' : `\nHint: ${hint}`}`;
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

/** The same for a plan that nobody objects to but the person, who wants another. */
export function describeUnwanted(): string {
  return [
    'This plan was not carried out: the user wants another one in its place. What they say stands under Message, the latest at its end.',
    'Write a whole plan that does what they say. Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

/** The same for an answer that was cut off; `reason` says where. */
export function describeCutOff(reason: string): string {
  return [
    `Your answer was cut off: ${reason} A plan that was cut off is not carried out, not even in part.`,
    'Write a shorter plan: fewer actions, smaller edits. What does not fit can follow in the next turn.',
    'Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

/** The first of the errors, in one line, and how many more there are. */
export function summarizeErrors(issues: readonly Pick<Issue, 'severity' | 'message'>[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${errors[0]?.message.split('\n', 1)[0] ?? 'It was refused.'}${more}`;
}
