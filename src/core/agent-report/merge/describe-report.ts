import type { JsonObject, JsonValue } from '../../json/types.js';
import { canonicalUri } from '../context-map/reference.js';
import { METADATA_FIELDS, REPORT_FIELDS } from '../fields.js';
import type { AgentReport } from '../types.js';
import type { GatheredReport } from './gather.js';
import { readMap } from './gather-context.js';

/** What a merged report has of one report: whatever does not stand elsewhere in it. */
export function describeReport({
  source,
  checked,
  agent,
  taskId,
  status,
  error,
}: GatheredReport): JsonObject {
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

export function givenNumbers(name: string, numbers: Readonly<Record<string, number | null>>): JsonObject {
  const known = Object.entries(numbers).filter(([, value]) => value !== null);
  return known.length === 0 ? {} : { [name]: Object.fromEntries(known) };
}

/** All but a context map of which every word stands in the merged one. */
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
