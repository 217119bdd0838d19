import { RESULT_ISSUES, type ResultIssueCode } from './issue-codes.js';
import type { FieldPath, ResultIssue } from './types.js';

/** Of one code; how many more there are is said in one issue. */
const MOST_OF_A_CODE = 20;
const LONGEST_NAME = 120;

/** Collects issues, each with its field and the line on which that stands. */
export class ResultIssueLog {
  private readonly found: ResultIssue[] = [];
  private readonly counts = new Map<ResultIssueCode, number>();

  constructor(private readonly lineOf: (path: FieldPath) => number) {}

  /** `where` is a field, or a line where it is about none. */
  add(code: ResultIssueCode, where: FieldPath | number, message: string, hint?: string): void {
    const count = (this.counts.get(code) ?? 0) + 1;
    this.counts.set(code, count);
    if (count > MOST_OF_A_CODE) return;
    this.found.push(
      resultIssue(code, message, {
        ...(typeof where === 'number'
          ? { line: where }
          : { line: this.lineOf(where), ...(where.length > 0 && { field: fieldName(where) }) }),
        ...(hint !== undefined && { hint }),
      }),
    );
  }

  get issues(): ResultIssue[] {
    const unsaid = [...this.counts].filter(([, count]) => count > MOST_OF_A_CODE);
    return [
      ...this.found,
      ...unsaid.map(([code, count]) =>
        resultIssue(code, `There are ${count - MOST_OF_A_CODE} more issues like this one.`),
      ),
    ];
  }
}

export function resultIssue(
  code: ResultIssueCode,
  message: string,
  more: Pick<ResultIssue, 'line' | 'field' | 'hint'> = {},
): ResultIssue {
  return { code, severity: RESULT_ISSUES[code].severity, message, ...more };
}

/** `files_modified[2]`, `verification.exit_code` */
export function fieldName(path: FieldPath): string {
  const name = path.reduce<string>(
    (before, step) =>
      typeof step === 'number' ? `${before}[${step}]` : before === '' ? step : `${before}.${step}`,
    '',
  );
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

const LONGEST = 120;

/** A text of somebody else within a sentence of ours: in quotes, on one line, and not without end. */
export function quoteValue(text: string): string {
  if (text.length <= LONGEST) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, LONGEST))}… (${text.length - LONGEST} more characters)`;
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
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${quoteValue(value)}`;
  return typeof value === 'object' ? 'a mapping' : String(value);
}
