import type { JsonObject, JsonValue } from '../types.js';
import type { Budget } from './budget.js';
import { DEEPEST_CHECK, MOST_FAULTS, MOST_STEPS } from './limits.js';
import type { SchemaFault } from './types.js';

/** A fault on its way up: each level of the value adds its key behind the others, so the last is the first. */
export interface Found extends SchemaFault {
  path: (string | number)[];
}

/** One check of one value, as far as it has come. */
export interface Run extends Budget {
  /** Schemas at work one inside the other. */
  depth: number;
  /** Only the verdict is wanted: the first fault ends it, none is noted. */
  quiet: boolean;
  most: number;
  found: Found[];
}

export function startRun(most: number): Run {
  return { left: MOST_STEPS, depth: 0, quiet: true, most, found: [] };
}

/** What a schema says in one place. */
export interface Says {
  readonly keyword: string;
  readonly expected: JsonValue;
  readonly schema: JsonObject;
}

/** Notes a fault, where faults are noted. */
export function refuse(run: Run, { keyword, expected, schema }: Says, value: JsonValue, key?: string): false {
  if (!isOver(run)) {
    const fault = { keyword, path: [], expected, schema, value };
    run.found.push(key === undefined ? fault : { ...fault, key });
  }
  return false;
}

/** Whether nothing more needs to be looked at once there is a fault. */
export function isOver(run: Run): boolean {
  return run.quiet || run.left < 0 || run.found.length >= run.most;
}

/** Gives the faults found since `before` the key or position under which they were found. Always false. */
export function placeUnder(run: Run, before: number, key: string | number): false {
  for (let index = before; index < run.found.length; index++) run.found[index]!.path.push(key);
  return false;
}

/** One schema more at work; false when that is one too many. */
export function descend(run: Run): boolean {
  if (++run.depth > DEEPEST_CHECK) run.left = -1;
  return --run.left >= 0;
}

/** The verdict alone. */
export function askQuietly<T>(run: Run, ask: () => T): T {
  const { quiet } = run;
  run.quiet = true;
  const answer = ask();
  run.quiet = quiet;
  return answer;
}

/** The faults of one way to look at a value, kept apart from those found so far, and however many are wanted. */
export function listApart(run: Run, look: () => void): Found[] {
  const { found, most } = run;
  Object.assign(run, { found: [], most: Math.max(most, MOST_FAULTS) });
  look();
  const apart = run.found;
  Object.assign(run, { found, most });
  return apart;
}

export function addAll(run: Run, faults: readonly Found[]): void {
  for (const fault of faults) if (run.found.length < run.most) run.found.push(fault);
}
