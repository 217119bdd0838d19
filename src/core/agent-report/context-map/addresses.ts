import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import type { ContextEntry } from '../types.js';

const MOST = 10_000;

/**
 * The addresses that findings hold beside their context map, such as the evidence of an answer: every text that is
 * nothing but a `repo://…`. Their paths begin at the findings.
 */
export function findAddresses(findings: JsonObject): ContextEntry[] {
  const found: ContextEntry[] = [];
  const look = (value: JsonValue, path: JsonPath): void => {
    if (found.length >= MOST) return;
    if (typeof value === 'string') {
      if (/^repo:\/\/\S+$/i.test(value)) found.push({ text: '', uri: value, path });
    } else if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) look(each, [...path, at]);
    } else if (isJsonObject(value)) {
      for (const [key, each] of Object.entries(value)) look(each, [...path, key]);
    }
  };
  const { context_map: _, ...others } = findings;
  look(others, []);
  return found;
}
