import { error, type Issue, IssueCollector, type IssueMeaning, info, issueMaker, warning } from '../issue.js';
import { quoteExcerpt, shorten } from '../text.js';

/** Every issue that a result can have. Errors make it INVALID. */
export const RESULT_ISSUES = {
  'result-empty': error('The result is empty.'),
  'result-too-large': error('The result is larger than 10 MB.'),
  'result-ambiguous': error('The text contains two different results, so neither is used.'),
  'result-not-yaml': error('It is not one valid YAML document.'),
  'result-not-mapping': error('It is not a mapping of `key: value` lines.'),
  'field-missing': error('A required field is missing.'),
  'field-type': error('A required field has the wrong type or no value.'),
  'status-unknown': error('`status` is neither success, failure nor blocked.'),

  'exit-code-not-zero': error('A success has an exit code other than 0.'),
  'done-not-met': error('A success has `done_criteria_met: false`.'),
  'error-not-null': error('A success has an `error`.'),
  'error-null': error('A failure or a blocked task has no `error`.'),
  'done-but-failed': error('A failure has `done_criteria_met: true`.'),
  'files-but-blocked': error('A blocked task lists files that it changed.'),
  'command-but-blocked': error('A blocked task names a verification command.'),

  'task-unknown': error('The task file has no task with this name.'),
  'task-ambiguous': error('More than one task of the file has this name.'),
  'task-not-asked': error('It is about another task than the executor was given.'),

  'result-wrapped': warning('The result was in a fence or between other words; it was extracted.'),
  'text-unquoted': warning('YAML would drop words of this string without quotes; all of it is kept.'),
  'text-escaped': warning(
    'In double quotes YAML reads a backslash and a letter as one character, as in `"C:\\new"`.',
  ),
  'text-ignored': warning('YAML does not read this as a value: a comment after one, an anchor or a tag.'),
  'field-unknown': warning('The schema has no such field; it is kept but not used.'),
  'metadata-missing': warning('Optional metadata is missing.'),
  'metadata-invalid': warning('Metadata has the wrong type or an impossible value; it is ignored.'),
  'error-empty': warning('The `error` of a failure or a blocked task is empty.'),
  'evidence-empty': warning('A success has no evidence.'),
  'done-but-blocked': warning('A blocked task has `done_criteria_met: true`.'),
  unverified: warning('The task has no command in `<verify>`, so the claim cannot be checked.'),
  'command-differs': warning('A success was verified with another command than in `<verify>`.'),
  vacuous: warning('The summary of a success says that no test ran.'),
  'task-folded': warning('The task was found only after folding case, spacing and punctuation.'),
  'task-words-differ': warning('The task was found by its number, but its words differ.'),
  'file-missing': warning('A listed file does not exist.'),
  'file-absolute': warning('A listed path starts at the root of a disk instead of the project.'),
  'file-outside': warning('A listed path leads out of the project.'),
  'file-invalid': warning('A listed path is not a valid path.'),
  'file-unplanned': warning('A listed or changed file is not among the `<files>` of the task.'),
  'file-unclaimed': warning('A file was changed but not listed.'),
  'file-unchanged': warning('A listed file was not changed.'),
  'file-repeated': info('A file is listed twice.'),
} as const satisfies Record<string, IssueMeaning>;

export type ResultIssueCode = keyof typeof RESULT_ISSUES;

/** `field` is where in the result: `verification.exit_code`, `files_modified[0]`; absent where it is about all of it. */
export type ResultIssue = Issue<ResultIssueCode> & { field?: string };

/** The way to a field: `['verification', 'exit_code']`, `['files_modified', 2]`. */
export type FieldPath = readonly (string | number)[];

const LONGEST_NAME = 120;

/** A place is a field, or a line where it is about none. */
export type ResultIssueLog = IssueCollector<ResultIssue, FieldPath | number>;

export function openResultLog(lineOf: (path: FieldPath) => number): ResultIssueLog {
  const placeOf = (where: FieldPath | number) =>
    typeof where === 'number'
      ? { line: where }
      : { line: lineOf(where), ...(where.length > 0 && { field: fieldName(where) }) };
  return new IssueCollector((code, where, message, hint) =>
    resultIssue(code, message, {
      ...(where !== undefined && placeOf(where)),
      ...(hint !== undefined && { hint }),
    }),
  );
}

export const resultIssue = issueMaker<ResultIssue>(RESULT_ISSUES);

/** `files_modified[2]`, `verification.exit_code` */
export function fieldName(path: FieldPath): string {
  const name = path.reduce<string>(
    (before, step) =>
      typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`,
    '',
  );
  return shorten(name, LONGEST_NAME);
}

/** `a`, `a and b`, `a, b, c and 9 more` */
export function listWords<T = string>(
  items: readonly T[],
  say: (item: T) => string = String,
  most = 5,
): string {
  const words = items.slice(0, most).map(say);
  if (items.length > most) return `${words.join(', ')} and ${items.length - most} more`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What a value is, for the sentence "<field> is …". */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string')
    return value === '' ? 'an empty string' : `the string ${quoteExcerpt(value)}`;
  return typeof value === 'object' ? 'a mapping' : String(value);
}
