// A subagent's report: JSON text in, a judgement out, each issue with its code and JSON path; and all that belongs to the
// contract: manuals, briefings, schemas, context maps, what clients print, many reports as one. Nothing here reads a disk,
// and nothing throws, whatever the bytes.
export { MANUAL_ISSUES, type ManualIssueCode, REPORT_ISSUES, type ReportIssueCode } from './issue-codes.js';
export * from './types.js';
