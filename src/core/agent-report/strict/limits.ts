import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';

/** What OpenAI's service takes in one schema. */
const LIMITS = {
  properties: 5_000,
  enumValues: 1_000,
  /** Of names of properties and definitions, and of values of enums, together. */
  characters: 120_000,
  /** Values of one enum, from which on their characters count. */
  manyValues: 250,
  charactersOfMany: 15_000,
};

/** Where a strict schema is too large to be taken. */
export function checkLimits(schema: JsonObject): SchemaProblem[] {
  const counts = { properties: 0, enumValues: 0, characters: 0 };
  const problems: SchemaProblem[] = [];
  const count = (inner: JsonValue): void => {
    if (!isJsonObject(inner)) return;
    for (const named of [inner.properties, inner.$defs]) {
      if (!isJsonObject(named)) continue;
      const names = Object.keys(named);
      counts.characters += lengthOf(names);
      if (named === inner.properties) counts.properties += names.length;
      Object.values(named).forEach(count);
    }
    if (Array.isArray(inner.enum)) {
      counts.enumValues += inner.enum.length;
      counts.characters += lengthOf(inner.enum);
      if (inner.enum.length > LIMITS.manyValues && lengthOf(inner.enum) > LIMITS.charactersOfMany)
        problems.push(
          tooMuch('characters in one list of values', lengthOf(inner.enum), LIMITS.charactersOfMany),
        );
    }
    if (Array.isArray(inner.anyOf)) inner.anyOf.forEach(count);
    if (inner.items !== undefined) count(inner.items);
  };
  count(schema);
  if (counts.properties > LIMITS.properties)
    problems.push(tooMuch('keys', counts.properties, LIMITS.properties));
  if (counts.enumValues > LIMITS.enumValues)
    problems.push(tooMuch('listed values', counts.enumValues, LIMITS.enumValues));
  if (counts.characters > LIMITS.characters)
    problems.push(tooMuch('characters in names and listed values', counts.characters, LIMITS.characters));
  return problems;
}

function lengthOf(values: readonly JsonValue[]): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, 0);
}

function tooMuch(what: string, count: number, most: number): SchemaProblem {
  return { path: [], message: `The strict form has ${count} ${what}; strict services take ${most}.` };
}
