import { reportIssue } from '../core/agent-report/issue.js';
import { judgeValue } from '../core/agent-report/judge.js';
import type { ReportRead } from '../core/agent-report/read-report.js';
import { fromStrict } from '../core/agent-report/strict/report.js';
import type { Asked, Judgement, Manual, ReportIssue } from '../core/agent-report/types.js';
import type { JsonValue } from '../core/json/types.js';
import { isJsonObject } from '../core/json/values.js';
import type { Workspace } from '../workspace/workspace.js';
import { findManual, markManual } from './agent-files.js';
import type { BriefingRecord } from './records.js';

export interface AnswerSubject {
  workspace: Workspace;
  /** Whether it keeps the strict transport schema; a briefing may have asked for that. */
  strict: boolean;
  asked: Asked;
  briefing: BriefingRecord | undefined;
}

const AGENT = ['report_metadata', 'agent_name'];

/**
 * What the text of an answer is, by the manual of its agent and what was asked. Throws `UserError` where that manual is
 * broken: to pass over it would be to accept what it forbids.
 */
export function judgeAnswer(read: ReportRead, subject: AnswerSubject): Judgement {
  const { workspace, asked, briefing } = subject;
  if (read.status === 'refused') return refuse(read.issues, read.value);
  const name = asked.agent ?? metadataIn(read.value, 'agent_name');
  const manual = name === null ? null : findManual(workspace, name);
  const plain = asPlain(read.value, name, manual, subject);
  if (plain.issues.length > 0) return refuse([...read.issues, ...plain.issues], read.value);
  const judged = judgeValue(plain.value, { manualOf: () => manual, asked, lenient: false });
  return { ...judged, issues: [...read.issues, ...judged.issues, ...anotherManual(manual, briefing)] };
}

function refuse(issues: ReportIssue[], value: JsonValue): Judgement {
  return { compliant: false, issues, report: null, value };
}

/** Whoever was only briefed for the strict form may have answered in the plain one all the same. */
function asPlain(
  value: JsonValue,
  name: string | null,
  manual: Manual | null,
  { strict, asked, briefing }: AnswerSubject,
): { value: JsonValue; issues: ReportIssue[] } {
  if (!strict && briefing?.strict !== true) return { value, issues: [] };
  if (!manual) {
    if (!strict) return { value, issues: [] };
    const about =
      name === null ? 'It does not say whose it is' : `There is no manual of ${JSON.stringify(name)}`;
    const message = `${about}, so it cannot be mapped back from the strict schema. Name the agent with --agent.`;
    return { value, issues: [reportIssue('strict-invalid', AGENT, message)] };
  }
  const back = fromStrict(value, manual, asked.verbosity ?? undefined);
  if (back.status === 'ok') return { value: back.value, issues: [] };
  return { value, issues: strict ? back.issues : [] };
}

/** An agent works where its manual lies. */
function anotherManual(manual: Manual | null, briefing: BriefingRecord | undefined): ReportIssue[] {
  if (!briefing || briefing.manual === (manual && markManual(manual))) return [];
  const message = `The manual of ${JSON.stringify(briefing.agent)} is another one than when the agent was briefed.`;
  const hint = 'Look at how .teddy/agents has changed, and brief the agent again.';
  return [reportIssue('manual-changed', AGENT, message, { hint })];
}

export function metadataIn(value: JsonValue, key: string): string | null {
  const metadata = isJsonObject(value) ? value.report_metadata : undefined;
  const found = isJsonObject(metadata) && Object.hasOwn(metadata, key) ? metadata[key] : null;
  return typeof found === 'string' ? found : null;
}
