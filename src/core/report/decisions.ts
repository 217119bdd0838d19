import { readTextValue, writeTextValue } from './values.js';

/** What a report says of a decision: not who made it. */
export type ReportedDecision = { status: 'approved' } | { status: 'skipped'; reason: string | null };

const NO_REASON = 'No reason given.';

export function writeReason(reason: string | null): string {
  if (reason === null) return NO_REASON;
  // Someone typed these very words.
  return reason === NO_REASON ? `\`"${NO_REASON}"\`` : writeTextValue(reason);
}

export function readReason(lines: readonly string[]): string | null {
  return lines.length === 1 && lines[0] === NO_REASON ? null : readTextValue(lines);
}
