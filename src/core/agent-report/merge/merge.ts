import type { JsonObject, JsonValue } from '../../json/values.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';
import { foldText, shorten } from '../../text.js';
import { canonicalUri } from '../context-map/reference.js';
import { METADATA_FIELDS, REPORT_FIELDS } from '../fields.js';
import { type AgentReport, type CheckedReport, MERGED_BY, VERBOSITIES, type Verbosity } from '../types.js';
import {
  type Gathered,
  type GatheredReport,
  gatherReports,
  type MergeInput,
  readMap,
  type SourcedText,
  type Sum,
} from './gather.js';

/**
 * Many reports as one, which keeps the contract itself: it can be checked, merged again, and read by anything that reads
 * reports. A report that is not compliant counts as failed, with a confidence of 0. Nothing is lost: `findings.reports`
 * has of each report whatever does not stand elsewhere. Times are added up as work, though agents may have worked side by
 * side. The order of the inputs is that of everything in it.
 */
export function mergeReports(inputs: readonly MergeInput[]): AgentReport {
  const gathered = gatherDistinct(inputs);
  const { status, reports, recommendations, gaps, blockers, tokens, seconds } = gathered;
  return {
    report_metadata: {
      agent_name: MERGED_BY,
      task_id: joinTaskIds(reports),
      status,
      verbosity_level: lowestLevel(reports),
      confidence_level: reports.reduce((least, { checked }) => Math.min(least, confidenceOf(checked)), 1),
      ...(tokens.value === null ? {} : { token_usage: Math.round(tokens.value) }),
      ...(seconds.value === null ? {} : { execution_time_seconds: Math.round(seconds.value) }),
      ...(status === 'failed' ? { error_message: describeFailures(reports) } : {}),
    },
    findings: findingsOf(gathered),
    ...givenTexts('recommendations', recommendations),
    ...givenTexts('identified_gaps', gaps),
    // The contract has them for blocked reports alone; otherwise they are in the findings.
    ...(status === 'blocked' ? givenTexts('blockers', blockers) : {}),
  };
}

function givenTexts<Key extends string>(key: Key, said: readonly SourcedText[]): { [key in Key]?: string[] } {
  const texts = said.map(({ text }) => text);
  return (said.length === 0 ? {} : { [key]: texts }) as { [key in Key]?: string[] };
}

const LONGEST_ID = 200;

/** The one that all are about, else as many as there is room for: `a+b+c`, `a+b+7 more`. */
function joinTaskIds(reports: readonly GatheredReport[]): string {
  const ids = [...new Set(reports.flatMap(({ taskId }) => taskId ?? []))];
  if (ids.length === 0) return 'unknown';
  const joined = ids.join('+');
  if (ids.length === 1 || joined.length <= LONGEST_ID) return joined;
  let room = LONGEST_ID - `+${ids.length} more`.length;
  const fitting = ids.filter((id) => {
    room -= id.length + 1;
    return room >= 0;
  });
  if (fitting.length === 0) return `${ids.length} tasks`;
  return `${fitting.join('+')}+${ids.length - fitting.length} more`;
}

/** What is there of every report. */
function lowestLevel(reports: readonly GatheredReport[]): Verbosity {
  const levels = reports.flatMap(({ checked }) => checked.report?.report_metadata.verbosity_level ?? []);
  return levels.length === 0 ? 'detailed' : VERBOSITIES.find((level) => levels.includes(level))!;
}

function confidenceOf({ report }: CheckedReport): number {
  return report?.report_metadata.confidence_level ?? 0;
}

const MOST_FAILURES = 5;
const LONGEST_FAILURE = 300;

function describeFailures(reports: readonly GatheredReport[]): string {
  const failed = reports.filter(({ status }) => status === 'failed');
  const reasons = failed.slice(0, MOST_FAILURES).map(({ source, checked, error }) => {
    const said = foldText(error ?? '');
    const short = shorten(said, LONGEST_FAILURE);
    return `${source}${checked.compliant ? '' : ' (not compliant)'}: ${short}`;
  });
  const more = failed.length - reasons.length;
  return [
    `Failed: ${failed.length} of ${reports.length} reports.`,
    ...reasons,
    ...(more > 0 ? [`And ${more} more.`] : []),
  ].join('\n');
}

function findingsOf(gathered: Gathered): JsonObject {
  const { status, reports, context, recommendations, gaps, blockers } = gathered;
  const pairs = context.flatMap(({ uri, texts }) => texts.map(({ text, by }) => ({ pair: [text, uri], by })));
  const checkedPlaces = context.filter((place) => place.uri !== null && place.status !== null);
  const sources = {
    context_map: pairs.map(({ by }) => by),
    recommendations: recommendations.map(({ by }) => by),
    identified_gaps: gaps.map(({ by }) => by),
    blockers: blockers.map(({ by }) => by),
  };
  return {
    counts: countReports(reports),
    reports: reports.map(describeReport),
    ...(pairs.length === 0 ? {} : { context_map: pairs.map(({ pair }) => pair) }),
    ...(checkedPlaces.length === 0
      ? {}
      : {
          references: checkedPlaces.map(({ uri, status, reason }) => ({
            uri,
            status,
            ...(reason === null ? {} : { reason }),
          })),
        }),
    ...(status === 'blocked' ? {} : givenTexts('blockers', blockers)),
    // Entry by entry, who said what is in the list of the same name.
    ...(reports.length < 2 ? {} : { sources }),
    totals: describeTotals(gathered),
  };
}

function countReports(reports: readonly GatheredReport[]): JsonObject {
  const count = (isOne: (report: GatheredReport) => boolean) => reports.filter(isOne).length;
  return {
    reports: reports.length,
    compliant: count(({ checked }) => checked.compliant),
    status: {
      completed: count(({ status }) => status === 'completed'),
      blocked: count(({ status }) => status === 'blocked'),
      failed: count(({ status }) => status === 'failed'),
    },
    route: {
      accept: count(({ checked }) => checked.route === 'accept'),
      'human-review': count(({ checked }) => checked.route === 'human-review'),
      blocked: count(({ checked }) => checked.route === 'blocked'),
      failed: count(({ checked }) => checked.route === 'failed'),
    },
  };
}

function describeTotals({ reports, tokens, seconds, costUsd }: Gathered): JsonObject {
  const sumOf = (pick: (checked: CheckedReport) => number | null): number | null => {
    const known = reports.flatMap(({ checked }) => pick(checked) ?? []);
    const sum = known.reduce((total, value) => total + value, 0);
    return known.length === 0 || !Number.isFinite(sum) ? null : sum;
  };
  return {
    token_usage: describeSum(tokens),
    execution_time_seconds: describeSum(seconds),
    ...givenNumbers('measured', {
      input_tokens: sumOf(({ measured }) => measured.inputTokens),
      output_tokens: sumOf(({ measured }) => measured.outputTokens),
      cost_usd: costUsd.value === null ? null : Number(costUsd.value.toFixed(6)),
      duration_ms: sumOf(({ measured }) => measured.durationMs),
    }),
    ...givenNumbers('claimed', {
      tokens: sumOf(({ claimed }) => claimed.tokens),
      seconds: sumOf(({ claimed }) => claimed.seconds),
    }),
  };
}

/** From how many reports the sum was measured, claimed by the agent, or not known. */
function describeSum({ measured, claimed, unknown }: Sum): JsonObject {
  return { measured, claimed, unknown };
}

/** All that is known of many reports. One that a merged report among them already has counts once, as its part. */
export function gatherDistinct(inputs: readonly MergeInput[]): Gathered {
  const gathered = gatherReports(inputs);
  const { reports } = gathered;
  const merged = reports.filter(({ agent }) => agent === MERGED_BY);
  const kept = reports.filter((report) => !merged.some((whole) => whole !== report && isPart(report, whole)));
  return kept.length === reports.length ? gathered : gatherReports(kept.map(asInput));
}

function asInput({ source, checked }: GatheredReport): MergeInput {
  return { name: source, checked };
}

/** It is described there, whatever its file was called, and all of its texts are there. */
function isPart(report: GatheredReport, whole: GatheredReport): boolean {
  const { source: _, ...described } = describeReport(report);
  const isDescribed = listParts(whole.checked.report?.findings).some(({ source: _, ...part }) =>
    jsonEquals(part, described),
  );
  return isDescribed && countTexts([whole, report]) === countTexts([whole]);
}

/** Also those of a merged report that is a part itself. */
function listParts(findings: JsonValue | undefined): JsonObject[] {
  const parts = isJsonObject(findings) && Object.hasOwn(findings, 'reports') ? findings.reports : [];
  if (!Array.isArray(parts)) return [];
  return parts.filter(isJsonObject).flatMap((part) => [part, ...listParts(part.findings)]);
}

function countTexts(reports: readonly GatheredReport[]): number {
  const { context, recommendations, gaps, blockers } = gatherReports(reports.map(asInput));
  const said = [recommendations, gaps, blockers, ...context.map(({ texts }) => texts)];
  return said.reduce((count, texts) => count + texts.length, 0);
}

/** What a merged report has of one report: whatever does not stand elsewhere in it. */
function describeReport({ source, checked, agent, taskId, status, error }: GatheredReport): JsonObject {
  const { report, compliant, route, issues, value, measured, claimed } = checked;
  const { inputTokens, outputTokens, costUsd, durationMs } = measured;
  const metadata = report?.report_metadata;
  const numbers = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costUsd,
    duration_ms: durationMs,
  };
  return {
    source,
    agent_name: agent,
    task_id: taskId,
    status,
    verbosity_level: metadata?.verbosity_level ?? null,
    confidence_level: metadata?.confidence_level ?? null,
    route,
    compliant,
    ...(report && error !== null ? { error_message: error } : {}),
    ...givenNumbers('measured', numbers),
    ...givenNumbers('claimed', { ...claimed }),
    problems: issues.map(({ code, severity, path, message, hint }) => ({
      code,
      severity,
      path,
      message,
      ...(hint === undefined ? {} : { hint }),
    })),
    ...(report ? { findings: keepShallow(otherFindings(report.findings)), ...otherKeys(report) } : {}),
    ...(report || value === null ? {} : { value: keepShallow(value) }),
  };
}

function givenNumbers(name: string, numbers: Readonly<Record<string, number | null>>): JsonObject {
  const known = Object.entries(numbers).filter(([, value]) => value !== null);
  return known.length === 0 ? {} : { [name]: Object.fromEntries(known) };
}

/** All but a context map of which every word is in the merged one. */
function otherFindings(findings: JsonObject): JsonObject {
  const { context_map: map, ...others } = findings;
  const isPlain = Array.isArray(map) && map.every((entry) => Array.isArray(entry) && entry.length === 2);
  const entries = readMap(findings);
  const stands = isPlain && entries?.every(({ uri }) => uri === null || uri === canonicalUri(uri));
  return stands ? others : findings;
}

/** What the contract does not know, and the check only warned about. */
function otherKeys(report: AgentReport): JsonObject {
  const unknown = (holder: object, known: readonly { key: string }[]) =>
    Object.entries(holder).filter(([key]) => known.every((field) => field.key !== key)) as [
      string,
      JsonValue,
    ][];
  const top = unknown(report, REPORT_FIELDS);
  const inside = unknown(report.report_metadata, METADATA_FIELDS);
  if (inside.length > 0) top.push(['report_metadata', Object.fromEntries(inside)]);
  return top.length === 0 ? {} : { other_keys: keepShallow(Object.fromEntries(top)) };
}

/** Of the 200 levels that a report may have; a value gets a few more on top of it here. */
const DEEPEST = 190;

/** A value that would make the whole too deep to be read again is kept as its JSON text. */
function keepShallow(value: JsonValue): JsonValue {
  return isDeeper(value, DEEPEST) ? JSON.stringify(value) : value;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
