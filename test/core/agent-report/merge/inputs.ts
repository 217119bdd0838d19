import { readContextMap } from '../../../../src/core/agent-report/context-map/forms.js';
import { claimedOf, judgeReport, judgeValue, routeReport } from '../../../../src/core/agent-report/judge.js';
import type { MergeInput } from '../../../../src/core/agent-report/merge/merge.js';
import type {
  AgentReport,
  CheckedReport,
  Judgement,
  JudgeOptions,
  Measured,
  ReportIssue,
  ReportMetadata,
} from '../../../../src/core/agent-report/types.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

export const WITHOUT_MANUAL: JudgeOptions = {
  manualOf: () => null,
  asked: { agent: null, taskId: null, verbosity: null },
  lenient: false,
};

const UNMEASURED: Measured = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  durationMs: null,
};

interface ReportParts extends Partial<Omit<AgentReport, 'report_metadata'>> {
  metadata?: Partial<ReportMetadata>;
}

/** A report in which nothing is remarkable, and what a test wants to be otherwise. */
export function reportWith({ metadata = {}, ...parts }: ReportParts = {}): AgentReport {
  return {
    report_metadata: {
      agent_name: 'investigator',
      task_id: 'shop-7',
      status: 'completed',
      verbosity_level: 'detailed',
      confidence_level: 0.9,
      ...metadata,
    },
    findings: {},
    ...parts,
  };
}

interface Circumstances {
  measured?: Partial<Measured>;
  /** Beyond those of the judgement. */
  issues?: ReportIssue[];
  references?: CheckedReport['references'];
}

/** A report as it comes out of a check that knows no manuals. */
export function input(name: string, report: AgentReport, circumstances: Circumstances = {}): MergeInput {
  return check(name, judgeValue(report as unknown as JsonValue, WITHOUT_MANUAL), circumstances);
}

/** The same of a text. */
export function inputOfText(name: string, text: string): MergeInput {
  return check(name, judgeReport(text, WITHOUT_MANUAL), {});
}

function check(
  name: string,
  { compliant, report, value, issues: found }: Judgement,
  { measured = {}, issues = [], references = [] }: Circumstances,
): MergeInput {
  const all = [...found, ...issues];
  return {
    name,
    checked: {
      compliant,
      report,
      value,
      issues: all,
      route: routeReport({ compliant, report, issues: all, threshold: 0.7 }),
      references,
      measured: { ...UNMEASURED, ...measured },
      claimed: claimedOf(report),
    },
  };
}

export function warning(code: ReportIssue['code'], message: string): ReportIssue {
  return { code, severity: 'warning', path: '$.findings', message };
}

/** The pairs of a merged report. */
export function contextOf({ findings }: AgentReport): [string, string | null][] {
  return (readContextMap(findings.context_map ?? []) ?? []).map(({ text, uri }) => [text, uri]);
}
