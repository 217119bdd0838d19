import type { JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { MOST_FAULTS, MOST_PROBLEMS, MOST_STEPS } from './limits.js';
import { linkSchema } from './link.js';
import { readSchema } from './read-schema.js';
import { type Run, startRun } from './run.js';
import { measureSchema } from './size.js';
import type { CompiledSchema, SchemaFault, SchemaRead } from './types.js';

/** A schema becomes something that can be asked, once for all values; or all that is wrong with it. */
export function compileSchema(schema: JsonValue): SchemaRead {
  const tooMuch = measureSchema(schema);
  if (tooMuch !== null) return { status: 'refused', problems: [tooMuch] };
  const read = readSchema(schema);
  const problems = [...read.problems, ...linkSchema(read)].slice(0, MOST_PROBLEMS);
  if (problems.length > 0) return { status: 'refused', problems };
  const root = read.drafts.get('')!;
  const check: CompiledSchema['check'] = (value, { most = MOST_FAULTS } = {}) => {
    const run = startRun(Math.max(1, most));
    // Most values are good, and that is quickly said; only for the others the faults are looked for.
    if (root.check(value, run) && run.left >= 0) return [];
    run.quiet = false;
    root.check(value, run);
    return listFaults(run, schema, value);
  };
  return { status: 'compiled', schema: { check } };
}

function listFaults(run: Run, schema: JsonValue, value: JsonValue): SchemaFault[] {
  const faults = dropRepeats(run.found.map((fault) => ({ ...fault, path: fault.path.toReversed() })));
  if (run.left >= 0) return faults;
  const whole = isJsonObject(schema) ? schema : {};
  const limit = { keyword: 'limit', path: [], expected: MOST_STEPS, schema: whole, value };
  return [...faults.slice(0, run.most - 1), limit];
}

/** Two parts of a schema may ask for the same key, and one part may be met in two ways. */
function dropRepeats(faults: readonly SchemaFault[]): SchemaFault[] {
  const seen = new Map<string, SchemaFault[]>();
  return faults.filter((fault) => {
    const name = JSON.stringify([fault.keyword, fault.key ?? null, ...fault.path]);
    const alike = seen.get(name) ?? [];
    if (alike.some(({ key, schema }) => key !== undefined || schema === fault.schema)) return false;
    seen.set(name, [...alike, fault]);
    return true;
  });
}
