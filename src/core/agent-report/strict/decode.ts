import { readJson } from '../../json/read.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { describeValue, list, nameKey, namePlace } from '../wording.js';
import type { Definitions, Field, MappingProblem, MapShape, Shape, UnionShape } from './shape.js';
import type { Distinctions } from './tell-apart.js';

const MOST_PROBLEMS = 20;

/** What cannot be mapped back; and what says of itself that it is not there. */
const NOT = Symbol('not mapped');
const ABSENT = Symbol('absent');
type Decoded = JsonValue | typeof NOT;

/**
 * From the strict form to the plain one. Refuses what has another shape; whether texts and numbers are those that the
 * schema wants is left to the judge. Never throws, for values of no more than a few hundred levels.
 */
export function makeDecoder(
  root: Shape,
  definitions: Definitions,
  { choiceOf, mayBeNull, absentKeyOf }: Distinctions,
): (value: JsonValue) => { value: JsonValue } | { problems: MappingProblem[] } {
  return (value) => {
    const problems: MappingProblem[] = [];

    const refuse = (path: JsonPath, message: string): typeof NOT => {
      if (problems.length < MOST_PROBLEMS) problems.push({ path, message });
      return NOT;
    };

    const unlike = (strict: JsonValue, wanted: string, path: JsonPath): typeof NOT =>
      refuse(path, `${upper(namePlace(path))} is ${describeValue(strict)}, not ${wanted}.`);

    const decode = (shape: Shape, strict: JsonValue, path: JsonPath): Decoded => {
      switch (shape.kind) {
        case 'leaf':
          return isOfType(strict, shape.type) ? strict : unlike(strict, TYPE_NAMES[shape.type], path);
        case 'literal':
          if (!shape.asText)
            return isOfType(strict, shape.type) ? strict : unlike(strict, TYPE_NAMES[shape.type], path);
          return decodeText(strict, path);
        case 'json': {
          const plain = decodeText(strict, path);
          if (plain === NOT || shape.holds === 'anything' || isJsonObject(plain)) return plain;
          return refuse(
            path,
            `${upper(namePlace(path))} holds ${describeValue(plain)} as JSON, not an object.`,
          );
        }
        case 'list':
          if (!Array.isArray(strict)) return unlike(strict, 'a list', path);
          return whole(strict.map((item, index) => decode(shape.items, item, [...path, index])));
        case 'map':
          return decodeMap(shape, strict, path, {});
        case 'tuple': {
          const fields = decodeFields(shape.fields, shape.rest?.name, strict, path);
          if (fields === NOT) return NOT;
          const absent = fields.indexOf(ABSENT);
          const given = (absent === -1 ? fields : fields.slice(0, absent)) as JsonValue[];
          const rest = shape.rest
            ? decode(shape.rest.shape, (strict as JsonObject)[shape.rest.name]!, [...path, shape.rest.name])
            : [];
          if (rest === NOT) return NOT;
          const more = rest as JsonValue[];
          if (absent === -1) return [...given, ...more];
          if ([...fields.slice(absent), ...more].some((field) => field !== ABSENT))
            return refuse(path, `In ${namePlace(path)} something follows after what is not there.`);
          return given;
        }
        case 'object': {
          const fields = decodeFields(shape.fields, shape.rest?.name, strict, path);
          if (fields === NOT) return NOT;
          const plain: JsonObject = {};
          for (const [index, { name }] of shape.fields.entries()) {
            const field = fields[index]!;
            if (field !== ABSENT) plain[name] = field;
          }
          if (!shape.rest) return plain;
          const { name, shape: others } = shape.rest;
          const taken = new Set(shape.fields.map((field) => field.name));
          return decodeMap(others, (strict as JsonObject)[name]!, [...path, name], plain, taken);
        }
        case 'union':
          return decodeUnion(shape, strict, path);
        case 'reference': {
          const target = definitions.get(shape.name);
          return target ? decode(target, strict, path) : refuse(path, 'Nothing is allowed here.');
        }
        case 'never':
          return refuse(path, `Nothing is allowed in ${namePlace(path)}.`);
      }
    };

    const decodeText = (strict: JsonValue, path: JsonPath): Decoded => {
      if (typeof strict !== 'string') return unlike(strict, 'a text that holds JSON', path);
      const read = readJson(strict);
      if (read.status === 'value') return read.value;
      return refuse(path, `${upper(namePlace(path))} is to hold JSON as a text: ${read.problem.message}`);
    };

    const decodeMap = (
      shape: MapShape,
      strict: JsonValue,
      path: JsonPath,
      plain: JsonObject,
      taken: Set<string> = new Set(),
    ): Decoded => {
      if (!Array.isArray(strict)) return unlike(strict, 'a list of keys and values', path);
      let isWhole = true;
      for (const [index, entry] of strict.entries()) {
        const at = [...path, index];
        const value = decodeEntry(shape, entry, at, taken);
        if (value === NOT) isWhole = false;
        else plain[(entry as { key: string }).key] = value;
      }
      return isWhole ? plain : NOT;
    };

    const decodeEntry = (shape: MapShape, entry: JsonValue, path: JsonPath, taken: Set<string>): Decoded => {
      if (!hasKeys(entry, ['key', 'value'], path)) return NOT;
      const { key } = entry;
      if (typeof key !== 'string') return unlike(key!, 'a text', [...path, 'key']);
      if (key === '__proto__') return refuse([...path, 'key'], 'No key may be `__proto__`.');
      if (taken.has(key)) return refuse([...path, 'key'], `The key ${nameKey(key)} stands there already.`);
      taken.add(key);
      return decode(shape.value, entry.value!, [...path, 'value']);
    };

    /** One value for each field. */
    const decodeFields = (
      fields: readonly Field[],
      rest: string | undefined,
      strict: JsonValue,
      path: JsonPath,
    ): (JsonValue | typeof ABSENT)[] | typeof NOT => {
      const names = fields.map(({ name }) => name);
      if (!hasKeys(strict, rest === undefined ? names : [...names, rest], path)) return NOT;
      const decoded = fields.map((field) => decodeField(field, strict[field.name]!, [...path, field.name]));
      return decoded.includes(NOT) ? NOT : (decoded as (JsonValue | typeof ABSENT)[]);
    };

    const decodeField = (
      { shape, required }: Field,
      strict: JsonValue,
      path: JsonPath,
    ): Decoded | typeof ABSENT => {
      if (required) return decode(shape, strict, path);
      if (!mayBeNull(shape)) return strict === null ? ABSENT : decode(shape, strict, path);
      const key = absentKeyOf(shape);
      const isAbsent = isJsonObject(strict) && Object.hasOwn(strict, key) && Object.keys(strict).length === 1;
      return isAbsent && strict[key] === true ? ABSENT : decode(shape, strict, path);
    };

    const decodeUnion = (shape: UnionShape, strict: JsonValue, path: JsonPath): Decoded => {
      for (const [index, inner] of shape.alternatives.entries()) {
        const choice = choiceOf(shape, index);
        if (choice === null) {
          if (looksLike(inner, strict)) return decode(inner, strict, path);
        } else if (isJsonObject(strict) && Object.hasOwn(strict, choice)) {
          return hasKeys(strict, [choice], path) ? decode(inner, strict[choice]!, [...path, choice]) : NOT;
        }
      }
      const choices = shape.alternatives.flatMap((_, index) => choiceOf(shape, index) ?? []);
      if (choices.length === 0)
        return refuse(
          path,
          `${upper(namePlace(path))} is ${describeValue(strict)}, which is none of the shapes allowed there.`,
        );
      return unlike(strict, `an object with the one key ${list(choices.map(nameKey), 'or')}`, path);
    };

    /** Whether it is of this alternative and of no other; the keys of an object decide, not what they hold. */
    const looksLike = (shape: Shape, strict: JsonValue): boolean => {
      switch (shape.kind) {
        case 'leaf':
        case 'literal':
          return isOfType(strict, shape.type);
        case 'json':
          return typeof strict === 'string';
        case 'list':
        case 'map':
          return Array.isArray(strict);
        case 'tuple':
        case 'object': {
          const names = [...shape.fields.map(({ name }) => name), ...(shape.rest ? [shape.rest.name] : [])];
          return isJsonObject(strict) && sameKeys(strict, names);
        }
        case 'union':
          return shape.alternatives.some((inner, index) => {
            const choice = choiceOf(shape, index);
            if (choice === null) return looksLike(inner, strict);
            return isJsonObject(strict) && sameKeys(strict, [choice]);
          });
        case 'reference': {
          const target = definitions.get(shape.name);
          return target !== undefined && looksLike(target, strict);
        }
        case 'never':
          return false;
      }
    };

    const hasKeys = (strict: JsonValue, names: readonly string[], path: JsonPath): strict is JsonObject => {
      if (!isJsonObject(strict)) {
        unlike(strict, 'an object', path);
        return false;
      }
      const lacking = names.filter((name) => !Object.hasOwn(strict, name));
      const known = new Set(names);
      const unknown = Object.keys(strict).filter((key) => !known.has(key));
      if (lacking.length > 0)
        refuse(
          path,
          `${upper(namePlace(path))} lacks ${list(lacking.map(nameKey))}; a strict object has all its keys.`,
        );
      if (unknown.length > 0)
        refuse(
          path,
          `${upper(namePlace(path))} has ${list(unknown.map(nameKey))}, which the strict schema does not know.`,
        );
      return lacking.length === 0 && unknown.length === 0;
    };

    const decoded = decode(root, value, []);
    return decoded === NOT ? { problems } : { value: decoded };
  };
}

const TYPE_NAMES = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
} as const;

function isOfType(value: JsonValue, type: keyof typeof TYPE_NAMES): boolean {
  if (type === 'null') return value === null;
  return typeof value === (type === 'integer' ? 'number' : type);
}

function sameKeys(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

function whole(values: Decoded[]): Decoded {
  return values.includes(NOT) ? NOT : (values as JsonValue[]);
}

const upper = (text: string): string => text.replace(/^t/, 'T');
