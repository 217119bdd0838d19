import { compileSchema } from '../json/schema/compile.js';
import { describeFault } from '../json/schema/describe.js';
import { hasReference } from '../json/schema/keywords.js';
import type { CompiledSchema, SchemaFault } from '../json/schema/types.js';
import type { JsonObject } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { readContextMap, replaceContextMap } from './context-map/forms.js';
import { namePlace, reportIssue } from './issue.js';
import type { ReportIssueCode } from './issue-codes.js';
import { describeLevels, findingsAt, readLevelMark, withoutRequired } from './levels.js';
import type { Manual, ReportIssue, Verbosity } from './types.js';

/** More faults are not told one by one. */
const MOST_FAULTS = 100;

/** Keywords whose faults have another name than `findings-shape`. */
const CODES: Readonly<Record<string, ReportIssueCode>> = {
  required: 'findings-missing',
  type: 'findings-type',
  ...{ enum: 'findings-value', const: 'findings-value' },
  ...{ minimum: 'findings-range', maximum: 'findings-range', multipleOf: 'findings-range' },
  ...{ exclusiveMinimum: 'findings-range', exclusiveMaximum: 'findings-range' },
  ...{ minLength: 'findings-range', maxLength: 'findings-range' },
  ...{ minItems: 'findings-range', maxItems: 'findings-range', items: 'findings-range' },
  ...{ uniqueItems: 'findings-range', contains: 'findings-range' },
  ...{ minContains: 'findings-range', maxContains: 'findings-range' },
  ...{ minProperties: 'findings-range', maxProperties: 'findings-range' },
  pattern: 'findings-pattern',
  ...{
    additionalProperties: 'findings-unknown',
    propertyNames: 'findings-unknown',
    false: 'findings-unknown',
  },
};

const MAP_HINT =
  'Write a list of pairs: [["A fact with a place.", "repo://path:n-m"], ["A fact without one.", null]].';

/**
 * Everything in the findings that does not keep the manual at that level; null is a level that is not known. Those of a
 * task that was not completed may lack what is required at their top.
 */
export function judgeFindings(
  findings: JsonObject,
  manual: Manual,
  { level, completed }: { level: Verbosity | null; completed: boolean },
): ReportIssue[] {
  const mapIsRead = Object.hasOwn(findings, 'context_map') && readContextMap(findings.context_map!) !== null;
  const schema = compileOnce(manual, level, completed, mapIsRead);
  if (schema === null) {
    const message = `The findings schema of the manual ${manual.name} cannot be used at this level, so the findings are not checked.`;
    return [reportIssue('agent-unknown', ['report_metadata', 'agent_name'], message)];
  }
  const faults = schema.check(findings, { most: MOST_FAULTS + 1 });
  const issues = faults.slice(0, MOST_FAULTS).map((fault) => describeIssue(fault, level));
  const more = faults[MOST_FAULTS];
  if (more !== undefined) {
    const message = `Only the first ${MOST_FAULTS} faults in the findings are listed.`;
    issues.push(reportIssue(codeOf(more), ['findings'], message));
  }
  return issues;
}

const compiled = new WeakMap<Manual, Map<string, CompiledSchema | null>>();

function compileOnce(
  manual: Manual,
  level: Verbosity | null,
  completed: boolean,
  mapIsRead: boolean,
): CompiledSchema | null {
  const variants = compiled.get(manual) ?? new Map<string, CompiledSchema | null>();
  compiled.set(manual, variants);
  const variant = `${level} ${completed} ${mapIsRead}`;
  const known = variants.get(variant);
  if (known !== undefined) return known;
  const whole = findingsAt(manual, level);
  const asked = mapIsRead ? withoutMapForms(whole) : whole;
  const read = compileSchema(completed ? asked : withoutRequired(asked));
  const schema = read.status === 'compiled' ? read.schema : null;
  variants.set(variant, schema);
  return schema;
}

/** What `readContextMap` reads has one of the forms that the schema lists, so that they need not be tried again. */
function withoutMapForms(root: JsonObject): JsonObject {
  // What refers to the map, or to the whole, is about other values too.
  if (hasReference(root, (reference) => !reference.startsWith('#/$defs/'))) return root;
  return replaceContextMap(root, (map) => {
    if (!isJsonObject(map)) return map;
    const { anyOf: _, ...rest } = map;
    return rest;
  });
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
