import { compileSchema } from '../../json/schema/compile.js';
import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { judgeValue } from '../judge.js';
import { findingsAt } from '../levels.js';
import { makeResolver } from '../subschemas.js';
import type { AgentReport, Manual, Verbosity } from '../types.js';

/** So much of a schema is followed; one that needs more has no sample. */
const MOST_STEPS = 2000;
const DEEPEST = 30;
/** Below it only what is required is filled in, so that a schema that refers to itself comes to an end. */
const DEEPEST_OPTIONAL = 6;
const MOST_ITEMS = 20;
const LONGEST_TEXT = 120;
const LONGEST_PADDED = 2000;

/**
 * A report made from the manual's schema, as full as its level allows. Null where that gives nothing that keeps the
 * manual: a schema can ask for what no sample guesses.
 */
export function sampleReport(manual: Manual, level: Verbosity): AgentReport | null {
  const root = findingsAt(manual, level);
  const resolve = makeResolver(root);
  for (const full of [true, false]) {
    const findings = sampleFindings(root, { resolve, full, steps: MOST_STEPS });
    if (!isJsonObject(findings)) continue;
    const report = wrap(manual, level, findings);
    const judgement = judgeValue(report, {
      manualOf: () => manual,
      asked: { agent: manual.name, taskId: null, verbosity: level },
      lenient: false,
    });
    if (judgement.compliant) return judgement.report;
  }
  return null;
}

function wrap(manual: Manual, level: Verbosity, findings: JsonObject): JsonObject {
  return {
    report_metadata: {
      agent_name: manual.name,
      task_id: 'task-1',
      status: 'completed',
      verbosity_level: level,
      confidence_level: 0.8,
      token_usage: null,
      execution_time_seconds: null,
      error_message: null,
    },
    findings,
    recommendations: ['What to do next, in one sentence.'],
    identified_gaps: [],
    blockers: [],
  };
}

interface Sampling {
  resolve: ReturnType<typeof makeResolver>;
  /** Whether what is optional is filled in, too. */
  full: boolean;
  steps: number;
}

/** The context map is always written in the one form that is asked for. */
function sampleFindings(root: JsonObject, sampling: Sampling): JsonValue | undefined {
  const { properties } = root;
  const map = isJsonObject(properties) && Object.hasOwn(properties, 'context_map') && properties.context_map;
  if (!isJsonObject(map) || isForbidden(map)) return sample(root, 'findings', 0, sampling);
  const known = {
    ...root,
    properties: { ...(properties as JsonObject), context_map: { const: sampleMap(map) } },
  };
  return sample(known, 'findings', 0, sampling);
}

function sampleMap({ minItems = 0, maxItems = MOST_ITEMS }: JsonObject): JsonValue {
  const entries: JsonValue[] = [['What there is to know about the whole, in a sentence or two.', null]];
  const least = typeof minItems === 'number' ? Math.min(minItems, MOST_ITEMS) : 0;
  for (let line = 1; entries.length < Math.max(2, least); line += 20)
    entries.push(['What stands in these lines.', `repo://src/example.ts:${line}-${line + 19}`]);
  return entries.slice(0, typeof maxItems === 'number' ? maxItems : undefined);
}

/** Undefined where nothing can be guessed that the schema would take. */
function sample(schema: JsonValue, name: string, depth: number, sampling: Sampling): JsonValue | undefined {
  if (sampling.steps-- <= 0 || depth > DEEPEST) return undefined;
  if (schema === true) return textOf({}, name);
  if (!isJsonObject(schema) || isForbidden(schema)) return undefined;
  const given = givenValue(schema);
  if (given !== undefined) return given;
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if (typeof $ref === 'string') {
    const target = sampling.resolve($ref);
    return target && sample(join({ ...schema, $ref: true }, target), name, depth + 1, sampling);
  }
  if (Array.isArray(allOf)) {
    const others = allOf.filter(isJsonObject);
    return sample(others.reduce(join, { ...schema, allOf: true }), name, depth + 1, sampling);
  }
  const options = [anyOf, oneOf].find(Array.isArray);
  if (options) {
    for (const option of options.filter(isJsonObject)) {
      const value = sample(join(own, option), name, depth + 1, sampling);
      if (value !== undefined) return value;
    }
    return undefined;
  }
  return sampleType(schema, name, depth, sampling);
}

function isForbidden({ not }: JsonObject): boolean {
  return isJsonObject(not) && Object.keys(not).length === 0;
}

function givenValue(schema: JsonObject): JsonValue | undefined {
  for (const key of ['const', 'default']) if (Object.hasOwn(schema, key)) return schema[key];
  for (const key of ['examples', 'enum']) {
    const values = schema[key];
    if (Array.isArray(values) && values.length > 0) return values[0];
  }
  return undefined;
}

/** Both at once, as far as that is simply done. */
function join(one: JsonObject, other: JsonObject): JsonObject {
  const both: JsonObject = { ...one, ...other };
  if (isJsonObject(one.properties) && isJsonObject(other.properties))
    both.properties = { ...one.properties, ...other.properties };
  if (Array.isArray(one.required) && Array.isArray(other.required))
    both.required = [...one.required, ...other.required];
  return both;
}

function sampleType(
  schema: JsonObject,
  name: string,
  depth: number,
  sampling: Sampling,
): JsonValue | undefined {
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, depth, sampling);
    case 'array':
      return sampleList(schema, name, depth, sampling);
    case 'number':
      return numberOf(schema, 0.5);
    case 'integer':
      return numberOf(schema, 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textOf(schema, name);
  }
}

function typeOf(schema: JsonObject): JsonValue {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((each) => each !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (schema.properties || schema.required) return 'object';
  return schema.items || schema.prefixItems ? 'array' : 'string';
}

function sampleObject(schema: JsonObject, depth: number, sampling: Sampling): JsonObject | undefined {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const keys = new Set([...Object.keys(properties), ...required]);
  const entries: [string, JsonValue][] = [];
  for (const key of keys) {
    if (!required.has(key) && (!sampling.full || depth >= DEEPEST_OPTIONAL)) continue;
    const inner = Object.hasOwn(properties, key) ? properties[key]! : (schema.additionalProperties ?? true);
    const value = sample(inner, key, depth + 1, sampling);
    if (value !== undefined) entries.push([key, value]);
    else if (required.has(key)) return undefined;
  }
  return Object.fromEntries(entries);
}

function sampleList(
  schema: JsonObject,
  name: string,
  depth: number,
  sampling: Sampling,
): JsonValue[] | undefined {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : MOST_ITEMS;
  const wanted = sampling.full && depth < DEEPEST_OPTIONAL ? Math.max(least, first.length, 1) : least;
  const values: JsonValue[] = [];
  while (values.length < Math.min(wanted, most, MOST_ITEMS)) {
    const value = sample(first[values.length] ?? schema.items ?? true, name, depth + 1, sampling);
    if (value === undefined) return values.length < least ? undefined : values;
    values.push(value);
  }
  return values;
}

function numberOf(schema: JsonObject, step: number): number {
  const of = (key: string) => (typeof schema[key] === 'number' ? (schema[key] as number) : undefined);
  const whole = (value: number) => (step === 1 ? Math.ceil(value) : value);
  const above = of('exclusiveMinimum');
  const least = Math.max(of('minimum') ?? -Infinity, above === undefined ? -Infinity : above + step);
  const below = of('exclusiveMaximum');
  const most = Math.min(of('maximum') ?? Infinity, below === undefined ? Infinity : below - step);
  const near = whole(Math.max(least, Math.min(most, step)));
  const multiple = of('multipleOf');
  return multiple === undefined ? near : Math.ceil(near / multiple) * multiple;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2025-01-31',
  'date-time': '2025-01-31T12:00:00Z',
  time: '12:00:00Z',
  uri: 'repo://src/example.ts:1-20',
  email: 'someone@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** For patterns: what they are mostly made for. */
const SHAPES = [
  'example',
  'Example',
  'EXAMPLE',
  'src/example.ts',
  '1',
  '1-20',
  '1.0.0',
  'v1.0.0',
  'ABC-1',
  '0123abc',
];

function textOf(schema: JsonObject, name: string): string | undefined {
  const { format, pattern, minLength = 0, maxLength = LONGEST_TEXT } = schema;
  if (typeof pattern === 'string') {
    const read = compileSchema({ ...schema, type: 'string' });
    const shapes = [...SHAPES, ...Object.values(FORMATS)];
    return read.status === 'compiled'
      ? shapes.find((shape) => read.schema.check(shape).length === 0)
      : undefined;
  }
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format]!;
  const about =
    typeof schema.description === 'string' ? schema.description : `The ${name.replaceAll('_', ' ')}`;
  const line =
    about
      .replace(/\s+/g, ' ')
      .replace(/`{3,}|~{3,}/g, '')
      .trim() || 'A text';
  const least = typeof minLength === 'number' ? Math.min(minLength, LONGEST_PADDED) : 0;
  const most = typeof maxLength === 'number' ? maxLength : LONGEST_TEXT;
  return cut(line.padEnd(least, '.'), Math.max(most, least));
}

/** In whole characters. */
function cut(text: string, most: number): string {
  return [...text].slice(0, most).join('');
}
