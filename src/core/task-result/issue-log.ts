import { IssueCollector, issueMaker } from '../issue.js';
import { quoteExcerpt, shorten } from '../shorten.js';
import { RESULT_ISSUES } from './issue-codes.js';
import type { FieldPath, ResultIssue } from './types.js';

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
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quoteExcerpt(value)}`;
  return typeof value === 'object' ? 'a mapping' : String(value);
}
