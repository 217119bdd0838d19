import { redactorFor } from '../config/redactor.js';
import { readClientOutput } from '../core/agent-report/clients/read-client.js';
import { reportIssue } from '../core/agent-report/issue.js';
import { readReportJson } from '../core/agent-report/read-report.js';
import { claimedOf, routeReport } from '../core/agent-report/route.js';
import type { Asked, CheckedReport, ReportIssue } from '../core/agent-report/types.js';
import { isoUtc } from '../node/clock.js';
import { sha256 } from '../node/ids.js';
import { UserError } from '../node/user-error.js';
import { judgeAnswer, metadataIn } from './judge-answer.js';
import { maskChecked } from './mask-checked.js';
import { type BriefingRecord, findRecords, keepAnswer, type TaskRecords } from './records.js';
import type { CheckReportOptions, ReportCheck } from './report-check.js';
import { compareWithFacts } from './report-facts.js';

/**
 * Judges a report, resolves its references, compares its claims with git, and says where it goes. The answer to a
 * briefing is kept. Secrets are masked in all that leaves.
 */
export async function checkReport(options: CheckReportOptions): Promise<ReportCheck> {
  const { workspace, threshold } = options;
  const redactor = redactorFor(null, options.environment);
  const answer = readClientOutput(options.client, options.text);
  const read = readReportJson(answer.text ?? '', options.lenient);
  const said = options.asked.taskId ?? metadataIn(read.value, 'task_id');
  const taskId = said === null ? null : redactor.mask(said);
  const records = taskId === null ? undefined : findRecords(workspace, taskId);
  const briefing = records?.briefings.at(-1);
  const judged = judgeAnswer(read, {
    workspace,
    strict: options.strict,
    asked: completeAsked(options.asked, briefing),
    briefing,
  });
  const facts = await compareWithFacts(judged.report, options, records);
  // Where a client failed or printed no answer, that is all there is to say.
  const isSilent = answer.text === null || answer.issues.some(({ code }) => code === 'client-error');
  const issues = [
    ...answer.issues,
    ...(isSilent ? [] : judged.issues),
    ...strangeRecords(records),
    ...facts.issues,
  ];
  const compliant = judged.compliant && issues.every(({ severity }) => severity !== 'error');
  const report = compliant ? judged.report : null;
  const checked = maskChecked(redactor, {
    compliant,
    route: routeReport({ compliant, report, issues, threshold }),
    issues,
    report,
    value: judged.value,
    references: facts.references,
    measured: answer.measured,
    claimed: claimedOf(judged.report),
  });
  return { ...checked, ...(await keepChecked(checked, taskId, briefing, options, facts.notes)) };
}

/** What was not said is what the briefing said. */
function completeAsked(asked: Asked, briefing: BriefingRecord | undefined): Asked {
  return {
    agent: asked.agent ?? briefing?.agent ?? null,
    taskId: asked.taskId,
    verbosity: asked.verbosity ?? briefing?.verbosity ?? null,
  };
}

/** A briefing that was changed asks for something else than was asked. */
function strangeRecords(records: TaskRecords | undefined): ReportIssue[] {
  if (!records?.strange) return [];
  const message = `In ${records.path} is a briefing that was changed, or that your teddy did not write; it does not count.`;
  const hint = 'Look at what is there; remove it, and brief the agent again if need be.';
  return [reportIssue('briefing-strange', ['report_metadata', 'task_id'], message, { hint })];
}

/** Keeps the answer to a briefing, and what stands nowhere else. A failure to keep it fails nothing. */
async function keepChecked(
  { compliant, route, issues, report, value }: CheckedReport,
  taskId: string | null,
  briefing: BriefingRecord | undefined,
  { workspace, text, environment, held, now, again }: CheckReportOptions,
  notes: string[],
): Promise<Pick<ReportCheck, 'kept' | 'notes'>> {
  if (!held && (again || !briefing)) return { kept: null, notes };
  const record = {
    task_id: taskId ?? '',
    agent: briefing?.agent ?? metadataIn(value, 'agent_name') ?? '',
    at: isoUtc(now),
    sha256: sha256(text),
    compliant,
    route,
    confidence: report?.report_metadata.confidence_level ?? null,
    issues,
  };
  try {
    const masked = redactorFor(null, environment).mask(text);
    return { kept: await keepAnswer(workspace, record, masked, held?.removal), notes };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kept: null, notes: [...notes, `The answer is not kept. ${error.message}`] };
  }
}
