import type { JsonObject, JsonPath, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { type Field, hasInk, judgeKind, KINDS, METADATA_FIELDS, REPORT_FIELDS } from './fields.js';
import { type IssueLog, list, nameKey, namePlace } from './issue.js';
import { type ReportStatus, STATUSES, VERBOSITIES, type Verbosity } from './types.js';

/** What of a report can be gone by; null where it is missing or not what it must be. */
export interface Envelope {
  agentName: string | null;
  taskId: string | null;
  status: ReportStatus | null;
  level: Verbosity | null;
  findings: JsonObject | null;
}

/** Every rule of the contract but those of the findings, and of what was asked. */
export function judgeEnvelope(report: JsonObject, log: IssueLog): Envelope {
  const metadata = isJsonObject(own(report, 'report_metadata'))
    ? (report.report_metadata as JsonObject)
    : null;
  const status = STATUSES.find((known) => metadata && own(metadata, 'status') === known) ?? null;
  const isNeeded = ({ key, required }: Field) =>
    required ||
    (status === 'failed' && key === 'error_message') ||
    (status === 'blocked' && key === 'blockers');
  const strays = sortStrays(report, metadata, isNeeded);

  const judgeField = (field: Field, holder: JsonObject, path: JsonPath): JsonValue | undefined => {
    const value = own(holder, field.key);
    if (value === undefined) {
      if (field.required) reportMissing(field, path, strays.found.get(field.key), strays, log);
      return undefined;
    }
    if (value === null && !field.required) return undefined;
    // A list of blank blockers is a blocked report without any: said once, by its own rule.
    const forgiveBlanks = field.key === 'blockers' && status === 'blocked' && isBlank(value);
    return judgeKind(field, value, path, log, forgiveBlanks) ? value : undefined;
  };

  const read: Record<string, JsonValue | undefined> = {};
  for (const field of REPORT_FIELDS) {
    read[field.key] = judgeField(field, report, [field.key]);
    if (field.key === 'report_metadata' && metadata) {
      for (const inner of METADATA_FIELDS) {
        read[inner.key] = judgeField(inner, metadata, ['report_metadata', inner.key]);
      }
      judgeErrorMessage(status, metadata, strays.found.get('error_message'), log);
    }
  }
  judgeBlockers(status, report, strays.found.get('blockers'), log);
  for (const stray of strays.unknown) {
    if (!log.skips('key-unknown')) reportUnknown(stray, log);
  }
  return {
    agentName: (read.agent_name as string | undefined) ?? null,
    taskId: (read.task_id as string | undefined) ?? null,
    status,
    level: VERBOSITIES.find((level) => level === read.verbosity_level) ?? null,
    findings: (read.findings as JsonObject | undefined) ?? null,
  };
}

function own(holder: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

/** Whether there is no ink in a text, or in any entry of a list; what is neither is another rule's concern. */
function isBlank(value: JsonValue): boolean {
  if (typeof value === 'string') return !hasInk(value);
  return (
    value === null ||
    (Array.isArray(value) && value.every((entry) => typeof entry === 'string' && isBlank(entry)))
  );
}

function judgeErrorMessage(
  status: ReportStatus | null,
  metadata: JsonObject,
  stray: JsonPath | undefined,
  log: IssueLog,
): void {
  const path = ['report_metadata', 'error_message'];
  const value = own(metadata, 'error_message') ?? null;
  if (status === 'failed' && isBlank(value)) {
    const message = `The status is "failed", but ${namePlace(path)} gives no reason.`;
    const hint = 'Write "error_message": what went wrong, short and technical.';
    log.add('error-message-missing', path, message + suggestStray(stray), hint);
  } else if (status !== null && status !== 'failed' && typeof value === 'string' && !isBlank(value)) {
    const message = `${namePlace(path)} is set, although the status is "${status}".`;
    const hint = 'Write "error_message": null; or, if the task failed, "status": "failed".';
    log.add('error-message-unexpected', path, message, hint);
  }
}

function judgeBlockers(
  status: ReportStatus | null,
  report: JsonObject,
  stray: JsonPath | undefined,
  log: IssueLog,
): void {
  const value = own(report, 'blockers') ?? [];
  if (!Array.isArray(value)) return;
  if (status === 'blocked' && isBlank(value)) {
    const message = 'The status is "blocked", but `blockers` is empty.';
    const hint = 'Write "blockers": a list with one string for each thing that the task needs to continue.';
    log.add('blockers-missing', ['blockers'], message + suggestStray(stray), hint);
  } else if (
    status !== null &&
    status !== 'blocked' &&
    value.some((entry) => typeof entry === 'string' && !isBlank(entry))
  ) {
    const message = `\`blockers\` is not empty, although the status is "${status}".`;
    const hint =
      'Write "blockers": []; or, if the task could not be done, "status": "blocked". Put remarks into "identified_gaps".';
    log.add('blockers-unexpected', ['blockers'], message, hint);
  }
}

function suggestStray(stray: JsonPath | undefined): string {
  return stray === undefined ? '' : ` Probably ${namePlace(stray)} is meant.`;
}

function reportMissing(
  field: Field,
  path: JsonPath,
  stray: JsonPath | undefined,
  { inner, loose }: { inner: string[]; loose: string[] },
  log: IssueLog,
): void {
  const missing = `${namePlace(path)} is missing.`;
  const { says } = KINDS[field.kind];
  if (stray !== undefined) {
    const sameHolder = stray.length === path.length;
    const does = sameHolder
      ? 'Rename it to'
      : `Move it to ${path.length === 1 ? 'the top of the report' : '`report_metadata`'}, as`;
    log.add('field-missing', path, missing + suggestStray(stray), `${does} "${field.key}": ${says}.`);
    return;
  }
  const displaced = field.key === 'report_metadata' ? inner : field.key === 'findings' ? loose : [];
  if (displaced.length > 0) {
    const one = displaced.length === 1;
    const verbs = one ? ['is', 'belongs', 'it'] : ['are', 'belong', 'them'];
    const message = `${missing} At the top of the report ${verbs[0]} ${list(displaced.map(nameKey))}, which probably ${verbs[1]} in it.`;
    log.add('field-missing', path, message, `Put ${verbs[2]} into "${field.key}": { … }.`);
    return;
  }
  log.add('field-missing', path, `${missing} It must be ${says}.`, `Add "${field.key}": ${field.fill}.`);
}

function reportUnknown({ path, meant, beside }: Strays['unknown'][number], log: IssueLog): void {
  const key = nameKey(String(path.at(-1)));
  const holder = path.length === 1 ? 'The contract has no key' : '`report_metadata` has no key';
  const unknown = `${holder} ${key}; it is kept but not used.`;
  if (meant === null) {
    log.add(
      'key-unknown',
      path,
      unknown,
      'Leave it out, or, if it is part of the result, put it into "findings".',
    );
    return;
  }
  const name = nameKey(String(meant.at(-1)));
  const place = meant.length === 1 ? 'at the top of the report' : 'in `report_metadata`';
  const isElsewhere = meant.length !== path.length;
  const message = `${unknown} Probably ${name}${isElsewhere ? ` ${place}` : ''} is meant.`;
  const hint = beside
    ? `Move its content to ${name}, which is there too.`
    : isElsewhere
      ? `Write it ${place}, as ${name}.`
      : `Rename it to ${name}.`;
  log.add('key-unknown', path, message, hint);
}

/** The keys of a report that the contract does not know, by what they were probably meant for. */
interface Strays {
  /** Fields that are needed and missing: where they are under another name or in another place. */
  found: Map<string, JsonPath>;
  /** Keys at the top that belong into a `report_metadata` that is missing. */
  inner: string[];
  /** Keys at the top that belong, for all one can tell, into `findings` that are missing. */
  loose: string[];
  /** All others; `meant` is the field that they are a known name of, which may be there too. */
  unknown: { path: JsonPath; meant: JsonPath | null; beside: boolean }[];
}

/** No name of a field is longer. */
const LONGEST_KEY = 40;

interface Place {
  names: ReadonlyMap<string, Field>;
  path: JsonPath;
  holder: JsonObject | null;
}

/** Looks at each unknown key once. `isNeeded` says which fields are missed when they are not there. */
function sortStrays(
  report: JsonObject,
  metadata: JsonObject | null,
  isNeeded: (field: Field) => boolean,
): Strays {
  const top: Place = { names: REPORT_NAMES, path: [], holder: report };
  const inside: Place = { names: METADATA_NAMES, path: ['report_metadata'], holder: metadata };
  const strays: Strays = { found: new Map(), inner: [], loose: [], unknown: [] };
  const hasMetadata = Object.hasOwn(report, 'report_metadata');

  for (const [here, there] of [
    [top, inside],
    [inside, top],
  ] as const) {
    for (const [key, value] of Object.entries(here.holder ?? {})) {
      const name = fold(key);
      if (here.names.get(name)?.key === key) continue;
      const path = [...here.path, key];
      const meant = findMeant(name, value, here) ?? findMeant(name, value, there);
      if (meant && isNeeded(meant.field) && !strays.found.has(meant.field.key)) {
        strays.found.set(meant.field.key, path);
      } else if (here === top && !hasMetadata && METADATA_NAMES.has(name)) {
        strays.inner.push(key);
      } else if (here === top && !Object.hasOwn(report, 'findings')) {
        strays.loose.push(key);
      } else {
        const other = meant ?? asSpare(here.names.get(name), here);
        strays.unknown.push({
          path,
          meant: other && [...other.place.path, other.field.key],
          beside: meant === null,
        });
      }
    }
  }
  // Where the object is under another name, what else is at the top does not belong into it.
  const besides = [
    ...(strays.found.has('report_metadata') ? strays.inner.splice(0) : []),
    ...(strays.found.has('findings') ? strays.loose.splice(0) : []),
  ];
  for (const key of besides) strays.unknown.push({ path: [key], meant: null, beside: false });
  return strays;
}

/** The field of a place that is not there, and that a key was probably meant for. */
function findMeant(name: string, value: JsonValue, place: Place): { field: Field; place: Place } | null {
  const field = place.names.get(name);
  if (!field || place.holder === null || Object.hasOwn(place.holder, field.key)) return null;
  return field.kind !== 'object' || isJsonObject(value) ? { field, place } : null;
}

function asSpare(field: Field | undefined, place: Place): { field: Field; place: Place } | null {
  return field && field.kind !== 'object' ? { field, place } : null;
}

/** All fields, by every name that they are known to get. */
function nameFields(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.flatMap((field) => [field.key, ...field.alias].map((name) => [fold(name), field])));
}

/** `agentName`, `Agent-Name` and `agent_name` are one. */
function fold(key: string): string {
  return key.length > LONGEST_KEY ? '' : key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const REPORT_NAMES = nameFields(REPORT_FIELDS);
const METADATA_NAMES = nameFields(METADATA_FIELDS);
