import { writePath } from '../../json/path.js';
import { compileSchema } from '../../json/schema/compile.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { findingsAt, isAbove, readLevelMark } from '../levels.js';
import type { Manual, Verbosity } from '../types.js';
import { openApplying } from './applying.js';

/** Values and schemas looked at, one by the other, those looked at again for alternatives included. */
const MOST_STEPS = 10_000_000;
/** More paths are counted, not told. */
const MOST_TOLD = 100;

export interface Kept {
  findings: JsonObject;
  /** Paths, `[*]` for every entry of a list. */
  leftOut: string[];
}

/**
 * The findings without what the schema marks for a level above `to`. A value that only a marked alternative describes
 * goes as a whole. Null where it takes too many steps to tell.
 */
export function leaveOutMarked(
  findings: JsonObject,
  manual: Manual,
  { from, to }: { from: Verbosity; to: Verbosity },
): Kept | null {
  const root = findingsAt(manual, from);
  const work = { left: MOST_STEPS };
  const isMarked = (schema: JsonObject) => schema !== root && isAbove(readLevelMark(schema), to);
  const applying = openApplying(root, isMarked, work);
  const matches = openPatterns();
  const gone = new Set<string>();
  const path: (string | number)[] = ['findings'];

  /** Undefined where the value itself is not to stay. */
  const reduce = (value: JsonValue, said: readonly JsonValue[]): JsonValue | undefined => {
    const schemas = applying.gather(said, value);
    if (schemas === null) {
      gone.add(writePattern(path));
      return undefined;
    }
    if (schemas.length === 0 || value === null || typeof value !== 'object' || work.left < 0) return value;
    work.left -= schemas.length * Object.keys(value).length;
    return Array.isArray(value) ? reduceList(value, schemas) : reduceObject(value, schemas);
  };

  const reduceAt = (step: string | number, value: JsonValue, schemas: readonly JsonValue[]) => {
    if (!schemas.some(applying.leadsToMark)) return value;
    path.push(step);
    const reduced = reduce(value, schemas);
    path.pop();
    return reduced;
  };

  const reduceObject = (object: JsonObject, schemas: readonly JsonObject[]): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, value]) => {
        const said = schemas.flatMap((schema) => schemasAtKey(schema, key, matches));
        const kept = reduceAt(key, value, said);
        return kept === undefined ? [] : [[key, kept]];
      }),
    );

  const reduceList = (entries: readonly JsonValue[], schemas: readonly JsonObject[]): JsonValue[] => {
    const kept: JsonValue[] = [];
    for (const [index, entry] of entries.entries()) {
      const said = schemas.map((schema) => schemaAtIndex(schema, index));
      const reduced = reduceAt(index, entry, said);
      if (reduced !== undefined) kept.push(reduced);
      // What stands behind a place of its own would come to stand in it.
      else if (schemas.some(({ prefixItems }) => Array.isArray(prefixItems) && index < prefixItems.length))
        break;
    }
    return kept;
  };

  const reduced = reduce(findings, [root]);
  if (applying.failed()) return null;
  return { findings: isJsonObject(reduced) ? reduced : {}, leftOut: tell([...gone]) };
}

type Matches = (source: string, key: string) => boolean;

function schemasAtKey(schema: JsonObject, key: string, matches: Matches): JsonValue[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const named = isJsonObject(properties) && Object.hasOwn(properties, key) ? [properties[key]!] : [];
  const matched = isJsonObject(patternProperties)
    ? Object.keys(patternProperties).filter((source) => matches(source, key))
    : [];
  const all = [...named, ...matched.map((source) => (patternProperties as JsonObject)[source]!)];
  return all.length > 0 || additionalProperties === undefined ? all : [additionalProperties];
}

function schemaAtIndex({ prefixItems, items = true }: JsonObject, index: number): JsonValue {
  return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index]! : items;
}

/** Whether keys match patterns; each pattern is read once. */
function openPatterns(): Matches {
  const known = new Map<string, (key: string) => boolean>();
  return (source, key) => {
    let test = known.get(source);
    if (test === undefined) {
      const read = compileSchema({ pattern: source });
      test = read.status === 'compiled' ? (text) => read.schema.check(text).length === 0 : () => false;
      known.set(source, test);
    }
    return test(key);
  };
}

function writePattern(path: JsonPath): string {
  const steps = path.map((step) => (typeof step === 'number' ? '[*]' : writePath([step]).slice(1)));
  return `$${steps.join('')}`;
}

function tell(paths: readonly string[]): string[] {
  if (paths.length <= MOST_TOLD) return [...paths];
  return [...paths.slice(0, MOST_TOLD), `${paths.length - MOST_TOLD} more fields`];
}
