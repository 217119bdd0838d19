import { compileSchema } from '../json/schema/compile.js';
import { describeFault } from '../json/schema/describe.js';
import { allowsNothing, makeResolver } from '../json/schema/keywords.js';
import { makeSampler } from '../json/schema/sample.js';
import type { CompiledSchema, SchemaFault } from '../json/schema/types.js';
import type { JsonObject, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { readPairs } from './context-map/forms.js';
import { namePlace, reportIssue } from './issue.js';
import type { ReportIssueCode } from './issue-codes.js';
import { describeLevels, findingsAt, readLevelMark, withoutRequired } from './levels.js';
import type { Manual, ReportIssue, Verbosity } from './types.js';

/** The faults that are listed one by one. */
const MOST_FAULTS = 100;

/** Keywords whose faults have another name than `findings-shape`. */
const CODES: Readonly<Record<string, ReportIssueCode>> = {
  required: 'findings-missing',
  type: 'findings-type',
  enum: 'findings-value',
  const: 'findings-value',
  minimum: 'findings-range',
  maximum: 'findings-range',
  multipleOf: 'findings-range',
  exclusiveMinimum: 'findings-range',
  exclusiveMaximum: 'findings-range',
  minLength: 'findings-range',
  maxLength: 'findings-range',
  minItems: 'findings-range',
  maxItems: 'findings-range',
  items: 'findings-range',
  uniqueItems: 'findings-range',
  contains: 'findings-range',
  minContains: 'findings-range',
  maxContains: 'findings-range',
  minProperties: 'findings-range',
  maxProperties: 'findings-range',
  pattern: 'findings-pattern',
  additionalProperties: 'findings-unknown',
  propertyNames: 'findings-unknown',
  false: 'findings-unknown',
};

const MAP_HINT =
  'Write a list of pairs: [["A fact with a place.", "repo://path:n-m"], ["A fact without one.", null]].';

/**
 * Every fault of the findings, by the manual's schema at that level; null is an unknown level. A task that was not
 * completed may lack what is required at the top. Null at an optional key means that it is left out.
 */
export function judgeFindings(
  findings: JsonObject,
  manual: Manual,
  { level, completed }: { level: Verbosity | null; completed: boolean },
): ReportIssue[] {
  const { compiled, omitNulls, sample } = compileOnce(manual, level, completed);
  if (compiled === null) {
    const message = `The findings schema of the manual ${manual.name} cannot be used at this level, so the findings are not checked.`;
    return [reportIssue('agent-unknown', ['report_metadata', 'agent_name'], message)];
  }
  const pairs = Object.hasOwn(findings, 'context_map') ? readPairs(findings.context_map!) : null;
  const given = pairs ? { ...findings, context_map: pairs } : findings;
  if (compiled.check(omitNulls(sample(given)), { most: 1 }).length === 0) return [];
  const faults = compiled.check(omitNulls(given), { most: MOST_FAULTS + 1 });
  const issues = faults.slice(0, MOST_FAULTS).map((fault) => describeIssue(fault, level));
  const more = faults[MOST_FAULTS];
  if (more !== undefined) {
    const message = `Only the first ${MOST_FAULTS} faults in the findings are listed.`;
    issues.push(reportIssue(codeOf(more), ['findings'], message));
  }
  return issues;
}

interface LevelSchema {
  compiled: CompiledSchema | null;
  omitNulls(findings: JsonValue): JsonValue;
  sample(findings: JsonValue): JsonValue;
}

const schemas = new WeakMap<Manual, Map<string, LevelSchema>>();

function compileOnce(manual: Manual, level: Verbosity | null, completed: boolean): LevelSchema {
  const variants = schemas.get(manual) ?? new Map<string, LevelSchema>();
  schemas.set(manual, variants);
  const variant = `${level} ${completed}`;
  const known = variants.get(variant);
  if (known) return known;
  const whole = findingsAt(manual, level);
  const schema = completed ? whole : withoutRequired(whole);
  const read = compileSchema(schema);
  const resolve = makeResolver(schema);
  const made = {
    compiled: read.status === 'compiled' ? read.schema : null,
    omitNulls: (findings: JsonValue) => omitNulls(findings, schema, resolve),
    sample: makeSampler(schema),
  };
  variants.set(variant, made);
  return made;
}

type Resolve = ReturnType<typeof makeResolver>;

/** A value without the keys that are null, optional and not nullable; the same value if there are none. */
function omitNulls(value: JsonValue, schema: JsonValue | undefined, resolve: Resolve): JsonValue {
  if (typeof value !== 'object' || value === null || !isJsonObject(schema)) return value;
  const { $ref, items, properties, required, anyOf, oneOf } = schema;
  const others = [
    ...(typeof $ref === 'string' ? [resolve($ref)] : []),
    ...[anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : [])),
  ];
  const given = others.reduce<JsonValue>((each, other) => omitNulls(each, other, resolve), value);
  if (Array.isArray(given)) return mapChanged(given, (item) => omitNulls(item, items, resolve));
  if (!isJsonObject(given) || !isJsonObject(properties)) return given;
  const omitted: JsonObject = {};
  let isSame = true;
  for (const [key, inner] of Object.entries(given)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const isRequired = Array.isArray(required) && required.includes(key);
    if (inner === null && own !== undefined && !isRequired && !allowsNull(own, resolve)) {
      isSame = false;
      continue;
    }
    omitted[key] = omitNulls(inner, own, resolve);
    isSame &&= omitted[key] === inner;
  }
  return isSame ? given : omitted;
}

function mapChanged(list: JsonValue[], change: (item: JsonValue) => JsonValue): JsonValue[] {
  const changed = list.map(change);
  return changed.every((item, at) => item === list[at]) ? list : changed;
}

function allowsNull(schema: JsonValue, resolve: Resolve): boolean {
  if (!isJsonObject(schema)) return schema === true;
  if (allowsNothing(schema)) return true;
  const { $ref, type, anyOf, oneOf } = schema;
  const choice = anyOf ?? oneOf;
  if (typeof $ref === 'string') return allowsNull(resolve($ref) ?? true, resolve);
  if (Array.isArray(choice)) return choice.some((each) => allowsNull(each, resolve));
  if (Array.isArray(schema.enum)) return schema.enum.includes(null);
  if (Object.hasOwn(schema, 'const')) return schema.const === null;
  return type === undefined || type === 'null' || (Array.isArray(type) && type.includes('null'));
}

function codeOf({ keyword }: SchemaFault): ReportIssueCode {
  return Object.hasOwn(CODES, keyword) ? CODES[keyword]! : 'findings-shape';
}

function describeIssue(fault: SchemaFault, reported: Verbosity | null): ReportIssue {
  const holder = ['findings', ...fault.path];
  const mark = fault.keyword === 'not' ? readLevelMark(fault.schema) : null;
  if (mark !== null) {
    const message = `${namePlace(holder)} belongs only in ${describeLevels(mark)}; this report has level "${reported}".`;
    const hint = `Leave it out; or, if the briefing asks for "${mark}", write "verbosity_level": "${mark}".`;
    return reportIssue('findings-level', holder, message, { hint });
  }
  const { message, hint: general } = describeFault(fault);
  const hint = fault.path[0] === 'context_map' ? MAP_HINT : general;
  const path = fault.key === undefined ? holder : [...holder, fault.key];
  return reportIssue(
    codeOf(fault),
    path,
    `${namePlace(holder)} ${message}.`,
    hint === undefined ? {} : { hint },
  );
}
