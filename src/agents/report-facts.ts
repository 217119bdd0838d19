import { compareClaims, readClaims } from '../core/agent-report/claims.js';
import { findAddresses, referenceIssues } from '../core/agent-report/context-map/issues.js';
import { readContextMap } from '../core/agent-report/context-map/read.js';
import { reportIssue } from '../core/agent-report/issue.js';
import { isForAPerson } from '../core/agent-report/route.js';
import type { AgentReport, CheckedReport, ReportIssue } from '../core/agent-report/types.js';
import { matchComponents, readPathGlob } from '../core/glob.js';
import { sha256 } from '../node/ids.js';
import { UserError } from '../node/user-error.js';
import { lookAtContext, resolveNow } from './context-map.js';
import { changesSince } from './git-facts.js';
import type { BriefingRecord, TaskRecords } from './records.js';
import type { CheckReportOptions } from './types.js';

export type ReportFacts = Pick<CheckedReport, 'references' | 'issues'> & { notes: string[] };

/** What the files say to a report. */
export async function compareWithFacts(
  report: AgentReport | null,
  options: CheckReportOptions,
  records: TaskRecords | undefined,
): Promise<ReportFacts> {
  if (!report) return { references: [], issues: [], notes: [] };
  const { workspace } = options;
  const entries = readContextMap(report.findings.context_map ?? null) ?? [];
  const others = findAddresses(report.findings);
  const elsewhere = referenceIssues(resolveNow(workspace, others), others, ['findings']);
  const before = options.again ? foundBefore(options, records) : undefined;
  if (before) {
    const references = resolveNow(workspace, entries);
    return {
      references,
      issues: [...referenceIssues(references, entries), ...elsewhere, ...before],
      notes: [],
    };
  }
  const { references, note } = await lookAtContext(workspace, entries, options.now);
  const changes = await compareWithGit(report, options, records?.briefings.at(-1));
  return {
    references,
    issues: [...referenceIssues(references, entries), ...elsewhere, ...changes],
    notes: note === null ? [] : [note],
  };
}

/** What git said of the claims when the same text was first checked; undefined where it never was. */
function foundBefore(
  { text }: CheckReportOptions,
  records: TaskRecords | undefined,
): ReportIssue[] | undefined {
  const hash = sha256(text);
  const known = records?.answers.find((answer) => answer.sha256 === hash);
  return known?.issues.filter((issue) => /^(?:claims?|change)-/.test(issue.code) && isForAPerson(issue));
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
  // Whoever claims nothing can still have left its scope.
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
