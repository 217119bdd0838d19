import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { makeDecoder } from './decode.js';
import { makeEncoder } from './encode.js';
import { checkLimits } from './limits.js';
import { readShape } from './read-shape.js';
import type { MappingProblem, Shape } from './shape.js';
import { tellApart } from './tell-apart.js';
import { writeStrictSchema } from './write-schema.js';

/** More than `readJson` lets through; the strict form has up to three levels for one. */
const DEEPEST = 250;
const DEEPEST_STRICT = 750;

export type Mapped =
  | { status: 'mapped'; value: JsonValue }
  | { status: 'refused'; problems: MappingProblem[] };

/** A JSON Schema in the part of the language that strict services take, with the way there and back for values. */
export interface StrictTransport {
  schema: JsonObject;
  /** From a value of the plain schema to one of the strict schema. */
  encode(value: JsonValue): Mapped;
  /** And back. What comes out has the right shape; whether it is valid is still to be judged. */
  decode(value: JsonValue): Mapped;
}

export type StrictRead =
  | { status: 'made'; transport: StrictTransport }
  | { status: 'refused'; problems: SchemaProblem[] };

/**
 * What a strict schema cannot say is carried in another form: a key that may be missing as one that may be null, a map as
 * a list of keys and values, a tuple as an object, any JSON as a text. What only constrains is left out, for the judge.
 * A schema some of whose values could not be carried is refused, with the place; keys that an object allows
 * without naming them are refused in values. Never throws.
 */
export function strictTransport(schema: JsonObject): StrictRead {
  if (isDeeper(schema, DEEPEST)) return refuseSchema('The schema is nested too deeply for the strict form.');
  const read = readShape(schema);
  if (read.status === 'refused') return read;
  const { definitions } = read;
  const target = read.shape.kind === 'reference' ? definitions.get(read.shape.name) : undefined;
  const root = asObject(target ?? read.shape);
  const distinctions = tellApart(definitions);
  const written = writeStrictSchema(root, definitions, distinctions);
  const problems = [...written.problems, ...checkLimits(written.schema)];
  if (problems.length > 0) return { status: 'refused', problems };
  const encode = makeEncoder(root, definitions, distinctions);
  const decode = makeDecoder(root, definitions, distinctions);
  const isWrapped = root.kind === 'object' && root !== (target ?? read.shape);
  const transport: StrictTransport = {
    schema: written.schema,
    encode: (value) => guard(value, DEEPEST, () => encode(isWrapped ? { value } : value)),
    decode: (value) =>
      guard(value, DEEPEST_STRICT, () => {
        const decoded = decode(value);
        return isWrapped && 'value' in decoded ? { value: (decoded.value as JsonObject).value! } : decoded;
      }),
  };
  return { status: 'made', transport };
}

/** A strict schema is an object with keys at its top; whatever is none is put into one. */
function asObject(shape: Shape): Shape {
  if (shape.kind === 'object') return shape;
  return { kind: 'object', fields: [{ name: 'value', shape, required: true }], rest: null, about: null };
}

function guard(
  value: JsonValue,
  deepest: number,
  map: () => { value: JsonValue } | { problems: MappingProblem[] },
): Mapped {
  if (isDeeper(value, deepest))
    return { status: 'refused', problems: [{ path: [], message: 'The values are nested too deeply.' }] };
  const mapped = map();
  return 'value' in mapped ? { status: 'mapped', ...mapped } : { status: 'refused', ...mapped };
}

function refuseSchema(message: string): StrictRead {
  return { status: 'refused', problems: [{ path: [], message }] };
}

/** Level by level, so that depth costs no stack. */
function isDeeper(value: JsonValue, most: number): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((inner) =>
      Array.isArray(inner) ? inner : isJsonObject(inner) ? Object.values(inner) : [],
    );
  }
  return false;
}
