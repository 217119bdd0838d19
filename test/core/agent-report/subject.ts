import { BUILT_IN } from '../../../src/agents/built-in.js';
import { parseManual } from '../../../src/core/agent-report/manual/parse.js';
import type { Asked, JudgeOptions, Manual } from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../../src/core/json/values.js';

export const NOTHING_ASKED: Asked = { agent: null, taskId: null, verbosity: null };

/** The manuals that come with the program. */
export const MANUALS: readonly Manual[] = [...BUILT_IN].map(([name, text]) => {
  const { manual, issues } = parseManual(name, text);
  if (manual === null) throw new Error(`${name}: ${issues[0]?.message}`);
  return manual;
});

export const manualOf = (name: string): Manual | null =>
  MANUALS.find((manual) => manual.name === name.toLowerCase()) ?? null;

export const OPTIONS: JudgeOptions = { manualOf, asked: NOTHING_ASKED, lenient: false };

/** A manual with these findings and nothing special otherwise. */
export function makeManual(findings: JsonObject, more: Partial<Manual> = {}): Manual {
  return {
    name: 'surveyor',
    purpose: null,
    whenToUse: null,
    briefing: [],
    levels: [
      { level: 'summary', holds: '' },
      { level: 'detailed', holds: '' },
      { level: 'comprehensive', holds: '' },
    ],
    summaryBudget: 4000,
    findings,
    example: null,
    instructions: '',
    ...more,
  };
}

/** A copy with another value at a place; without a value, with nothing there. */
export function change(report: JsonObject, path: JsonPath, value?: JsonValue): JsonObject {
  const copy = structuredClone(report);
  const key = path.at(-1)!;
  const holder = path
    .slice(0, -1)
    .reduce<JsonValue>((at, step) => (at as Record<string | number, JsonValue>)[step]!, copy);
  if (value !== undefined) (holder as Record<string | number, JsonValue>)[key] = value;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete (holder as JsonObject)[key as string];
  return copy;
}
