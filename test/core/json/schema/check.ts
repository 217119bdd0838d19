import { writePath } from '../../../../src/core/json/path.js';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import type { SchemaFault } from '../../../../src/core/json/schema/types.js';
import type { JsonValue } from '../../../../src/core/json/values.js';

/** The faults of a value; the schema must be in order. */
export function check(schema: JsonValue, value: JsonValue, most?: number): SchemaFault[] {
  const read = compileSchema(schema);
  if (read.status === 'refused') throw new Error(read.problems.map(({ message }) => message).join(' '));
  return read.schema.check(value, most === undefined ? {} : { most });
}

/** `type $.a`, `required $.a: b`: keyword, path and key. */
export function listFaults(schema: JsonValue, value: JsonValue, most?: number): string[] {
  return check(schema, value, most).map(
    ({ keyword, path, key }) => `${keyword} ${writePath(path)}${key === undefined ? '' : `: ${key}`}`,
  );
}

/** `$.a: message` for each problem of a schema. */
export function listProblems(schema: JsonValue): string[] {
  const read = compileSchema(schema);
  if (read.status === 'compiled') return [];
  return read.problems.map(({ message, path }) => `${writePath(path)}: ${message}`);
}
