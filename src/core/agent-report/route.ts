import type { ReportIssueCode } from './issue-codes.js';
import type { AgentReport, Claimed, ReportIssue, Route } from './types.js';

/** What does not make a report worthless, but is for a person to see. */
const FOR_A_PERSON: ReadonlySet<ReportIssueCode> = new Set<ReportIssueCode>([
  'agent-differs',
  'reference-broken',
  'reference-outside',
  'reference-stale',
  'claim-unchanged',
  'claim-kind',
  'claim-invalid',
  'change-unclaimed',
  'change-out-of-scope',
  'claims-incomparable',
  'briefing-strange',
  'manual-changed',
  'merged-doubt',
  'client-cut-off',
  'report-comment',
  'report-unclosed',
]);

/** Whether an issue alone is reason enough for a person to look at a report that keeps the contract. */
export function isForAPerson({ code }: ReportIssue): boolean {
  return FOR_A_PERSON.has(code);
}

export interface Routed {
  compliant: boolean;
  /** Null unless it is compliant. */
  report: AgentReport | null;
  issues: readonly ReportIssue[];
  /** A confidence below it is for a person. */
  threshold: number;
}

/** Where a report goes: failed before blocked before human-review before accept. */
export function routeReport({ compliant, report, issues, threshold }: Routed): Route {
  if (!compliant || report === null || report.report_metadata.status === 'failed') return 'failed';
  if (report.report_metadata.status === 'blocked') return 'blocked';
  if (report.report_metadata.confidence_level < threshold) return 'human-review';
  return issues.some(isForAPerson) ? 'human-review' : 'accept';
}

/** What the agent says that the task took. */
export function claimedOf(report: AgentReport | null): Claimed {
  const { token_usage = null, execution_time_seconds = null } = report?.report_metadata ?? {};
  return { tokens: token_usage, seconds: execution_time_seconds };
}
