import { type ContractReport, readContract } from './contract.js';
import { type MirroredReport, readMirrored } from './mirrored.js';
import { ReportReader } from './reader.js';

/** What a report says, as far as its form goes: a Run without what the form has no place for. */
export type ParsedReport =
  | MirroredReport
  | ContractReport
  /** Not a report. `reason` is a sentence that starts with the line. */
  | { status: 'refused'; reason: string };

/** Whether a text is meant as a report, though it may be damaged further down. */
export function isReport(text: string): boolean {
  return /^\ufeff?\s*# Execution Report(?:\s+\*\*Run Summary:\*\*|: [^\n]*\s+- \*\*Overall Status:\*\*)/.test(
    text,
  );
}

/** Reads a report of either Markdown form back, in every form that the format shows, whatever the text. */
export function parseReport(text: string): ParsedReport {
  if (!/^\ufeff?# Execution Report/.test(text))
    return { status: 'refused', reason: 'Line 1: a report starts with "# Execution Report".' };
  const reader = new ReportReader(text);
  const heading = reader.after('# Execution Report: ');
  const report = heading === undefined ? readContractFrom(reader) : readMirrored(reader, heading);
  return reader.problem === null ? report : { status: 'refused', reason: reader.problem };
}

function readContractFrom(reader: ReportReader): ParsedReport {
  reader.need('# Execution Report');
  return readContract(reader);
}
