import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { conditionsIn, forbids } from './keywords.js';

/** Schemas within conditions, and references out of them; more nobody writes. */
const DEEPEST = 20;
const MOST_BASES = 50;

/**
 * Keys that only a condition speaks of, at any depth: no strict schema would have a place for them. `base` is what holds
 * without the condition.
 */
export function findStrays(
  condition: JsonObject,
  base: JsonObject,
  resolve: (reference: string) => JsonObject | undefined,
): string[] {
  const find = (schema: JsonValue | undefined, given: readonly JsonValue[], depth: number): string[] => {
    if (!isJsonObject(schema) || depth > DEEPEST) return [];
    const bases = spread(given, resolve);
    const same = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((all) => (Array.isArray(all) ? all : []));
    const named = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
    return [
      ...[...same, ...conditionsIn(schema)].flatMap((inner) => find(inner, bases, depth + 1)),
      ...(takesKeys(bases) ? [] : named.flatMap(([key, inner]) => findKey(key, inner, bases, depth))),
      ...find(schema.items, pick(bases, 'items'), depth + 1),
    ];
  };

  const findKey = (key: string, schema: JsonValue, bases: readonly JsonObject[], depth: number): string[] => {
    if (forbids(schema)) return [];
    const declared = bases.flatMap(({ properties }) =>
      isJsonObject(properties) && Object.hasOwn(properties, key) ? [properties[key]!] : [],
    );
    return declared.length === 0 ? [key] : find(schema, declared, depth + 1);
  };

  return find(condition, [base], 0);
}

/** With those that they refer to, and those that hold with them. */
function spread(
  schemas: readonly JsonValue[],
  resolve: (reference: string) => JsonObject | undefined,
): JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting = [...schemas];
  while (waiting.length > 0 && found.size < MOST_BASES) {
    const schema = waiting.pop()!;
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    if (Array.isArray(schema.allOf)) waiting.push(...schema.allOf);
    const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
    if (target) waiting.push(target);
  }
  return [...found];
}

/** Whether keys without names are carried anyway, or cannot be there at all. */
function takesKeys(bases: readonly JsonObject[]): boolean {
  const isNaming = ({ properties, required }: JsonObject) =>
    isJsonObject(properties) || Array.isArray(required);
  if (!bases.some(isNaming)) return true;
  return bases.some((schema) => {
    const { additionalProperties: others, patternProperties } = schema;
    const isTyped = isJsonObject(others) && Object.keys(others).length > 0;
    return others === false || isTyped || isJsonObject(patternProperties);
  });
}

function pick(bases: readonly JsonObject[], keyword: string): JsonValue[] {
  return bases.flatMap((schema) => (Object.hasOwn(schema, keyword) ? [schema[keyword]!] : []));
}
