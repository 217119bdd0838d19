import type { OutputUnit, Schema } from '@cfworker/json-schema';
import { addToGroup } from '../../groups.js';
import type { JsonObject, JsonPath, JsonValue } from '../values.js';
import { isJsonObject } from '../values.js';
import { KEYWORDS } from './keywords.js';
import type { SchemaFault } from './types.js';

interface Judged {
  value: JsonValue;
  /** The schema as the library has it. */
  root: Schema;
  /** What each `$ref` leads to, as written. */
  targets: Readonly<Record<string, Schema | boolean>>;
  /** The schemas that those of the library are copies of. */
  origins: ReadonlyMap<Schema, JsonValue>;
}

/** Errors that only wrap other errors. */
const FRAMES = new Set([
  ...['$ref', 'allOf', 'if', 'dependentSchemas', 'properties', 'patternProperties', 'additionalProperties'],
  ...['propertyNames', 'items', 'prefixItems'],
]);

/** Errors of an alternative by which it is about another kind of value altogether. */
const OTHER_KIND = new Set(['type', 'const', 'enum', 'anyOf', 'oneOf']);

/** The library's errors as faults. */
export function listFaults(errors: readonly OutputUnit[], judged: Judged, most: number): SchemaFault[] {
  const faults = new Map<string, SchemaFault>();
  for (const error of selectErrors(errors, judged)) {
    for (const fault of readFaults(error, judged)) {
      const schema = fault.key === undefined ? error.keywordLocation.replace(/.*\/\$ref\//, '') : '';
      const name = JSON.stringify([fault.keyword, fault.key ?? null, schema, ...fault.path]);
      if (!faults.has(name)) faults.set(name, fault);
    }
    if (faults.size >= most) break;
  }
  return [...faults.values()].slice(0, most);
}

/** Without frames, and with the errors of one alternative at most where none fits. */
function selectErrors(errors: readonly OutputUnit[], judged: Judged): OutputUnit[] {
  const selected: OutputUnit[] = [];
  for (let at = 0; at < errors.length; at++) {
    const error = errors[at]!;
    const isChoice = error.keyword === 'anyOf' || error.keyword === 'oneOf';
    if (!isChoice) {
      if (!FRAMES.has(error.keyword) && !isOfWrongType(error, selected.at(-1))) selected.push(error);
      continue;
    }
    let end = at + 1;
    while (errors[end]?.keywordLocation.startsWith(`${error.keywordLocation}/`)) end++;
    const meant = chooseAlternative(error, errors.slice(at + 1, end), judged);
    for (const each of meant ?? [error]) selected.push(each);
    at = end - 1;
  }
  return selected;
}

/** A constraint on the value is redundant if its type is already wrong. */
function isOfWrongType({ keyword, keywordLocation }: OutputUnit, before: OutputUnit | undefined): boolean {
  if (before?.keyword !== 'type' || (keyword !== 'const' && keyword !== 'enum')) return false;
  return before.keywordLocation.replace(/type$/, keyword) === keywordLocation;
}

/** The alternative of the value's kind, by its type or a key that distinguishes them; of several, the closest. */
function chooseAlternative(
  { keyword, keywordLocation, instanceLocation: here }: OutputUnit,
  errors: readonly OutputUnit[],
  judged: Judged,
): OutputUnit[] | undefined {
  const byIndex = new Map<string, OutputUnit[]>();
  for (const error of errors) {
    const [index = ''] = error.keywordLocation.slice(keywordLocation.length + 1).split('/');
    addToGroup(byIndex, index, error);
  }
  const alternatives = locate(keywordLocation, judged).schema[keyword] as unknown[];
  // More than one fits.
  if (byIndex.size < alternatives.length) return undefined;
  const candidates = [...byIndex.values()].map((each) => selectErrors(each, judged));
  const sameKind = candidates.filter(
    (each) => !each.some((error) => error.instanceLocation === here && OTHER_KIND.has(error.keyword)),
  );
  const isTag = ({ keyword: said, instanceLocation: place }: OutputUnit) =>
    (said === 'const' || said === 'enum') && place.lastIndexOf('/') === here.length;
  const sameTag = sameKind.filter((each) => !each.some(isTag));
  const likely = sameKind.length === 1 ? sameKind : sameTag;
  const [best, second] = likely.sort((a, b) => a.length - b.length);
  return best && (second === undefined || best.length < second.length) ? best : undefined;
}

function readFaults(error: OutputUnit, judged: Judged): SchemaFault[] {
  const { schema, via, holder, aside } = locate(error.keywordLocation, judged);
  const path = readPointer(error.instanceLocation, judged.value);
  const above = path.slice(0, -1);
  const key = String(path.at(-1));
  // Items that `contains` does not look for are not faults: another error says if there are too few.
  if (aside?.via === 'contains') return [];
  if (aside) return [makeFault(aside.via, above, asObject(judged.origins.get(aside.holder)), judged, key)];
  const origin = judged.origins.get(schema) ?? {};
  const outer = asObject(judged.origins.get(holder));
  if (origin === false) {
    if (via === 'additionalProperties') return [makeFault(via, above, outer, judged, key)];
    if (via === 'items') return [makeFault(via, above, outer, judged)];
    return [{ ...makeFault('false', path, outer, judged), expected: false }];
  }
  const own = asObject(origin);
  const keyword = error.keyword === 'format' ? 'pattern' : error.keyword;
  const missing = listMissing(keyword, own[keyword], valueAt(judged.value, path));
  if (missing !== null) return missing.map((name) => makeFault(keyword, path, own, judged, name));
  return [makeFault(keyword, path, own, judged)];
}

function makeFault(
  keyword: string,
  path: JsonPath,
  schema: JsonObject,
  { value }: Judged,
  key?: string,
): SchemaFault {
  const fault = { keyword, path, expected: schema[keyword] ?? null, schema, value: valueAt(value, path) };
  return key === undefined ? fault : { ...fault, key };
}

/** The keys that an object lacks; null for other keywords. */
function listMissing(keyword: string, expected: JsonValue | undefined, value: JsonValue): string[] | null {
  if (!isJsonObject(value)) return null;
  const lacks = (key: string) => !Object.hasOwn(value, key);
  if (keyword === 'required') return (expected as string[]).filter(lacks);
  if (keyword !== 'dependentRequired') return null;
  const wanted = Object.entries(expected as Record<string, string[]>).filter(([key]) => !lacks(key));
  return wanted.flatMap(([, keys]) => keys).filter(lacks);
}

interface Location {
  /** The library's schema that a keyword is in. */
  schema: Schema;
  /** The keyword that led into it, and the schema that has this keyword. */
  via: string;
  holder: Schema;
  /** Where something else than a value of the report was judged on the way: its keys, or what `contains` looks for. */
  aside?: { via: string; holder: Schema };
}

/** Follows a location such as `#/properties/a/$ref/items/type`. */
function locate(location: string, { root, targets }: Judged): Location {
  const steps = location.split('/').slice(1, -1).map(decodeStep);
  const at: Location = { schema: root, via: '', holder: root };
  for (let index = 0; index < steps.length; index++) {
    const via = steps[index]!;
    const holder = at.schema;
    const holds = KEYWORDS.get(via);
    let inner: unknown = via === '$ref' ? targets[holder.$ref!] : holder[via];
    if (holds === 'schemas' || holds === 'named schemas')
      inner = (inner as Record<string, unknown>)[steps[++index]!];
    Object.assign(at, { schema: inner, via, holder });
    if (via === 'contains' || via === 'propertyNames') at.aside ??= { via, holder };
  }
  return at;
}

function readPointer(pointer: string, root: JsonValue): JsonPath {
  let value: JsonValue | undefined = root;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const key = Array.isArray(value) ? Number(step) : decodeStep(step);
      value = value === undefined ? undefined : stepInto(value, key);
      return key;
    });
}

function valueAt(root: JsonValue, path: JsonPath): JsonValue {
  return path.reduce<JsonValue>((value, step) => stepInto(value, step) ?? null, root);
}

function stepInto(value: JsonValue, step: string | number): JsonValue | undefined {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as JsonObject)[step]
    : undefined;
}

function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
