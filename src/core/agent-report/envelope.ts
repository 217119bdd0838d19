import { valueAt } from '../json/members.js';
import type { JsonObject, JsonPath, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { type Field, hasInk, judgeKind, KINDS, METADATA_FIELDS, REPORT_FIELDS } from './fields.js';
import { type IssueLog, nameKey, namePlace } from './issue.js';
import { type ReportStatus, STATUSES, VERBOSITIES, type Verbosity } from './types.js';

/** The usable fields of a report; null if missing or wrong. */
export interface Envelope {
  agentName: string | null;
  taskId: string | null;
  status: ReportStatus | null;
  level: Verbosity | null;
  findings: JsonObject | null;
}

/** Every rule of the contract, except for those about the findings and the briefing. */
export function judgeEnvelope(report: JsonObject, log: IssueLog): Envelope {
  const read = new Map<string, JsonValue>();
  const judgeFields = (fields: readonly Field[], holder: JsonObject, holderPath: JsonPath): void => {
    for (const field of fields) {
      const path = [...holderPath, field.key];
      const value = valueAt(holder, field.key);
      if (value === undefined) {
        if (field.required) reportMissing(field, path, log);
        // Null leaves out an optional field.
      } else if ((value !== null || field.required) && judgeKind(field, value, path, log)) {
        read.set(field.key, value);
      }
      if (field.key === 'report_metadata' && isJsonObject(value)) judgeFields(METADATA_FIELDS, value, path);
    }
  };
  judgeFields(REPORT_FIELDS, report, []);
  const metadata = isJsonObject(report.report_metadata) ? report.report_metadata : {};
  const status = STATUSES.find((known) => known === read.get('status')) ?? null;
  judgeErrorMessage(status, metadata, log);
  judgeBlockers(status, report, log);
  reportUnknown(report, REPORT_FIELDS, [], log);
  reportUnknown(metadata, METADATA_FIELDS, ['report_metadata'], log);
  const text = (key: string) => (read.get(key) as string | undefined) ?? null;
  return {
    agentName: text('agent_name'),
    taskId: text('task_id'),
    status,
    level: VERBOSITIES.find((level) => level === read.get('verbosity_level')) ?? null,
    findings: (read.get('findings') as JsonObject | undefined) ?? null,
  };
}

/** Whether there is no ink in a text, or in any entry of a list; what is neither is another rule's concern. */
function isBlank(value: JsonValue): boolean {
  if (typeof value === 'string') return !hasInk(value);
  return (
    value === null ||
    (Array.isArray(value) && value.every((entry) => typeof entry === 'string' && isBlank(entry)))
  );
}

function judgeErrorMessage(status: ReportStatus | null, metadata: JsonObject, log: IssueLog): void {
  const path = ['report_metadata', 'error_message'];
  const value = valueAt(metadata, 'error_message') ?? null;
  if (status === 'failed' && isBlank(value)) {
    const message = `The status is "failed", but ${namePlace(path)} gives no reason.`;
    const hint = 'Write "error_message": what went wrong, short and technical.';
    log.add('error-message-missing', path, message, hint);
  } else if (status !== null && status !== 'failed' && typeof value === 'string' && !isBlank(value)) {
    const message = `${namePlace(path)} is set, although the status is "${status}".`;
    const hint = 'Write "error_message": null; or, if the task failed, "status": "failed".';
    log.add('error-message-unexpected', path, message, hint);
  }
}

function judgeBlockers(status: ReportStatus | null, report: JsonObject, log: IssueLog): void {
  const value = valueAt(report, 'blockers') ?? [];
  if (!Array.isArray(value)) return;
  if (status === 'blocked' && isBlank(value)) {
    const message = 'The status is "blocked", but `blockers` is empty.';
    const hint = 'Write "blockers": a list with one string for each thing that the task needs to continue.';
    log.add('blockers-missing', ['blockers'], message, hint);
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

function reportMissing({ key, kind, fill }: Field, path: JsonPath, log: IssueLog): void {
  const message = `${namePlace(path)} is missing. It must be ${KINDS[kind].says}.`;
  log.add('field-missing', path, message, `Add "${key}": ${fill}.`);
}

/** Keys that the contract does not have, with the field that was probably meant. */
function reportUnknown(holder: JsonObject, fields: readonly Field[], path: JsonPath, log: IssueLog): void {
  for (const key of Object.keys(holder)) {
    if (fields.some((field) => field.key === key) || log.skips('key-unknown')) continue;
    const where = path.length === 0 ? 'The contract' : '`report_metadata`';
    const unknown = `${where} has no key ${nameKey(key)}; it is kept but not used.`;
    const meant = findMeant(key, fields);
    const [said, hint] = meant
      ? [` Probably ${meant} is meant.`, `Write it as ${meant}.`]
      : ['', 'Leave it out, or, if it is part of the result, put it into "findings".'];
    log.add('key-unknown', [...path, key], unknown + said, hint);
  }
}

/** A field of the same object before one of another, by the names that models are known to use. */
function findMeant(key: string, fields: readonly Field[]): string | undefined {
  const folded = fold(key);
  const isMeant = (field: Field) => [field.key, ...field.alias].some((name) => fold(name) === folded);
  const here = fields.find(isMeant);
  if (here) return nameKey(here.key);
  const top = REPORT_FIELDS.find(isMeant);
  if (top) return `${nameKey(top.key)} at the top of the report`;
  const inner = METADATA_FIELDS.find(isMeant);
  return inner && `${nameKey(inner.key)} in \`report_metadata\``;
}

const LONGEST_KEY = 40;

/** `agentName`, `Agent-Name` and `agent_name` are the same. */
function fold(key: string): string {
  return key.length > LONGEST_KEY ? key : key.toLowerCase().replace(/[^a-z0-9]/g, '');
}
