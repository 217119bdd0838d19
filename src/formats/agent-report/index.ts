// A subagent's report: JSON text in, a judgement out, each issue with its code and JSON path; and all that belongs to the
// contract: manuals, briefings, schemas, context maps, what clients print, many reports as one. Nothing here reads a disk,
// and nothing throws, whatever the bytes.
export {
  type Calibration,
  type CalibrationRecord,
  type CalibrationTable,
  calibrate,
  renderCalibration,
} from './calibration.js';
export { compareClaims, isMachinery, readClaims } from './claims.js';
export { readClientOutput } from './clients/read-client.js';
export { readClientEnd } from './clients/read-end.js';
export { holdsResult } from './clients/taken.js';
export { findAddresses } from './context-map/addresses.js';
export { referenceIssues } from './context-map/issues.js';
export { describeForm, readContextMap } from './context-map/read.js';
export { renderContextMap } from './context-map/render.js';
export { resolveReferences } from './context-map/resolve.js';
export { toDraft07 } from './draft-07.js';
export { reportIssue } from './issue.js';
export { MANUAL_ISSUES, type ManualIssueCode, REPORT_ISSUES, type ReportIssueCode } from './issue-codes.js';
export { judgeReport, judgeValue } from './judge.js';
export { foldName, isAgentName } from './manual/agent-name.js';
export { missingFields, renderBriefing } from './manual/briefing.js';
export { parseManual, readAgentHead } from './manual/parse.js';
export type { MergeInput } from './merge/gather.js';
export { mergeReports } from './merge/merge.js';
export { renderMerged } from './merge/render.js';
export { type ReportRead, readReport } from './read-report.js';
export { type Reduced, reduceReport } from './reduce.js';
export { reportSchema } from './report-schema.js';
export { claimedOf, isForAPerson, routeReport } from './route.js';
export { fromStrict, strictSchema, toStrict } from './strict/report.js';
export * from './types.js';
