import type { JsonObject } from '../../json/types.js';
import { foldText, shorten } from '../../shorten.js';
import { type AgentReport, type CheckedReport, MERGED_BY, VERBOSITIES, type Verbosity } from '../types.js';
import { describeReport, givenNumbers } from './describe-report.js';
import type { Gathered, GatheredReport, MergeInput, Sum } from './gather.js';
import { gatherOnce } from './gather-once.js';
import type { Said } from './said.js';

/**
 * Many reports as one, which keeps the contract itself: it can be checked, merged again, and read by whoever reads
 * reports. A report that is not compliant counts as failed, with a confidence of 0. Nothing is lost: `findings.reports`
 * has of each report whatever does not stand elsewhere. Times are added up as work, though agents may have worked side by
 * side. The order of the inputs is that of everything in it.
 */
export function mergeReports(inputs: readonly MergeInput[]): AgentReport {
  const gathered = gatherOnce(inputs);
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
    // The contract has them for blocked reports alone; otherwise they stand in the findings.
    ...(status === 'blocked' ? givenTexts('blockers', blockers) : {}),
  };
}

function givenTexts<Key extends string>(key: Key, said: readonly Said[]): { [key in Key]?: string[] } {
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
    // Entry by entry, who said what stands in the list of the same name.
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
