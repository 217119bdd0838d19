import { makeResolver } from '../../json/schema/subschemas.js';
import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { list, nameKey } from '../wording.js';
import { conditionsIn, forbids, isAsserting, isConditional, onlyConstrains, typesOf } from './keywords.js';
import { readLiterals } from './literals.js';
import { mergeSchemas } from './merge.js';
import { type Definitions, NEVER, type Shape } from './shape.js';
import { findStrays } from './strays.js';
import { joinShapes, type ReadInner, readArray, readLeaf, readObject, withAbout } from './typed-shapes.js';

/** More than any manual has; whoever refers back and forth within one schema can make it endless. */
const MOST_SCHEMAS = 40_000;
const MOST_DEFINITIONS = 1_000;
/** From reference to reference; more are a circle. */
const MOST_HOPS = 50;
const MOST_PROBLEMS = 20;

export type ShapeRead =
  | { status: 'read'; shape: Shape; definitions: Definitions }
  | { status: 'refused'; problems: SchemaProblem[] };

/** A schema without references and `allOf`: its own keywords, and alternatives that hold besides. */
interface Flat {
  schema: JsonObject;
  groups: { path: JsonPath; schemas: JsonValue[] }[];
  /** What holds only under a condition. */
  conditions: JsonObject[];
}

/** The references whose schemas are being taken apart around the one at hand. */
type Trail = ReadonlySet<string>;
const NO_TRAIL: Trail = new Set();

/**
 * The shape of what a JSON Schema allows, as far as the strict transport tells values apart: what only constrains them
 * is left out. Refused, with the place, where a value could be valid and yet not be carried.
 */
export function readShape(root: JsonObject): ShapeRead {
  const problems: SchemaProblem[] = [];
  const definitions = new Map<string, Shape>();
  const names = new Map<string, string>();
  const waiting: { name: string; schema: JsonObject; path: JsonPath }[] = [];
  const follow = makeResolver(root);
  const resolve = (reference: string): JsonObject | undefined => {
    const target = follow(reference);
    return typeof target === 'boolean' ? undefined : target;
  };
  let left = MOST_SCHEMAS;

  const refuse = (path: JsonPath, message: string): Shape => {
    if (problems.length < MOST_PROBLEMS) problems.push({ path, message });
    return NEVER;
  };

  /** Whether there may be one schema more. */
  const spend = (): boolean => {
    if (left-- > 0) return true;
    if (problems.length === 0) refuse([], 'Written out, the schema is too large for the strict form.');
    return false;
  };

  const read = (schema: JsonValue, path: JsonPath, trail: Trail): Shape => {
    if (!spend()) return NEVER;
    if (schema === true) return { kind: 'json', holds: 'anything', about: null };
    if (forbids(schema)) return NEVER;
    if (!isJsonObject(schema)) return refuse(path, 'This is no schema.');
    const pointer = soleReference(schema);
    if (pointer !== null) return refer(pointer, schema, path);
    const flat = flatten(schema, path, trail);
    return flat === null ? NEVER : readFlat(flat.flat, path, flat.trail);
  };

  const refer = (start: string, schema: JsonObject, path: JsonPath): Shape => {
    let pointer = start;
    let target = resolve(pointer);
    for (let hops = 0; target !== undefined && hops < MOST_HOPS; hops++) {
      const further = soleReference(target);
      if (further === null) break;
      pointer = further;
      target = resolve(pointer);
    }
    if (target === undefined)
      return refuse(path, `The reference ${nameKey(pointer)} leads to no schema here.`);
    if (forbids(target)) return NEVER;
    let name = names.get(pointer);
    if (name === undefined) {
      if (names.size >= MOST_DEFINITIONS)
        return refuse(path, `The schema refers to more than ${MOST_DEFINITIONS} definitions.`);
      name = nameDefinition(pointer, new Set(names.values()));
      names.set(pointer, name);
      waiting.push({ name, schema: target, path: pointer.split('/').slice(1) });
    }
    return { kind: 'reference', name, about: aboutOf(schema) };
  };

  /** Null where it allows nothing, or cannot be said. */
  const flatten = (schema: JsonObject, path: JsonPath, trail: Trail): { flat: Flat; trail: Trail } | null => {
    if (!spend()) return null;
    if (Object.hasOwn(schema, '$dynamicRef')) {
      refuse(path, '`$dynamicRef` has no strict form; write `$ref`.');
      return null;
    }
    const own = Object.entries(schema).filter(
      ([keyword]) => !['$ref', 'allOf', 'anyOf', 'oneOf'].includes(keyword) && !isConditional(keyword),
    );
    let flat: Flat = { schema: Object.fromEntries(own), groups: [], conditions: conditionsIn(schema) };
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const schemas = schema[keyword];
      if (Array.isArray(schemas)) flat.groups.push({ path: [...path, keyword], schemas });
    }
    let seen = trail;
    const add = (inner: JsonValue, at: JsonPath, from: Trail): boolean => {
      if (inner === true) return true;
      if (forbids(inner) || !isJsonObject(inner)) return false;
      const taken = flatten(inner, at, from);
      const merged = taken && mergeFlat(flat, taken.flat, path);
      if (!merged) return false;
      flat = merged;
      seen = new Set([...seen, ...taken.trail]);
      return true;
    };
    if (typeof schema.$ref === 'string') {
      const target = resolve(schema.$ref);
      if (target === undefined) {
        refuse(path, `The reference ${nameKey(schema.$ref)} leads to no schema here.`);
        return null;
      }
      if (trail.has(schema.$ref) || trail.size >= MOST_HOPS) {
        const message = `${nameKey(schema.$ref)} leads back to itself, with other keywords beside it; write the reference alone.`;
        refuse(path, message);
        return null;
      }
      if (!add(target, path, new Set([...trail, schema.$ref]))) return null;
    }
    const all = Array.isArray(schema.allOf) ? schema.allOf : [];
    const isWhole = all.every((inner, index) => add(inner, [...path, 'allOf', index], trail));
    return isWhole ? { flat, trail: seen } : null;
  };

  const mergeFlat = (a: Flat, b: Flat, path: JsonPath): Flat | null => {
    const merged = mergeSchemas(a.schema, b.schema);
    if ('inTheWay' in merged) {
      const message = `Two schemas hold at once here, and their ${nameKey(merged.inTheWay)} cannot be made one; write them as one schema.`;
      refuse(path, message);
      return null;
    }
    return {
      schema: merged.schema,
      groups: [...a.groups, ...b.groups],
      conditions: [...a.conditions, ...b.conditions],
    };
  };

  const readFlat = (flat: Flat, path: JsonPath, trail: Trail): Shape => {
    const { schema } = flat;
    const about = aboutOf(schema);
    const isSilent = flat.conditions.length === 0 && !Object.keys(schema).some(isAsserting);
    const groups = flat.groups.filter(
      ({ schemas }) => isSilent || !schemas.every((inner) => onlyConstrains(inner, schema)),
    );
    if (Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const'))
      return withAbout(readLiterals(schema), about);
    const [group, ...others] = groups;
    if (group !== undefined) {
      if (others.length > 0)
        return refuse(path, 'Two lists of alternatives hold at once here; write them as one list.');
      const base: Flat = { ...flat, schema: omit(schema, 'description'), groups: [] };
      const shapes = group.schemas.map((inner, index) => {
        const at = [...group.path, index];
        if (isSilent) return read(inner, at, trail);
        if (inner === true) return readFlat(base, at, trail);
        if (!isJsonObject(inner) || forbids(inner)) return NEVER;
        const taken = flatten(inner, at, trail);
        const merged = taken && mergeFlat(base, taken.flat, at);
        return merged ? readFlat(merged, at, taken.trail) : NEVER;
      });
      return withAbout(joinShapes(shapes), about);
    }
    const strays = flat.conditions.flatMap((condition) => findStrays(condition, schema, resolve));
    if (strays.length > 0) {
      const names = list([...new Set(strays)].map(nameKey));
      return refuse(path, `Only a condition speaks of ${names}; declare it under \`properties\` as well.`);
    }
    const types = typesOf(schema);
    if (types.length === 0 && !Object.hasOwn(schema, 'type'))
      return { kind: 'json', holds: 'anything', about };
    const inner: ReadInner = (deeper, steps) => read(deeper, [...path, ...steps], trail);
    const shapes = types.map((type): Shape => {
      if (type === 'object') return readObject(schema, inner, (message) => refuse(path, message));
      if (type === 'array') return readArray(schema, inner, (message) => refuse(path, message));
      return readLeaf(type, schema);
    });
    return withAbout(joinShapes(shapes), about);
  };

  const shape = read(root, [], NO_TRAIL);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    definitions.set(next.name, read(next.schema, next.path, NO_TRAIL));
  }
  if (problems.length === 0) problems.push(...findCircles(definitions));
  if (problems.length > 0) return { status: 'refused', problems };
  return { status: 'read', shape, definitions };
}

const aboutOf = ({ description }: JsonObject): string | null =>
  typeof description === 'string' && description.trim() !== '' ? description.trim() : null;

function omit(schema: JsonObject, keyword: string): JsonObject {
  const { [keyword]: _left, ...rest } = schema;
  return rest;
}

/** Of a schema that only constrains what it refers to, `allOf` around the reference or not. */
function soleReference(schema: JsonObject): string | null {
  const { $ref, allOf, ...beside } = schema;
  if (!onlyConstrains(beside, {})) return null;
  if (allOf === undefined) return typeof $ref === 'string' ? $ref : null;
  const [only, ...others] = Array.isArray(allOf) ? allOf : [];
  return $ref === undefined && others.length === 0 && isJsonObject(only) ? soleReference(only) : null;
}

function nameDefinition(pointer: string, taken: ReadonlySet<string>): string {
  const last = pointer.split(/[#/]/).at(-1)!;
  const name = /^[A-Za-z_][A-Za-z0-9_-]{0,50}$/.test(last) ? last : 'definition';
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  return free;
}

/** Definitions that are what they are defined to be: no value could ever be told to be one, or not. */
function findCircles(definitions: Definitions): SchemaProblem[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const problems: SchemaProblem[] = [];
  const follow = (shape: Shape): void => {
    if (shape.kind === 'union') shape.alternatives.forEach(follow);
    if (shape.kind === 'reference') visit(shape.name);
  };
  const visit = (name: string): void => {
    if (done.has(name)) return;
    if (open.has(name)) {
      problems.push({
        path: [],
        message: `The definition ${nameKey(name)} refers to itself, and says nothing.`,
      });
      return;
    }
    open.add(name);
    const shape = definitions.get(name);
    if (shape) follow(shape);
    open.delete(name);
    done.add(name);
  };
  for (const name of definitions.keys()) visit(name);
  return problems;
}
