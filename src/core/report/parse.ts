import { parseContract } from './parse-contract.js';
import { parseMirrored } from './parse-mirrored.js';
import type { ParsedReport } from './parsed-report.js';
import { ReportProblem, ReportReader } from './reader.js';

/** Reads a report of either Markdown form back, in every form that the formats show. Never throws. */
export function parseReport(text: string): ParsedReport {
  if (!/^\ufeff?# Execution Report/.test(text))
    return { status: 'refused', reason: 'Line 1: a report starts with "# Execution Report".' };
  const reader = new ReportReader(text);
  try {
    const heading = reader.after('# Execution Report: ');
    return heading === undefined ? parseContract(reader) : parseMirrored(reader, heading);
  } catch (error) {
    if (error instanceof ReportProblem) return { status: 'refused', reason: error.message };
    throw error;
  }
}
