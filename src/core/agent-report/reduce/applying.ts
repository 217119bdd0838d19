import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { makeResolver, mapSubschemas } from '../subschemas.js';
import { openAlternatives } from './alternatives.js';

/** Which schemas within a schema apply to a value, as far as they matter: those that are marked or lead to a mark. */
export interface Applying {
  leadsToMark(schema: JsonValue | undefined): schema is JsonObject;
  /** All that these schemas apply to the value, themselves included; null where one of them is marked. */
  gather(schemas: readonly JsonValue[], value: JsonValue): JsonObject[] | null;
  /** Whether there was too much to look at, so that nothing of it counts. */
  failed(): boolean;
}

/** Of alternatives those apply that the value keeps; it is marked where all of these are. Every step counts as work. */
export function openApplying(
  root: JsonObject,
  isMarked: (schema: JsonObject) => boolean,
  work: { left: number },
): Applying {
  const resolve = makeResolver(root);
  const leading = findLeading(root, resolve, isMarked);
  const alternatives = openAlternatives(root, work);

  const leadsToMark = (schema: JsonValue | undefined): schema is JsonObject =>
    isJsonObject(schema) && leading.has(schema);

  /** False where the value is marked. */
  const add = (first: JsonValue, value: JsonValue, found: Set<JsonObject>): boolean => {
    // By hand: references can form a chain longer than any stack of calls.
    const waiting: (JsonValue | undefined)[] = [first];
    while (waiting.length > 0) {
      const schema = waiting.pop();
      if (!leadsToMark(schema) || found.has(schema)) continue;
      if (isMarked(schema)) return false;
      if (--work.left < 0) return true;
      found.add(schema);
      const { $ref, allOf, anyOf, oneOf, dependentSchemas } = schema;
      if (![anyOf, oneOf].every((options) => addKept(options, value, found))) return false;
      if (typeof $ref === 'string') waiting.push(resolve($ref));
      if (Array.isArray(allOf)) waiting.push(...allOf);
      waiting.push(...dependentsOf(dependentSchemas, value), chooseBranch(schema, value));
    }
    return true;
  };

  const addKept = (options: JsonValue | undefined, value: JsonValue, found: Set<JsonObject>): boolean => {
    if (!Array.isArray(options) || !options.some(leadsToMark)) return true;
    const kept = options.filter((option) => alternatives.holds(option, value));
    let stays = kept.length === 0;
    for (const option of kept) {
      const own = new Set<JsonObject>();
      if (!add(option, value, own)) continue;
      stays = true;
      for (const schema of own) found.add(schema);
    }
    return stays;
  };

  const chooseBranch = (schema: JsonObject, value: JsonValue): JsonValue | undefined => {
    const { if: condition, then: one, else: other } = schema;
    if (condition === undefined || !(leadsToMark(one) || leadsToMark(other))) return undefined;
    return alternatives.holds(condition, value) ? one : other;
  };

  return {
    leadsToMark,
    gather(schemas, value) {
      const found = new Set<JsonObject>();
      return schemas.every((schema) => add(schema, value, found)) ? [...found] : null;
    },
    failed: () => work.left < 0 || alternatives.failed(),
  };
}

/** The schemas that are marked, or lead to one that is, by whatever way. */
function findLeading(
  root: JsonObject,
  resolve: (reference: string) => JsonObject | undefined,
  isMarked: (schema: JsonObject) => boolean,
): ReadonlySet<JsonObject> {
  const leadHere = new Map<JsonObject, JsonObject[]>();
  const marked: JsonObject[] = [];
  const link = (from: JsonObject, to: JsonObject | undefined) => {
    if (to === undefined) return;
    const known = leadHere.get(to);
    if (known) known.push(from);
    else leadHere.set(to, [from]);
  };
  const look = (schema: JsonObject): JsonObject => {
    if (isMarked(schema)) marked.push(schema);
    if (typeof schema.$ref === 'string') link(schema, resolve(schema.$ref));
    return mapSubschemas(schema, (inner) => {
      link(schema, inner);
      return look(inner);
    });
  };
  look(root);
  const leading = new Set(marked);
  // The set grows while it is gone through.
  for (const schema of leading) for (const holder of leadHere.get(schema) ?? []) leading.add(holder);
  return leading;
}

function dependentsOf(dependents: JsonValue | undefined, value: JsonValue): JsonValue[] {
  if (!isJsonObject(dependents) || !isJsonObject(value)) return [];
  return Object.keys(dependents)
    .filter((key) => Object.hasOwn(value, key))
    .map((key) => dependents[key]!);
}
