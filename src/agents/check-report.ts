import { redactorFor } from '../config/redactor.js';
import { compareClaims, readClaims } from '../core/agent-report/claims.js';
import { readClientOutput } from '../core/agent-report/clients/read-client.js';
import { readContextMap } from '../core/agent-report/context-map/forms.js';
import { findAddresses, referenceIssues } from '../core/agent-report/context-map/resolve.js';
import { reportIssue } from '../core/agent-report/issue.js';
import { claimedOf, judgeValue, needsHumanReview, routeReport } from '../core/agent-report/judge.js';
import { type ReportRead, readReportJson } from '../core/agent-report/read-report.js';
import type {
  AgentReport,
  Asked,
  CheckedReport,
  Judgement,
  Manual,
  ReportIssue,
} from '../core/agent-report/types.js';
import { matchComponents, readPathGlob } from '../core/glob.js';
import { objectAt, textAt } from '../core/json/members.js';
import type { JsonObject, JsonValue } from '../core/json/values.js';
import { isJsonObject } from '../core/json/values.js';
import type { Redactor } from '../core/redact/redactor.js';
import { isoUtc } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { Workspace } from '../workspace/workspace.js';
import { findManual, markManual } from './agent-files.js';
import { resolveContextMap } from './context-map.js';
import { changesSince } from './git-facts.js';
import { type BriefingRecord, findRecords, keepAnswer, type TaskRecords } from './records.js';
import type { CheckReportOptions, ReportCheck } from './types.js';

/**
 * Judges a report, resolves its references, compares its claims with git, and routes it. The answer to a briefing is
 * saved. Secrets are masked in all output.
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
  const judged = judgeAnswer(read, workspace, completeAsked(options.asked, briefing), briefing);
  const facts = await compareWithFacts(judged.report, options, records);
  // If the client failed or printed no answer, there is nothing else to report.
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
    measured: options.measured ?? answer.measured,
    claimed: claimedOf(judged.report),
  });
  return { ...checked, ...(await keepChecked(checked, taskId, briefing, options)) };
}

/** Takes missing values from the briefing. */
function completeAsked(asked: Asked, briefing: BriefingRecord | undefined): Asked {
  return {
    agent: asked.agent ?? briefing?.agent ?? null,
    taskId: asked.taskId,
    verbosity: asked.verbosity ?? briefing?.verbosity ?? null,
  };
}

/** A modified briefing no longer says what the agent was asked. */
function strangeRecords(records: TaskRecords | undefined): ReportIssue[] {
  if (!records?.strange) return [];
  const message = `${records.path} contains a briefing that was changed, or that you did not create; it does not count.`;
  const hint = 'Inspect the folder, remove the briefing, and brief the agent again if needed.';
  return [reportIssue('briefing-strange', ['report_metadata', 'task_id'], message, { hint })];
}

/** Saves the answer to a briefing, and any text that exists nowhere else. The check continues if saving fails. */
async function keepChecked(
  { compliant, route, issues, report, value, measured }: CheckedReport,
  taskId: string | null,
  briefing: BriefingRecord | undefined,
  { workspace, text, environment, held, now, again }: CheckReportOptions,
): Promise<Pick<ReportCheck, 'kept' | 'notes'>> {
  if (!held && (again || !briefing)) return { kept: null, notes: [] };
  const record = {
    task_id: taskId ?? '',
    agent: briefing?.agent ?? metadataIn(value, 'agent_name') ?? '',
    at: isoUtc(now),
    sha256: sha256(text),
    compliant,
    route,
    confidence: report?.report_metadata.confidence_level ?? null,
    measured,
    issues,
  };
  try {
    const masked = redactorFor(null, environment).mask(text);
    return { kept: await keepAnswer(workspace, record, masked, held?.removal), notes: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kept: null, notes: [`The answer was not saved. ${error.message}`] };
  }
}

/** Masks secrets in values and in keys: a context map may have texts as keys. */
function maskChecked(redactor: Redactor, checked: CheckedReport): CheckedReport {
  const masked = redactor.maskAll(checked);
  const value = maskKeys(redactor, masked.value);
  const report = masked.report && maskKeys(redactor, masked.report as unknown as JsonValue);
  return { ...masked, value, report: report as unknown as AgentReport | null };
}

/** Keys that become equal by masking are numbered. */
function maskKeys(redactor: Redactor, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each) => maskKeys(redactor, each));
  if (!isJsonObject(value)) return value;
  const masked: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    const name = redactor.mask(key);
    const free = Object.hasOwn(masked, name) ? `${name} (${Object.keys(masked).length})` : name;
    masked[free] = maskKeys(redactor, each);
  }
  return masked;
}

const AGENT = ['report_metadata', 'agent_name'];

/**
 * Judges an answer by its agent's manual and by the briefing. Throws `UserError` if that manual is broken: ignoring it
 * would accept what it forbids.
 */
function judgeAnswer(
  read: ReportRead,
  workspace: Workspace,
  asked: Asked,
  briefing: BriefingRecord | undefined,
): Judgement {
  if (read.status === 'refused')
    return { compliant: false, issues: read.issues, report: null, value: read.value };
  const name = asked.agent ?? metadataIn(read.value, 'agent_name');
  const manual = name === null ? null : findManual(workspace, name);
  const judged = judgeValue(read.value, { manualOf: () => manual, asked, lenient: false });
  return { ...judged, issues: [...read.issues, ...judged.issues, ...anotherManual(manual, briefing)] };
}

/** Reports a manual that changed after the briefing: the agent could have changed it. */
function anotherManual(manual: Manual | null, briefing: BriefingRecord | undefined): ReportIssue[] {
  if (!briefing || briefing.manual === (manual && markManual(manual))) return [];
  const message = `The manual of ${JSON.stringify(briefing.agent)} has changed since the briefing.`;
  const hint = 'Check what changed in .teddy/agents, and brief the agent again.';
  return [reportIssue('manual-changed', AGENT, message, { hint })];
}

function metadataIn(value: JsonValue, key: string): string | null {
  const metadata = isJsonObject(value) && objectAt(value, 'report_metadata');
  return metadata ? textAt(metadata, key) : null;
}

type ReportFacts = Pick<CheckedReport, 'references' | 'issues'>;

/** Compares a report with the project's files and with git. */
async function compareWithFacts(
  report: AgentReport | null,
  options: CheckReportOptions,
  records: TaskRecords | undefined,
): Promise<ReportFacts> {
  if (!report) return { references: [], issues: [] };
  const { workspace } = options;
  const entries = readContextMap(report.findings.context_map ?? null) ?? [];
  const references = resolveContextMap(workspace, entries);
  const others = findAddresses(report.findings);
  const before = options.again ? foundBefore(options, records) : undefined;
  return {
    references,
    issues: [
      ...referenceIssues(references, entries),
      ...referenceIssues(resolveContextMap(workspace, others), others, ['findings']),
      ...(before ?? (await compareWithGit(report, options, records?.briefings.at(-1)))),
    ],
  };
}

/** The git issues found when the same text was first checked; undefined if it was not. */
function foundBefore(
  { text }: CheckReportOptions,
  records: TaskRecords | undefined,
): ReportIssue[] | undefined {
  const hash = sha256(text);
  const known = records?.answers.find((answer) => answer.sha256 === hash);
  return known?.issues.filter((issue) => /^(?:claims?|change)-/.test(issue.code) && needsHumanReview(issue));
}

async function compareWithGit(
  report: AgentReport,
  { workspace, base, ownFiles }: CheckReportOptions,
  briefing: BriefingRecord | undefined,
): Promise<ReportIssue[]> {
  const claims = readClaims(report.findings);
  const scope = briefing?.scope ?? [];
  if (!claims && scope.length === 0) return [];
  const since = await changesSince(workspace.root, briefing?.baseline ?? null, base);
  if (since.status !== 'ok') {
    if (base !== null) throw new UserError(`--base ${JSON.stringify(base)}: ${since.reason}.`);
    const code = briefing?.baseline ? 'claims-incomparable' : 'claims-unverified';
    const message = `The claimed files were not compared with git: ${since.reason}.`;
    const outside = compareClaims(claims ?? [], [], inScope(scope));
    return [reportIssue(code, ['findings', 'changed_files'], message), ...outside.filter(isOutOfScope)];
  }
  const isOwn = (path: string) => ownFiles.includes(path) && !claims?.some((claim) => claim.path === path);
  const issues = compareClaims(
    claims ?? [],
    since.changes.filter(({ path }) => !isOwn(path)),
    inScope(scope),
  );
  // An agent without claims can still have changed files outside its scope.
  return claims ? issues : issues.filter(isOutOfScope);
}

function isOutOfScope({ code }: ReportIssue): boolean {
  return code === 'change-out-of-scope';
}

function inScope(scope: readonly string[]): ((path: string) => boolean) | null {
  const globs = scope.flatMap((text) => {
    const read = readPathGlob(text);
    return read.status === 'ok' ? [read.value.components] : [];
  });
  if (globs.length === 0) return null;
  return (path) => globs.some((components) => matchComponents(components, path.split('/')));
}
