import { IssueCollector } from '../issue.js';
import { writePath } from '../json/path.js';
import type { JsonPath, JsonValue } from '../json/values.js';
import { quoteExcerpt, shorten } from '../text.js';
import { MANUAL_ISSUES, type ManualIssueCode, REPORT_ISSUES, type ReportIssueCode } from './issue-codes.js';
import type { ManualIssue, ReportIssue } from './types.js';

/** `message` says it all by itself; the place is in `path`, as text. */
export function reportIssue(
  code: ReportIssueCode,
  path: JsonPath,
  message: string,
  extra: Pick<ReportIssue, 'hint' | 'line' | 'column'> = {},
): ReportIssue {
  return { code, severity: REPORT_ISSUES[code].severity, path: writePath(path), message, ...extra };
}

export type IssueLog = IssueCollector<ReportIssue, JsonPath>;

export function openIssueLog(): IssueLog {
  return new IssueCollector((code, path = [], message, hint) =>
    reportIssue(code, path, message, hint === undefined ? {} : { hint }),
  );
}

export function manualIssue(
  code: ManualIssueCode,
  line: number | undefined,
  message: string,
  hint?: string,
): ManualIssue {
  return {
    code,
    severity: MANUAL_ISSUES[code].severity,
    message,
    ...(line !== undefined && { line }),
    ...(hint !== undefined && { hint }),
  };
}

const LONGEST = 120;

/** A key within a sentence of ours. */
export function nameKey(key: string): string {
  return /^[\w$.-]{1,80}$/.test(key) ? `\`${key}\`` : quoteExcerpt(key);
}

/** A place within a sentence of ours: `report_metadata.status`. */
export function namePlace(path: JsonPath): string {
  if (path.length === 0) return 'the report';
  const written = writePath(path);
  const short = written.startsWith('$.') ? written.slice(2) : written;
  return `\`${shorten(short, LONGEST)}\``;
}

/** Describes a value, to complete the sentence "… is …". */
export function describeValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'string')
    return value === '' ? 'an empty string' : `the string ${quoteExcerpt(value)}`;
  return typeof value === 'object' ? 'an object' : String(value);
}
