import { hasReference, makeResolver, mapSubschemas, walkSchemas } from '../json/schema/keywords.js';
import type { JsonObject, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { type Manual, VERBOSITIES, type Verbosity } from './types.js';

/** The mark that a manual's schema sets on what is only in reports of that level and above. */
export const LEVEL_MARK = 'x-verbosity';

/** Keywords whose schemas must hold for the same object, so that what they require is required of it. */
const SAME_OBJECT = new Set(['allOf', 'then', 'else', 'dependentSchemas']);

/** From reference to reference; more are a cycle, or not a real manual. */
const MOST_HOPS = 20;

const NO_KEYS: ReadonlySet<string> = new Set();

export function readLevelMark(schema: JsonValue): Verbosity | null {
  const mark = isJsonObject(schema) && Object.hasOwn(schema, LEVEL_MARK) ? schema[LEVEL_MARK] : undefined;
  return VERBOSITIES.find((level) => level === mark) ?? null;
}

/** Names the report levels that include a part with this mark. */
export function describeLevels(mark: Verbosity): string {
  return mark === VERBOSITIES.at(-1) ? `reports of level "${mark}"` : `reports of level "${mark}" and above`;
}

/** Whether a part with this mark is left out at that level. */
export function isAbove(mark: Verbosity | null, level: Verbosity): boolean {
  return mark !== null && VERBOSITIES.indexOf(mark) > VERBOSITIES.indexOf(level);
}

/**
 * The schema of the findings of one level: what belongs to a higher one is `{"not": {}}`, with its mark, and is not
 * required. With null it is the schema of a report whose level is not known: nothing of any level is refused or missed.
 */
export function findingsAt(manual: Manual, level: Verbosity | null): JsonObject {
  const root = manual.findings;
  const resolve = makeResolver(root);
  const isBeyond = (mark: Verbosity | null) => (level === null ? mark !== null : isAbove(mark, level));

  /** By its own mark, or by that of what it refers to. */
  const isLeftOut = (schema: JsonValue): boolean => {
    let at: JsonValue | undefined = schema;
    for (let hops = 0; hops < MOST_HOPS && isJsonObject(at) && at !== root; hops++) {
      if (isBeyond(readLevelMark(at))) return true;
      at = typeof at.$ref === 'string' ? resolve(at.$ref) : undefined;
    }
    return false;
  };

  const keysLeftOut = (schema: JsonValue): string[] => {
    if (!isJsonObject(schema)) return [];
    const { properties, allOf } = schema;
    const own = isJsonObject(properties) ? Object.entries(properties) : [];
    const keys = own.filter(([, inner]) => isLeftOut(inner)).map(([key]) => key);
    return Array.isArray(allOf) ? [...keys, ...allOf.flatMap(keysLeftOut)] : keys;
  };

  const fitSchema = (schema: JsonObject, inherited: ReadonlySet<string>): JsonObject => {
    const gone = new Set([...inherited, ...keysLeftOut(schema)]);
    const fitted = mapSubschemas(schema, (inner, keyword) => {
      const mark = readLevelMark(inner);
      if (level !== null && isBeyond(mark)) {
        // What refers to it by name still finds it.
        const named = typeof inner.$anchor === 'string' ? { $anchor: inner.$anchor } : {};
        return { not: {}, [LEVEL_MARK]: mark, ...named };
      }
      return fitSchema(inner, SAME_OBJECT.has(keyword) ? gone : NO_KEYS);
    });
    if (gone.size === 0) return fitted;
    const keep = (keys: JsonValue) =>
      Array.isArray(keys) ? keys.filter((key) => !gone.has(String(key))) : keys;
    if (Object.hasOwn(fitted, 'required')) fitted.required = keep(fitted.required!);
    if (isJsonObject(fitted.dependentRequired))
      fitted.dependentRequired = Object.fromEntries(
        Object.entries(fitted.dependentRequired).map(([key, keys]) => [key, keep(keys)]),
      );
    return fitted;
  };
  return fitSchema(root, NO_KEYS);
}

/** Whether the findings differ between the manual's levels. */
export function hasLevelMarks({ findings }: Manual): boolean {
  for (const { schema } of walkSchemas(findings))
    if (schema !== findings && readLevelMark(schema) !== null) return true;
  return false;
}

/**
 * The same for a task that was not completed: what was found need not be all, so nothing is required at the top. A
 * schema that refers to itself as a whole stays as it is, since its top is also somewhere below.
 */
export function withoutRequired(schema: JsonObject): JsonObject {
  const top = ['#', ...(typeof schema.$anchor === 'string' ? [`#${schema.$anchor}`] : [])];
  if (hasReference(schema, (reference) => top.includes(reference))) return schema;
  const { required: _, ...rest } = schema;
  return rest;
}
