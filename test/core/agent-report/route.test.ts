import { expect, test } from 'vitest';
import { reportIssue } from '../../../src/core/agent-report/issue.js';
import { REPORT_ISSUES, type ReportIssueCode } from '../../../src/core/agent-report/issue-codes.js';
import { claimedOf, routeReport } from '../../../src/core/agent-report/judge.js';
import type { AgentReport, Route } from '../../../src/core/agent-report/types.js';
import { CONTRACT_EXAMPLE } from './fixtures/contract-example.js';

const report = (metadata: Partial<AgentReport['report_metadata']> = {}): AgentReport => {
  const example = CONTRACT_EXAMPLE as unknown as AgentReport;
  return { ...example, report_metadata: { ...example.report_metadata, ...metadata } };
};
const route = (subject: AgentReport | null, codes: ReportIssueCode[] = [], threshold = 0.7): Route =>
  routeReport({
    compliant: subject !== null,
    report: subject,
    issues: codes.map((code) => reportIssue(code, [], 'x')),
    threshold,
  });

test.each<[Route, AgentReport | null, ReportIssueCode[]]>([
  ['accept', report(), []],
  ['accept', report({ confidence_level: 0.7 }), []],
  [
    'accept',
    report(),
    ['agent-unknown', 'key-unknown', 'reference-unverifiable', 'claims-unverified', 'report-wrapped'],
  ],
  ['human-review', report({ confidence_level: 0.69 }), []],
  ['human-review', report(), ['reference-outside']],
  ['blocked', report({ status: 'blocked', confidence_level: 0 }), ['reference-broken']],
  ['failed', report({ status: 'failed' }), ['agent-differs']],
  ['failed', null, []],
])('%s', (expected, subject, codes) => {
  expect(route(subject, codes)).toBe(expected);
});

test('a report that is not compliant failed, whatever it says', () => {
  expect(routeReport({ compliant: false, report: report(), issues: [], threshold: 0 })).toBe('failed');
});

test('whatever does not hold is for human review', () => {
  const codes = Object.keys(REPORT_ISSUES) as ReportIssueCode[];
  expect(codes.filter((code) => route(report(), [code]) === 'human-review')).toEqual([
    'client-cut-off',
    'agent-differs',
    'reference-broken',
    'reference-outside',
    'claim-unchanged',
    'claim-kind',
    'claim-invalid',
    'change-unclaimed',
    'change-out-of-scope',
    'briefing-strange',
    'manual-changed',
    'merged-doubt',
    'claims-incomparable',
  ]);
});

test('what the agent claims', () => {
  expect(claimedOf(report())).toEqual({ tokens: 4250, seconds: 45 });
  expect(claimedOf(report({ token_usage: null }))).toEqual({ tokens: null, seconds: 45 });
  expect(claimedOf(null)).toEqual({ tokens: null, seconds: null });
});
