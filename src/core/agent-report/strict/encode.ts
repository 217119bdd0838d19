import { compileSchema } from '../../json/schema/compile.js';
import { describeFault } from '../../json/schema/describe.js';
import type { CompiledSchema } from '../../json/schema/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject, jsonEquals } from '../../json/values.js';
import { describeValue, list, nameKey, namePlace } from '../wording.js';
import type {
  Definitions,
  LeafShape,
  LiteralShape,
  MappingProblem,
  MapShape,
  ObjectShape,
  Shape,
  TupleShape,
  UnionShape,
} from './shape.js';
import type { Distinctions } from './tell-apart.js';

const MOST_PROBLEMS = 20;

/** What a value cannot become. */
const NOT = Symbol('not carried');
type Encoded = JsonValue | typeof NOT;

/** From the plain form to the strict one. Never throws, for values of no more than a few hundred levels. */
export function makeEncoder(
  root: Shape,
  definitions: Definitions,
  { choiceOf, mayBeNull, absentKeyOf }: Distinctions,
): (value: JsonValue) => { value: JsonValue } | { problems: MappingProblem[] } {
  const checks = new Map<LeafShape, CompiledSchema | null>();

  return (value) => {
    let problems: MappingProblem[] = [];
    /** Alternatives within alternatives would be tried again and again without it. */
    const tried = new Map<UnionShape, Map<JsonValue, Encoded>>();

    const refuse = (path: JsonPath, message: string): typeof NOT => {
      if (problems.length < MOST_PROBLEMS) problems.push({ path, message });
      return NOT;
    };

    const encode = (shape: Shape, plain: JsonValue, path: JsonPath): Encoded => {
      switch (shape.kind) {
        case 'leaf':
          return encodeLeaf(shape, plain, path);
        case 'literal':
          return encodeLiteral(shape, plain, path);
        case 'json':
          if (shape.holds === 'object' && !isJsonObject(plain)) return unlike(plain, 'an object', path);
          return JSON.stringify(plain);
        case 'list':
          if (!Array.isArray(plain)) return unlike(plain, 'a list', path);
          if (!isCount(plain.length, shape)) return miscounted(plain.length, 'entries', shape, path);
          return whole(plain.map((item, index) => encode(shape.items, item, [...path, index])));
        case 'map':
          return isJsonObject(plain)
            ? encodeMap(shape, Object.entries(plain), path)
            : unlike(plain, 'an object', path);
        case 'tuple':
          return Array.isArray(plain) ? encodeTuple(shape, plain, path) : unlike(plain, 'a list', path);
        case 'object':
          return isJsonObject(plain) ? encodeObject(shape, plain, path) : unlike(plain, 'an object', path);
        case 'union':
          return encodeUnion(shape, plain, path);
        case 'reference': {
          const target = definitions.get(shape.name);
          return target ? encode(target, plain, path) : refuse(path, 'Nothing is allowed here.');
        }
        case 'never':
          return refuse(path, `Nothing is allowed in ${namePlace(path)}.`);
      }
    };

    const unlike = (plain: JsonValue, wanted: string, path: JsonPath): typeof NOT =>
      refuse(path, `${upper(namePlace(path))} is ${describeValue(plain)}, not ${wanted}.`);

    const miscounted = (
      count: number,
      what: string,
      { least, most }: { least: number | null; most: number | null },
      path: JsonPath,
    ): typeof NOT => {
      const allowed = [least === null ? '' : `${least} at least`, most === null ? '' : `${most} at most`];
      return refuse(
        path,
        `${upper(namePlace(path))} has ${count} ${what}; allowed are ${list(allowed.filter(Boolean))}.`,
      );
    };

    const encodeLeaf = (shape: LeafShape, plain: JsonValue, path: JsonPath): Encoded => {
      const [fault] = checkOf(shape)?.check(plain, { most: 1 }) ?? [];
      if (fault === undefined) return plain;
      return refuse(path, `${upper(namePlace(path))} ${describeFault(fault).message}.`);
    };

    const encodeLiteral = (shape: LiteralShape, plain: JsonValue, path: JsonPath): Encoded => {
      const found = shape.values.find((value) => jsonEquals(value, plain));
      if (found === undefined) {
        const values = list(
          shape.values.map((value) => JSON.stringify(value)),
          'or',
        );
        return unlike(plain, values, path);
      }
      return shape.asText ? JSON.stringify(found) : found;
    };

    const encodeMap = (shape: MapShape, entries: [string, JsonValue][], path: JsonPath): Encoded => {
      if (!isCount(entries.length, shape)) return miscounted(entries.length, 'keys', shape, path);
      return whole(
        entries.map(([key, inner]) => {
          const name = encode(shape.key, key, [...path, key]);
          const value = encode(shape.value, inner, [...path, key]);
          return name === NOT || value === NOT ? NOT : { key: name, value };
        }),
      );
    };

    const encodeTuple = (shape: TupleShape, plain: JsonValue[], path: JsonPath): Encoded => {
      const { fields, rest } = shape;
      const least = fields.filter(({ required }) => required).length;
      const most = rest ? null : fields.length;
      if (!isCount(plain.length, { least, most }))
        return miscounted(plain.length, 'entries', { least, most }, path);
      const encoded: JsonObject = {};
      let isWhole = true;
      for (const [index, { name, shape: inner }] of fields.entries()) {
        const value =
          index < plain.length ? encode(inner, plain[index]!, [...path, index]) : encodeAbsence(inner);
        if (value === NOT) isWhole = false;
        else encoded[name] = value;
      }
      if (rest) {
        const more = plain.slice(fields.length);
        if (!isCount(more.length, rest.shape))
          return miscounted(more.length, 'further entries', rest.shape, path);
        const items = whole(
          more.map((item, index) => encode(rest.shape.items, item, [...path, fields.length + index])),
        );
        if (items === NOT) isWhole = false;
        else encoded[rest.name] = items;
      }
      return isWhole ? encoded : NOT;
    };

    const encodeObject = ({ fields, rest }: ObjectShape, plain: JsonObject, path: JsonPath): Encoded => {
      const encoded: JsonObject = {};
      let isWhole = true;
      const known = new Set<string>();
      for (const { name, shape, required } of fields) {
        known.add(name);
        const isThere = Object.hasOwn(plain, name);
        const value = isThere
          ? encode(shape, plain[name]!, [...path, name])
          : required
            ? refuse(path, `${upper(namePlace(path))} lacks the key ${nameKey(name)}.`)
            : encodeAbsence(shape);
        if (value === NOT) isWhole = false;
        else encoded[name] = value;
      }
      const others = Object.entries(plain).filter(([key]) => !known.has(key));
      if (rest) {
        const entries = encodeMap(rest.shape, others, path);
        if (entries === NOT) isWhole = false;
        else encoded[rest.name] = entries;
      } else {
        for (const [key] of others) {
          refuse(
            [...path, key],
            `The strict form has no place for the key ${nameKey(key)} in ${namePlace(path)}.`,
          );
          isWhole = false;
        }
      }
      return isWhole ? encoded : NOT;
    };

    const encodeAbsence = (shape: Shape): JsonValue =>
      mayBeNull(shape) ? { [absentKeyOf(shape)]: true } : null;

    const encodeUnion = (shape: UnionShape, plain: JsonValue, path: JsonPath): Encoded => {
      const before = tried.get(shape)?.get(plain);
      const known = before !== undefined && typeof plain === 'object' ? before : undefined;
      const encoded = known ?? tryAlternatives(shape, plain, path);
      if (typeof plain === 'object') {
        const values = tried.get(shape) ?? new Map();
        tried.set(shape, values.set(plain, encoded));
      }
      return encoded === NOT
        ? refuse(
            path,
            `${upper(namePlace(path))} fits none of the ${shape.alternatives.length} shapes that are allowed there.`,
          )
        : encoded;
    };

    const tryAlternatives = (shape: UnionShape, plain: JsonValue, path: JsonPath): Encoded => {
      const found = problems;
      for (const [index, inner] of shape.alternatives.entries()) {
        problems = [];
        const encoded = encode(inner, plain, path);
        problems = found;
        if (encoded === NOT) continue;
        const choice = choiceOf(shape, index);
        return choice === null ? encoded : { [choice]: encoded };
      }
      return NOT;
    };

    const encoded = encode(root, value, []);
    return encoded === NOT ? { problems } : { value: encoded };
  };

  function checkOf(shape: LeafShape): CompiledSchema | null {
    let check = checks.get(shape);
    if (check === undefined) {
      const compiled = compileSchema({ type: shape.type, ...shape.limits });
      check = compiled.status === 'compiled' ? compiled.schema : null;
      checks.set(shape, check);
    }
    return check;
  }
}

function whole(values: Encoded[]): Encoded {
  return values.includes(NOT) ? NOT : (values as JsonValue[]);
}

function isCount(count: number, { least, most }: { least: number | null; most: number | null }): boolean {
  return count >= (least ?? 0) && count <= (most ?? Number.POSITIVE_INFINITY);
}

const upper = (text: string): string => text.replace(/^t/, 'T');
