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
