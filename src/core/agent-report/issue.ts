import { IssueCollector } from '../issue.js';
import { writePath } from '../json/path.js';
import type { JsonPath } from '../json/types.js';
import { MANUAL_ISSUES, type ManualIssueCode, REPORT_ISSUES, type ReportIssueCode } from './issue-codes.js';
import type { ManualIssue, ReportIssue } from './types.js';

/** `message` says it all by itself; the place is in `path`, as text. */
export function reportIssue(
  code: ReportIssueCode,
  path: JsonPath,
  message: string,
  extra: Pick<ReportIssue, 'hint' | 'line' | 'column'> = {},
): ReportIssue {
  return { code, severity: REPORT_ISSUES[code].severity, path: writePath(path), message, ...extra };
}

export type IssueLog = IssueCollector<ReportIssue, JsonPath>;

export function openIssueLog(): IssueLog {
  return new IssueCollector((code, path = [], message, hint) =>
    reportIssue(code, path, message, hint === undefined ? {} : { hint }),
  );
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
