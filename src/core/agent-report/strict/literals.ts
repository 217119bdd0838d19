import type { JsonObject, JsonValue } from '../../json/types.js';
import { jsonEquals } from '../../json/values.js';
import { typesOf } from './keywords.js';
import type { LiteralShape, Shape } from './shape.js';
import { joinShapes, readLeaf } from './typed-shapes.js';

/** What `enum` or `const` lists: one shape for each type among the values. */
export function readLiterals(schema: JsonObject): Shape {
  const listed = Array.isArray(schema.enum) ? schema.enum : [schema.const!];
  const types = Object.hasOwn(schema, 'type') ? typesOf(schema) : null;
  const isOfType = (value: JsonValue) =>
    types === null ||
    types.some((type) => type === typeOf(value) || (type === 'integer' && Number.isInteger(value)));
  const isConst = (value: JsonValue) => !Object.hasOwn(schema, 'const') || jsonEquals(value, schema.const!);
  const values = [...new Map(listed.map((value) => [JSON.stringify(value), value])).values()].filter(
    (value) => isOfType(value) && isConst(value),
  );
  if (values.some((value) => typeof value === 'object' && value !== null))
    return { kind: 'literal', type: 'string', values, asText: true, about: null };
  const literal = (type: LiteralShape['type'], of: (value: JsonValue) => boolean): Shape[] => {
    const some = values.filter(of);
    return some.length === 0 ? [] : [{ kind: 'literal', type, values: some, asText: false, about: null }];
  };
  const whole = values.filter((value) => typeof value === 'number').every(Number.isInteger);
  return joinShapes([
    ...literal('string', (value) => typeof value === 'string'),
    ...literal(whole ? 'integer' : 'number', (value) => typeof value === 'number'),
    ...literal('boolean', (value) => typeof value === 'boolean'),
    ...(values.includes(null) ? [readLeaf('null', {})] : []),
  ]);
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
