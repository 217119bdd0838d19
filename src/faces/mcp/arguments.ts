import { writePath } from '../../core/json/path.js';
import { compileSchema } from '../../core/json/schema/compile.js';
import { describeFault } from '../../core/json/schema/describe.js';
import type { JsonObject, JsonValue } from '../../core/json/values.js';

/** What is wrong with the arguments of a tool, a sentence each; empty if nothing is. */
export function findArgumentFaults(schema: JsonObject, value: unknown): string[] {
  const compiled = compileSchema(schema);
  if (compiled.status === 'refused') throw new Error(compiled.problems[0]!.message);
  return compiled.schema.check(value as JsonValue, { most: 5 }).map((fault) => {
    const { message, hint } = describeFault(fault);
    return `${writePath(fault.path)} ${message}.${hint === undefined ? '' : ` ${hint}`}`;
  });
}
