import type { JsonValue } from '../types.js';
import { DEEPEST_SCHEMA, MOST_SCHEMA_TEXT, MOST_SCHEMA_VALUES } from './limits.js';
import type { SchemaProblem } from './types.js';

/** Whether a schema is too much to be read at all. Goes level by level, so that no depth can hurt it. */
export function measureSchema(schema: JsonValue): SchemaProblem | null {
  let [values, text] = [0, 0];
  let level: JsonValue[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_SCHEMA) return tooMuch(`more than ${DEEPEST_SCHEMA} levels deep`);
    values += level.length;
    if (values > MOST_SCHEMA_VALUES) return tooMuch(`of more than ${MOST_SCHEMA_VALUES} values`);
    const next: JsonValue[] = [];
    for (const value of level) {
      if (typeof value === 'string') text += value.length;
      if (typeof value !== 'object' || value === null) continue;
      if (!Array.isArray(value)) for (const key in value) text += key.length;
      for (const inner of Array.isArray(value) ? value : Object.values(value)) next.push(inner);
    }
    if (text > MOST_SCHEMA_TEXT) return tooMuch(`of more than ${MOST_SCHEMA_TEXT} characters`);
    level = next;
  }
  return null;
}

function tooMuch(what: string): SchemaProblem {
  return { message: `The schema is ${what}: make it smaller.`, path: [] };
}
