import { readJson } from '../json/read.js';
import type { JsonObject, JsonValue } from '../json/values.js';
import { findTexts, isJsonObject } from '../json/values.js';
import { listWords, quoteExcerpt } from '../text.js';
import { describeForm, readContextMap } from './context-map/forms.js';
import { type Envelope, judgeEnvelope } from './envelope.js';
import { foldAgentName } from './fields.js';
import { judgeFindings } from './findings.js';
import { describeValue, type IssueLog, nameKey, namePlace, openIssueLog, reportIssue } from './issue.js';
import { REPORT_ISSUES } from './issue-codes.js';
import { REPORT_LIMIT, readReportJson } from './read-report.js';
import { offeredLevels } from './report-schema.js';
import {
  type AgentReport,
  type Claimed,
  type Judgement,
  type JudgeOptions,
  type Manual,
  MERGED_BY,
  type ReportIssue,
  type Route,
  type Verbosity,
} from './types.js';

/** Reads a report and judges it. Never throws, whatever the text. */
export function judgeReport(text: string, options: JudgeOptions): Judgement {
  const read = readReportJson(text, options.lenient);
  if (read.status === 'refused') return concludeWith(read.issues, read.value);
  const judgement = judgeValue(read.value, options);
  return { ...judgement, issues: [...read.issues, ...judgement.issues] };
}

/** Judges what was read: every rule that is broken, each once, and nothing that only follows from another. */
export function judgeValue(value: JsonValue, options: JudgeOptions): Judgement {
  if (!isJsonObject(value)) return concludeWith([refuseOther(value)], value);
  const wrapper = findWrapper(value);
  if (wrapper !== undefined) return concludeWith([refuseWrapped(wrapper)], value);
  const log = openIssueLog();
  const envelope = judgeEnvelope(value, log);
  const manual = findManual(envelope, options, log);
  judgeAsked(envelope, options, log);
  const level = judgeOffer(envelope, manual, options, log);
  const completed = envelope.status === 'completed';
  const faults =
    manual && envelope.findings ? judgeFindings(envelope.findings, manual, { level, completed }) : [];
  if (envelope.findings) judgeContextMap(envelope.findings, log);
  if (envelope.agentName === MERGED_BY && envelope.findings) judgeMerged(envelope.findings, log);
  if (manual && level === 'summary') judgeSummary(value, manual.summaryBudget, log);
  return concludeWith([...log.list(), ...faults], value);
}

function concludeWith(issues: ReportIssue[], value: JsonValue): Judgement {
  const compliant = issues.every(({ severity }) => severity !== 'error');
  return { compliant, issues, report: compliant ? (value as unknown as AgentReport) : null, value };
}

function refuseOther(value: JsonValue): ReportIssue {
  const refuse = (message: string, hint: string) => reportIssue('report-not-object', [], message, { hint });
  if (Array.isArray(value) && value.length === 1 && holdsReport(value[0]!))
    return refuse(
      'The report is inside a list; it must be the object alone.',
      'Remove the brackets [ and ].',
    );
  if (typeof value === 'string' && value.length <= REPORT_LIMIT) {
    const read = readJson(value);
    if (read.status === 'value' && holdsReport(read.value))
      return refuse(
        'The report is written as a string; it must be the object itself.',
        'Remove the quotes around it, and the backslashes before the quotes in it.',
      );
  }
  const message = `A report is one JSON object; this is ${describeValue(value)}.`;
  return refuse(message, 'Write one object with "report_metadata" and "findings".');
}

function holdsReport(value: JsonValue): boolean {
  return isJsonObject(value) && Object.hasOwn(value, 'report_metadata');
}

/** The key that holds the report, where nothing of it is at the top. */
function findWrapper(value: JsonObject): string | undefined {
  if (Object.hasOwn(value, 'report_metadata') || Object.hasOwn(value, 'findings')) return undefined;
  return Object.keys(value).find((key) => holdsReport(value[key]!));
}

function refuseWrapped(key: string): ReportIssue {
  const message = `\`report_metadata\` is missing at the top: the report is under ${nameKey(key)}.`;
  const hint = `Write the value of ${nameKey(key)} alone, with nothing around it.`;
  return reportIssue('field-missing', ['report_metadata'], message, { hint });
}

const AGENT_PATH = ['report_metadata', 'agent_name'];
const LEVEL_PATH = ['report_metadata', 'verbosity_level'];
const TASK_PATH = ['report_metadata', 'task_id'];

/** The manual of the agent that was asked, or else of the one that reports. */
function findManual(
  { agentName }: Envelope,
  { asked, manualOf }: JudgeOptions,
  log: IssueLog,
): Manual | null {
  const name = asked.agent ?? agentName;
  if (name === null) return null;
  const manual = manualOf(name);
  if (manual === null && name !== MERGED_BY) {
    const message = `The agent ${quoteExcerpt(name)} has no manual, so the findings are not checked.`;
    const hint = 'Use the name of a manual, or write a manual for this agent.';
    log.add('agent-unknown', AGENT_PATH, message, hint);
  }
  return manual;
}

function judgeAsked({ agentName, taskId, level }: Envelope, { asked }: JudgeOptions, log: IssueLog): void {
  const { agent, taskId: task, verbosity } = asked;
  if (agent !== null && agentName !== null && foldAgentName(agent) !== foldAgentName(agentName)) {
    const message = `${namePlace(AGENT_PATH)} is ${quoteExcerpt(agentName)}, but the briefed agent is ${quoteExcerpt(agent)}.`;
    log.add(
      'agent-differs',
      AGENT_PATH,
      message,
      `If the report is from that agent, write "agent_name": ${quoteExcerpt(agent)}.`,
    );
  }
  if (task !== null && taskId !== null && task !== taskId) {
    const message = `The report is about task ${quoteExcerpt(taskId)}, but the task was ${quoteExcerpt(task)}.`;
    const hint = `If that is the task that was done, write "task_id": ${quoteExcerpt(task)}; otherwise do that task.`;
    log.add('task-id-differs', TASK_PATH, message, hint);
  }
  if (verbosity !== null && level !== null && verbosity !== level) {
    const message = `The report has level "${level}", but the briefing asks for "${verbosity}".`;
    const hint = `Report again with "verbosity_level": "${verbosity}".`;
    log.add('verbosity-differs', LEVEL_PATH, message, hint);
  }
}

/** A value that is not a context map at all is left to the manual's schema. */
function judgeContextMap({ context_map: map = null }: JsonObject, log: IssueLog): void {
  const message = describeForm(map);
  const hint =
    'Write each entry as ["What is there.", "repo://src/a.ts:1-20"], or with null instead of an address.';
  if (message !== null && readContextMap(map))
    log.add('context-map-form', ['findings', 'context_map'], message, hint);
}

/** Whatever needed human review before reports were merged still does. */
function judgeMerged({ reports }: JsonObject, log: IssueLog): void {
  if (!Array.isArray(reports)) return;
  reports.forEach((row, at) => {
    if (!isJsonObject(row) || row.route !== 'human-review') return;
    const whose = typeof row.source === 'string' ? quoteExcerpt(row.source) : `number ${at + 1}`;
    log.add('merged-doubt', ['findings', 'reports', at], `The merged report ${whose} needs human review.`);
  });
}

/** The level that the findings are judged at; null if unknown. */
function judgeOffer(
  { level }: Envelope,
  manual: Manual | null,
  { asked }: JudgeOptions,
  log: IssueLog,
): Verbosity | null {
  const offered = offeredLevels(manual);
  if (level === null || manual === null || offered.includes(level)) return level;
  // Another level than asked for was said already, and is fixed in the same way.
  if (asked.verbosity === null || asked.verbosity === level) {
    const names = listWords(offered, { say: (name) => `"${name}"`, joint: 'or' });
    const message = `The manual of ${quoteExcerpt(manual.name)} does not offer level "${level}", only ${names}.`;
    log.add('verbosity-unavailable', LEVEL_PATH, message, `Write "verbosity_level": ${names}.`);
  }
  return null;
}

/** A line that opens or closes a fenced block of Markdown. After backticks with more of them comes a code span. */
const FENCE = /(?:^|[\n\r]) {0,3}(?:```[^`\n\r]*(?:[\n\r]|$)|~~~)/;

/** What holds of every report at the level `summary` and cannot be said in a JSON Schema: it is short, and quotes no files. */
function judgeSummary(report: JsonObject, budget: number, log: IssueLog): void {
  const { length } = JSON.stringify(report);
  if (length > budget) {
    const message = `This summary has ${length} characters without white space between its parts; the limit is ${budget}.`;
    log.add('summary-too-long', [], message, 'Keep the conclusions and leave out the details.');
  }
  for (const { path } of findTexts(report, (text) => FENCE.test(text))) {
    const message = `${namePlace(path)} contains a fenced block, which a summary must not have.`;
    const hint = 'Summarise the block in a sentence, or point to the file and its lines.';
    log.add('summary-holds-contents', path, message, hint);
  }
}

/** Whether an issue alone is reason enough for a person to look at a report that keeps the contract. */
export function needsHumanReview({ code }: ReportIssue): boolean {
  return 'needsHumanReview' in REPORT_ISSUES[code];
}

export interface RouteInput {
  compliant: boolean;
  /** Null unless it is compliant. */
  report: AgentReport | null;
  issues: readonly ReportIssue[];
  /** A confidence below it is for a person. */
  threshold: number;
}

/** Routes a report; failed outranks blocked, then human-review, then accept. */
export function routeReport({ compliant, report, issues, threshold }: RouteInput): Route {
  if (!compliant || report === null || report.report_metadata.status === 'failed') return 'failed';
  if (report.report_metadata.status === 'blocked') return 'blocked';
  if (report.report_metadata.confidence_level < threshold) return 'human-review';
  return issues.some(needsHumanReview) ? 'human-review' : 'accept';
}

/** The agent's own figures for time and tokens. */
export function claimedOf(report: AgentReport | null): Claimed {
  const { token_usage = null, execution_time_seconds = null } = report?.report_metadata ?? {};
  return { tokens: token_usage, seconds: execution_time_seconds };
}
