import type { AgentReport, CheckedReport } from '../core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../core/json/types.js';
import { isJsonObject } from '../core/json/values.js';
import type { Redactor } from '../core/redact/redactor.js';

/** The same without secrets, in keys too: a context map may have its texts for keys. */
export function maskChecked(redactor: Redactor, checked: CheckedReport): CheckedReport {
  const masked = redactor.maskAll(checked);
  const value = maskKeys(redactor, masked.value);
  // What is compliant is a report; it is the same value but for what the strict form had to say otherwise.
  const report = masked.report && maskKeys(redactor, masked.report as unknown as JsonValue);
  return { ...masked, value, report: report as unknown as AgentReport | null };
}

/** What is masked alike gets a number. */
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
