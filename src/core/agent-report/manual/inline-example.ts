import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { judgeValue } from '../judge.js';
import { isAbove, readLevelMark } from '../levels.js';
import type { AgentReport, Assignment, Manual, Verbosity } from '../types.js';
import { sampleReport } from './sample.js';

/**
 * A report of the task and level that is asked for and that keeps the manual: its own example without what belongs to a
 * higher level, else one from the schema. Null where none of them keeps it.
 */
export function inlineExample(manual: Manual, { taskId, verbosity }: Assignment): AgentReport | null {
  const asked = { agent: manual.name, taskId, verbosity };
  for (const make of [ownExample, sampleReport]) {
    const example = make(manual, verbosity);
    if (!example) continue;
    const metadata = { ...example.report_metadata, agent_name: manual.name, task_id: taskId };
    const report = { ...example, report_metadata: metadata } as unknown as JsonObject;
    const judgement = judgeValue(report, { manualOf: () => manual, asked, lenient: false });
    if (judgement.compliant) return judgement.report;
  }
  return null;
}

function ownExample({ example, findings }: Manual, level: Verbosity): AgentReport | null {
  if (!example) return null;
  const metadata = { ...example.report_metadata, verbosity_level: level };
  const kept = withoutHigherLevels(example.findings, findings, level) as JsonObject;
  return { ...example, report_metadata: metadata, findings: kept };
}

/** Only marks under `properties` and `items` are followed: that is where manuals have them. */
function withoutHigherLevels(value: JsonValue, schema: JsonValue | undefined, level: Verbosity): JsonValue {
  if (!isJsonObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => withoutHigherLevels(item, schema.items, level));
  if (!isJsonObject(value)) return value;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const schemaOf = (key: string) => (Object.hasOwn(properties, key) ? properties[key]! : true);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isAbove(readLevelMark(schemaOf(key)), level))
      .map(([key, inner]) => [key, withoutHigherLevels(inner, schemaOf(key), level)]),
  );
}
