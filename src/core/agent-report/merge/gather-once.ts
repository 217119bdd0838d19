import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';
import { MERGED_BY } from '../types.js';
import { describeReport } from './describe-report.js';
import { type Gathered, type GatheredReport, gatherReports, type MergeInput } from './gather.js';

/** All that is known of many reports. One that a merged report among them already has counts once, as its part. */
export function gatherOnce(inputs: readonly MergeInput[]): Gathered {
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
