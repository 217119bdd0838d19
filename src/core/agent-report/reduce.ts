import type { JsonValue } from '../json/types.js';
import { judgeValue } from './judge.js';
import { isAbove } from './levels.js';
import { leaveOutMarked } from './reduce/marked.js';
import { fitSummary } from './reduce/summary.js';
import { offeredLevels } from './report-schema.js';
import type { AgentReport, Manual, Verbosity } from './types.js';
import { list, quote } from './wording.js';

export type Reduced =
  | {
      status: 'reduced';
      report: AgentReport;
      /** JSON paths of fields, `[*]` for every entry of a list, and short phrases about parts of texts and lists. */
      leftOut: string[];
    }
  /** `reason` is a whole sentence. */
  | { status: 'refused'; reason: string };

/**
 * A report at a lower level: without the fields that the manual marks for a higher one; a summary also without fenced
 * blocks, and within its budget. What it gives keeps the manual. The report that comes in stays as it is.
 */
export function reduceReport(report: AgentReport, manual: Manual, level: Verbosity): Reduced {
  const from = report.report_metadata.verbosity_level;
  const offered = offeredLevels(manual);
  if (!offered.includes(level)) {
    const names = list(
      offered.map((name) => `"${name}"`),
      'and',
    );
    return refuse(`The manual of ${quote(manual.name)} has no level "${level}"; it offers ${names}.`);
  }
  if (isAbove(level, from))
    return refuse(
      `The report is at the level "${from}", and cannot become one of "${level}": it does not hold what that needs.`,
    );
  if (level === from) return conclude(report, manual, []);

  const kept = leaveOutMarked(report.findings, manual, { from, to: level });
  if (kept === null)
    return refuse(
      `The findings schema of the manual ${quote(manual.name)} is too involved to tell what of this report belongs to a higher level than "${level}".`,
    );
  const metadata = { ...report.report_metadata, verbosity_level: level };
  const reduced: AgentReport = { ...report, report_metadata: metadata, findings: kept.findings };
  if (level !== 'summary') return conclude(reduced, manual, kept.leftOut);

  const summary = fitSummary(reduced, manual);
  if (summary.status === 'too-long')
    return refuse(
      `The report cannot become a summary of at most ${manual.summaryBudget} characters: with its texts and lists cut as far as the manual allows, it still has ${summary.size}.`,
    );
  return conclude(summary.report, manual, [...kept.leftOut, ...summary.leftOut]);
}

function refuse(reason: string): Reduced {
  return { status: 'refused', reason };
}

/** Nothing goes out that does not keep the manual. */
function conclude(report: AgentReport, manual: Manual, leftOut: string[]): Reduced {
  const { verbosity_level: verbosity } = report.report_metadata;
  const { issues } = judgeValue(report as unknown as JsonValue, {
    manualOf: () => manual,
    asked: { agent: null, taskId: null, verbosity },
    lenient: false,
  });
  // A schema that cannot be used at this level checks nothing, which is no better.
  const remaining = issues.filter(({ severity, code }) => severity === 'error' || code === 'agent-unknown');
  const [first] = remaining;
  if (first === undefined) return { status: 'reduced', report, leftOut };
  const more = remaining.length > 1 ? ` (and ${remaining.length - 1} more)` : '';
  return refuse(
    `At the level "${verbosity}" the report does not keep its manual${more}: ${first.path}: ${first.message}`,
  );
}
