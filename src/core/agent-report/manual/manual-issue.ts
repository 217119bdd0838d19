import { MANUAL_ISSUES, type ManualIssueCode } from '../issue-codes.js';
import type { ManualIssue } from '../types.js';

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
