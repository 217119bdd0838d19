import { writePath } from '../../json/path.js';
import { mapSubschemas } from '../../json/schema/keywords.js';
import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import {
  NAMED_CONTEXT_MAP_SCHEMA,
  pickAnnotations,
  readContextMap,
  replaceContextMap,
} from '../context-map/forms.js';
import { nameKey, reportIssue } from '../issue.js';
import { describeLevels, findingsAt, LEVEL_MARK, readLevelMark, withoutRequired } from '../levels.js';
import { offeredLevels, reportSchema } from '../report-schema.js';
import { type AgentReport, type Manual, type ReportIssue, VERBOSITIES, type Verbosity } from '../types.js';
import { type ConvertedValue, convertValue, makeStrict, type StrictRead } from './form.js';

/** Whoever wrote the manual corrects those first. */
const MOST_PROBLEMS = 5;

/** The schema of a whole report for a service that takes only strict schemas, or why there is none. */
export type StrictSchema =
  | { status: 'ok'; schema: JsonObject }
  /** In whole sentences, for the author of the manual. */
  | { status: 'refused'; reason: string };

export type StrictReport = { status: 'ok'; value: JsonObject } | { status: 'refused'; issues: ReportIssue[] };

/** Of one level, or of all that the manual offers; null is any agent, whose findings have no strict form. */
export function strictSchema(manual: Manual | null, level?: Verbosity): StrictSchema {
  const read = makeForm(manual, level);
  return read.status === 'made'
    ? { status: 'ok', schema: read.form.schema }
    : { status: 'refused', reason: explain(manual, read.problems) };
}

/** A report in the strict form. Refused where something in it cannot be carried. */
export function toStrict(report: AgentReport, manual: Manual | null, level?: Verbosity): StrictReport {
  const read = makeForm(manual, level);
  if (read.status === 'refused') return refuseManual(manual, read.problems);
  const named = changeMap(report as unknown as JsonObject, nameEntries);
  return conclude(convertValue(read.form, named, 'encode'));
}

/**
 * The report that a model wrote in the strict form, as it is judged; or where it is not in that form. It may be in the
 * form of this level, of the level that it names itself, or of all levels: which of them a model was given is not
 * always known, and they do not contradict each other.
 */
export function fromStrict(value: JsonValue, manual: Manual | null, level?: Verbosity): StrictReport {
  let first: StrictReport | undefined;
  for (const form of new Set([level, levelIn(value), undefined])) {
    const read = makeForm(manual, form);
    if (read.status === 'refused') return refuseManual(manual, read.problems);
    const decoded = conclude(convertValue(read.form, value, 'decode'));
    if (decoded.status === 'ok') return { status: 'ok', value: changeMap(decoded.value, pairEntries) };
    first ??= decoded;
  }
  return first!;
}

function levelIn(value: JsonValue): Verbosity | undefined {
  const metadata = isJsonObject(value) && Object.hasOwn(value, 'report_metadata') && value.report_metadata;
  const said =
    isJsonObject(metadata) && Object.hasOwn(metadata, 'verbosity_level') && metadata.verbosity_level;
  return VERBOSITIES.find((level) => level === said);
}

function conclude(carried: ConvertedValue): StrictReport {
  if (carried.status === 'carried') return { status: 'ok', value: carried.value as JsonObject };
  const issues = carried.problems.map(({ path, message }) => reportIssue('strict-invalid', path, message));
  return { status: 'refused', issues };
}

function refuseManual(manual: Manual | null, problems: readonly SchemaProblem[]): StrictReport {
  return { status: 'refused', issues: [reportIssue('strict-invalid', [], explain(manual, problems))] };
}

function explain(manual: Manual | null, problems: readonly SchemaProblem[]): string {
  const whose = manual ? `the manual ${nameKey(manual.name)}` : 'any agent';
  const each = problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => {
    return path.length === 0
      ? message
      : `${message.replace(/\.$/, '')} (at ${writePath(withinFindings(path))}).`;
  });
  return [`The findings schema of ${whose} has no strict form.`, ...each].join(' ');
}

/** A place in the schema of the whole report, as a path within the findings schema. */
function withinFindings(path: JsonPath): JsonPath {
  const [holder, name] = path;
  return (holder === 'properties' || holder === '$defs') && name === 'findings' ? path.slice(2) : path;
}

function makeForm(manual: Manual | null, level: Verbosity | undefined): StrictRead {
  if (manual === null) return makeStrict(reportSchema(null, level));
  const offered = offeredLevels(manual);
  const named = { ...manual, findings: askForNamed(manual.findings) };
  const only = level ?? (offered.length === 1 ? offered[0] : undefined);
  const asked =
    only === undefined ? ofEveryLevel(named, offered) : { ...named, findings: findingsAt(named, only) };
  return makeStrict(reportSchema({ ...asked, findings: tellRequired(asked.findings) }, only));
}

/** What a completed report must have, others may lack; in the strict form that can only be told in words. */
function tellRequired(findings: JsonObject): JsonObject {
  const { properties, required } = findings;
  if (!isJsonObject(properties) || !Array.isArray(required)) return findings;
  if (withoutRequired(findings) === findings) return findings;
  const told = Object.entries(properties).map(([key, schema]): [string, JsonValue] => {
    const isTold = required.includes(key) && isJsonObject(schema);
    return [key, isTold ? addWords(schema, 'Required if the status is "completed".') : schema];
  });
  return { ...findings, properties: Object.fromEntries(told) };
}

function addWords(schema: JsonObject, words: string): JsonObject {
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} ${words}` : words };
}

/** The same manual without marks: what only some levels have may be there or not. */
function ofEveryLevel(manual: Manual, offered: readonly Verbosity[]): Manual {
  const highest = { ...manual, findings: findingsAt(manual, offered.at(-1) ?? 'comprehensive') };
  const unmark = (schema: JsonObject): JsonObject => {
    const { [LEVEL_MARK]: _, ...plain } = mapSubschemas(schema, unmark);
    const mark = readLevelMark(schema);
    return mark === null ? plain : addWords(plain, `Only in ${describeLevels(mark)}.`);
  };
  return { ...manual, findings: unmark(findingsAt(highest, null)) };
}

const MAP_WORDS = ['description', 'minItems', 'maxItems', LEVEL_MARK];

/** Asks for the context map in one form, each entry as text and uri. */
function askForNamed(findings: JsonObject): JsonObject {
  return replaceContextMap(findings, (own) => ({
    ...NAMED_CONTEXT_MAP_SCHEMA,
    ...pickAnnotations(own, MAP_WORDS),
  }));
}

/** A report with what `change` makes of its context map. */
function changeMap(report: JsonObject, change: (map: JsonValue) => JsonValue): JsonObject {
  const { findings } = report;
  if (!isJsonObject(findings) || !Object.hasOwn(findings, 'context_map')) return report;
  return { ...report, findings: { ...findings, context_map: change(findings.context_map!) } };
}

function nameEntries(map: JsonValue): JsonValue {
  return readContextMap(map)?.map(({ text, uri }) => ({ text, uri })) ?? map;
}

function pairEntries(map: JsonValue): JsonValue {
  if (!Array.isArray(map)) return map;
  return map.map((entry) => (isJsonObject(entry) ? [entry.text!, entry.uri!] : entry));
}
