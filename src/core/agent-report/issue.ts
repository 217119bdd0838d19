import { writePath } from '../json/path.js';
import type { JsonPath } from '../json/types.js';
import { MANUAL_ISSUES, type ManualIssueCode, REPORT_ISSUES, type ReportIssueCode } from './issue-codes.js';
import type { ManualIssue, ReportIssue } from './types.js';

/** Of one code; how many more there are is said in one issue. */
const MOST_OF_A_CODE = 20;

/** `message` says it all by itself; the place is in `path`, as text. */
export function reportIssue(
  code: ReportIssueCode,
  path: JsonPath,
  message: string,
  extra: Pick<ReportIssue, 'hint' | 'line' | 'column'> = {},
): ReportIssue {
  return { code, severity: REPORT_ISSUES[code].severity, path: writePath(path), message, ...extra };
}

export interface IssueLog {
  /** Whether there are enough of a code; then this one is counted, and nothing more needs to be said of it. */
  skips(code: ReportIssueCode): boolean;
  add(code: ReportIssueCode, path: JsonPath, message: string, hint?: string): void;
  /** All of them, in the order in which they came; of each code no more than a reader can take. */
  list(): ReportIssue[];
}

export function openIssueLog(): IssueLog {
  const shown: ReportIssue[] = [];
  const counts = new Map<ReportIssueCode, number>();
  const skips = (code: ReportIssueCode) => {
    const count = counts.get(code) ?? 0;
    if (count >= MOST_OF_A_CODE) counts.set(code, count + 1);
    return count >= MOST_OF_A_CODE;
  };
  return {
    skips,
    add(code, path, message, hint) {
      if (skips(code)) return;
      counts.set(code, (counts.get(code) ?? 0) + 1);
      shown.push(reportIssue(code, path, message, hint === undefined ? {} : { hint }));
    },
    list: () => [
      ...shown,
      ...[...counts]
        .filter(([, count]) => count > MOST_OF_A_CODE)
        .map(([code, count]) =>
          reportIssue(code, [], `There are ${count - MOST_OF_A_CODE} more issues of the kind ${code}.`),
        ),
    ],
  };
}

export function manualIssue(
  code: ManualIssueCode,
  line: number | undefined,
  message: string,
  hint?: string,
): ManualIssue {
  return {
    code,
    severity: MANUAL_ISSUES[code].severity,
    message,
    ...(line !== undefined && { line }),
    ...(hint !== undefined && { hint }),
  };
}
