import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { judgeValue } from '../judge.js';
import { isAbove, readLevelMark } from '../levels.js';
import type { AgentReport, Assignment, Manual, Verbosity } from '../types.js';

/**
 * The manual's example as a report of the task and level that is asked for, without what belongs to a higher level. Null
 * where there is none, or where it does not keep the manual at that level.
 */
export function exampleFor(manual: Manual, { taskId, verbosity }: Assignment): AgentReport | null {
  const { name, example, findings } = manual;
  if (!example) return null;
  const asked = { agent: name, taskId, verbosity };
  const confirmed = { agent_name: name, task_id: taskId, verbosity_level: verbosity };
  const report = {
    ...example,
    report_metadata: { ...example.report_metadata, ...confirmed },
    findings: withoutHigherLevels(example.findings, findings, verbosity),
  } as unknown as JsonObject;
  const judgement = judgeValue(report, { manualOf: () => manual, asked, lenient: false });
  return judgement.compliant ? judgement.report : null;
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
