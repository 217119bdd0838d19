import { objectAt, textAt } from '../../json/members.js';
import type { JsonObject } from '../../json/values.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';
import { foldText, shorten } from '../../text.js';
import { withInk } from '../clients/client.js';
import { readContextMap } from '../context-map/forms.js';
import { canonicalUri } from '../context-map/reference.js';
import {
  type AgentReport,
  type CheckedReport,
  MERGED_BY,
  type Reference,
  type ReferenceStatus,
  type ReportStatus,
  VERBOSITIES,
  type Verbosity,
} from '../types.js';

/** A report that was checked, under the name by which a reader knows it: that of its file. */
export interface MergeInput {
  name: string;
  checked: CheckedReport;
}

/** The content of many reports, by kind. `mergeReports` makes JSON of it, and `renderMerged` Markdown. */
export interface Gathered {
  /** Failed where one failed or is not compliant, else blocked where one is. */
  status: ReportStatus;
  reports: GatheredReport[];
  context: ContextPlace[];
  recommendations: SourcedText[];
  gaps: SourcedText[];
  blockers: SourcedText[];
  tokens: Sum;
  seconds: Sum;
  costUsd: Sum;
}

export interface GatheredReport {
  /** The names of the inputs that hold it. */
  source: string;
  checked: CheckedReport;
  /** Also of a report that is not compliant, as far as it says so. */
  agent: string | null;
  taskId: string | null;
  /** A report that is not compliant has failed, whatever it says. */
  status: ReportStatus;
  /** The error; null if there was none. */
  error: string | null;
  tokens: Amount | null;
  seconds: Amount | null;
  costUsd: Amount | null;
}

/** The measured amount, or else the agent's own claim. */
export interface Amount {
  value: number;
  from: 'measured' | 'claimed';
}

export interface Sum {
  /** Null if unknown, or too large to count. */
  value: number | null;
  /** How many reports each came from. */
  measured: number;
  claimed: number;
  unknown: number;
}

export function gatherReports(inputs: readonly MergeInput[]): Gathered {
  const reports = joinSame(inputs).map(gatherReport);
  const has = (status: ReportStatus) => reports.some((report) => report.status === status);
  return {
    status: has('failed') ? 'failed' : has('blocked') ? 'blocked' : 'completed',
    reports,
    context: gatherContext(reports),
    recommendations: gatherTexts(reports, 'recommendations'),
    gaps: gatherTexts(reports, 'identified_gaps'),
    blockers: gatherTexts(reports, 'blockers'),
    tokens: addUp(reports.map(({ tokens }) => tokens)),
    seconds: addUp(reports.map(({ seconds }) => seconds)),
    costUsd: addUp(reports.map(({ costUsd }) => costUsd)),
  };
}

/** Joins duplicate reports under both names. An unreadable report has no duplicates. */
function joinSame(inputs: readonly MergeInput[]): MergeInput[] {
  const groups: { names: Set<string>; checked: CheckedReport }[] = [];
  for (const { name, checked } of inputs) {
    const same = groups.find((group) => isSame(group.checked, checked));
    if (!same) {
      groups.push({ names: new Set([name]), checked });
      continue;
    }
    same.names.add(name);
    if (!isMeasured(same.checked)) same.checked = checked;
  }
  return groups.map(({ names, checked }) => ({ name: [...names].join(', '), checked }));
}

/**
 * Equal answers with different costs, or checked against different files, are distinct. A bare report is the same as the
 * client's output that it is from.
 */
function isSame(a: CheckedReport, b: CheckedReport): boolean {
  const sameCost = !isMeasured(a) || !isMeasured(b) || isEqual(a.measured, b.measured);
  return a.value !== null && jsonEquals(a.value, b.value) && sameCost && isEqual(a.references, b.references);
}

function isMeasured({ measured }: CheckedReport): boolean {
  return Object.values(measured).some((figure) => figure !== null);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function gatherReport({ name: source, checked }: MergeInput): GatheredReport {
  const { report, value, issues, measured, claimed } = checked;
  const said = (isJsonObject(value) && objectAt(value, 'report_metadata')) || {};
  const { inputTokens, outputTokens, costUsd, durationMs } = measured;
  const tokens = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
  return {
    source,
    checked,
    agent: report?.report_metadata.agent_name ?? withInk(textAt(said, 'agent_name')),
    taskId: report?.report_metadata.task_id ?? withInk(textAt(said, 'task_id')),
    status: report?.report_metadata.status ?? 'failed',
    error: report
      ? (report.report_metadata.error_message ?? null)
      : (issues.find(({ severity }) => severity === 'error')?.message ?? 'It is not compliant.'),
    tokens: chooseAmount(tokens, claimed.tokens),
    seconds: chooseAmount(durationMs === null ? null : durationMs / 1000, claimed.seconds),
    costUsd: chooseAmount(costUsd, null),
  };
}

function chooseAmount(measured: number | null, claimed: number | null): Amount | null {
  if (measured !== null) return { value: measured, from: 'measured' };
  return claimed === null ? null : { value: claimed, from: 'claimed' };
}

function addUp(amounts: readonly (Amount | null)[]): Sum {
  const known = amounts.filter((amount) => amount !== null);
  const sum = known.reduce((total, { value }) => total + value, 0);
  const measured = known.filter(({ from }) => from === 'measured').length;
  return {
    value: known.length === 0 || sum > Number.MAX_SAFE_INTEGER ? null : sum,
    measured,
    claimed: known.length - measured,
    unknown: amounts.length - known.length,
  };
}

/** Each text once, in the order in which it first appears; blank ones say nothing. */
function gatherTexts(
  reports: readonly GatheredReport[],
  key: 'recommendations' | 'identified_gaps' | 'blockers',
): SourcedText[] {
  const texts: SaidTexts = new Map();
  for (const { source, checked } of reports) {
    for (const text of checked.report?.[key] ?? []) {
      if (/\S/.test(text)) addSaid(texts, text, source);
    }
  }
  return [...texts.values()];
}

/** Everything that reports say about one location. */
export interface ContextPlace {
  /** Canonical; null for what is said of no place. */
  uri: string | null;
  /** Null if it was not checked. */
  status: ReferenceStatus | null;
  /** Why it does not hold or cannot be checked: completes the sentence "<uri> …". */
  reason: string | null;
  texts: SourcedText[];
}

/** If two reports were checked at different times, the worse status counts. */
const FROM_BAD_TO_GOOD: readonly ReferenceStatus[] = [
  'missing-file',
  'outside',
  'missing-lines',
  'unverifiable',
  'ok',
  'none',
];

/**
 * The context maps as one: places in the order in which they first appear, each with every text about it. Texts without a
 * place come where they first appear, each on its own.
 */
function gatherContext(reports: readonly GatheredReport[]): ContextPlace[] {
  const statuses = gatherStatuses(reports);
  const places = new Map<string, { uri: string | null; texts: SaidTexts }>();
  for (const { source, checked } of reports) {
    for (const { text, uri } of readContextMap(checked.report?.findings.context_map ?? null) ?? []) {
      const canonical = uri === null ? null : canonicalUri(uri);
      // No address starts with a line feed.
      const key = canonical ?? `\n${foldText(text)}`;
      const place = places.get(key) ?? { uri: canonical, texts: new Map() };
      places.set(key, place);
      addSaid(place.texts, text, source);
    }
  }
  return [...places.values()].map(({ uri, texts }) => {
    const found = uri === null ? undefined : statuses.get(uri);
    return {
      uri,
      status: uri === null ? 'none' : (found?.status ?? null),
      reason: found?.reason ?? null,
      texts: [...texts.values()],
    };
  });
}

function gatherStatuses(reports: readonly GatheredReport[]): Map<string, Reference> {
  const found = new Map<string, Reference>();
  for (const reference of reports.flatMap(({ checked }) => checked.references)) {
    if (reference.uri === null) continue;
    const key = canonicalUri(reference.uri);
    const known = found.get(key);
    if (!known || rankOf(reference) < rankOf(known)) found.set(key, reference);
  }
  return found;
}

function rankOf({ status }: Reference): number {
  return FROM_BAD_TO_GOOD.indexOf(status);
}

/** A text that is in one or more reports. */
export interface SourcedText {
  /** As it was written first. */
  text: string;
  /** Sources. */
  by: string[];
}

/** Texts by their content, with white space folded. */
type SaidTexts = Map<string, SourcedText>;

/** For sources that come one after the other: who said it last is the only one who could say it again. */
function addSaid(texts: SaidTexts, text: string, source: string): void {
  const folded = foldText(text);
  const known = texts.get(folded);
  if (!known) texts.set(folded, { text, by: [source] });
  else if (known.by.at(-1) !== source) known.by.push(source);
}

/**
 * Many reports as one that follows the contract itself. A report that is not compliant counts as failed, with a confidence
 * of 0. `findings.reports` has each report as it came, and what the check found. Times are added up.
 */
export function mergeReports(inputs: readonly MergeInput[]): AgentReport {
  const gathered = gatherReports(inputs);
  const { status, reports, recommendations, gaps, blockers, tokens, seconds } = gathered;
  return {
    report_metadata: {
      agent_name: MERGED_BY,
      task_id: [...new Set(reports.flatMap(({ taskId }) => taskId ?? []))].join('+') || 'unknown',
      status,
      verbosity_level: lowestLevel(reports),
      confidence_level: Math.min(...reports.map(({ checked }) => confidenceOf(checked))),
      ...(tokens.value === null ? {} : { token_usage: Math.round(tokens.value) }),
      ...(seconds.value === null ? {} : { execution_time_seconds: Math.round(seconds.value) }),
      ...(status === 'failed' ? { error_message: describeFailures(reports) } : {}),
    },
    findings: findingsOf(gathered),
    ...listTexts('recommendations', recommendations),
    ...listTexts('identified_gaps', gaps),
    // The contract has blockers for blocked reports only; otherwise they are in the findings.
    ...(status === 'blocked' ? listTexts('blockers', blockers) : {}),
  };
}

function listTexts<Key extends string>(key: Key, said: readonly SourcedText[]): { [key in Key]?: string[] } {
  const texts = said.map(({ text }) => text);
  return (said.length === 0 ? {} : { [key]: texts }) as { [key in Key]?: string[] };
}

/** The lowest level, which all reports satisfy. */
function lowestLevel(reports: readonly GatheredReport[]): Verbosity {
  const levels = reports.flatMap(({ checked }) => checked.report?.report_metadata.verbosity_level ?? []);
  return VERBOSITIES.find((level) => levels.includes(level)) ?? 'detailed';
}

function confidenceOf({ report }: CheckedReport): number {
  return report?.report_metadata.confidence_level ?? 0;
}

const LONGEST_FAILURE = 300;

function describeFailures(reports: readonly GatheredReport[]): string {
  const failed = reports.filter(({ status }) => status === 'failed');
  const reasons = failed.map(({ source, checked, error }) => {
    const reason = shorten(foldText(error ?? ''), LONGEST_FAILURE);
    return `${source}${checked.compliant ? '' : ' (not compliant)'}: ${reason}`;
  });
  return [`Failed: ${failed.length} of ${reports.length} reports.`, ...reasons].join('\n');
}

function findingsOf({ status, reports, context, blockers }: Gathered): JsonObject {
  const pairs = context.flatMap(({ uri, texts }) => texts.map(({ text }) => [text, uri]));
  const references = context.filter((place) => place.uri !== null && place.status !== null);
  return {
    reports: reports.map(describeReport),
    ...(pairs.length === 0 ? {} : { context_map: pairs }),
    ...(references.length === 0
      ? {}
      : { references: references.map(({ uri, status, reason }) => ({ uri, status, reason })) }),
    ...(status === 'blocked' ? {} : listTexts('blockers', blockers)),
  };
}

function describeReport({ source, checked, agent, taskId, status }: GatheredReport): JsonObject {
  const { compliant, route, issues, value, measured, claimed } = checked;
  return {
    source,
    agent_name: agent,
    task_id: taskId,
    status,
    route,
    compliant,
    measured: { ...measured },
    claimed: { ...claimed },
    issues: issues.map(({ code, severity, path, message, hint }) => ({
      code,
      severity,
      path,
      message,
      hint: hint ?? null,
    })),
    report: value,
  };
}
