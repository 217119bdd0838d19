// The record of a run, and its reports. A Run enters and Markdown leaves, or the other way round; nothing here reads a
// disk or a clock, and nothing is decided: a report says what the record says.
export { type AgentOfRun, renderAgentReport } from './agent-report.js';
export { renderContract } from './contract.js';
export type { ReportedDecision } from './decisions.js';
export { renderMirrored } from './mirrored.js';
export { type ActionCounts, countActions, overallOf } from './overall.js';
export { isReport, parseReport } from './parse.js';
export type * from './parsed.js';
export { readRun } from './read-run.js';
export type * from './record.js';
export { RUN_SCHEMA } from './schema.js';
export type { ReportedStateChange } from './state-changes.js';
export { renderResult, type TaskOfRun } from './task-result.js';
export { TIP_LIMITS, type TipLimits } from './tip.js';
