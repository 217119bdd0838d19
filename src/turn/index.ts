// The use-cases that every face calls. Text and options enter, results as plain data leave. No words
// for people are made here, and nothing is printed.

export { type ExecuteOptions, executePlan } from './execute-plan.js';
export { previewPlan } from './preview-plan.js';
export { recoverRuns } from './recover-runs.js';
export { showMasked } from './redactor.js';
export { findRun, listRuns, type RunSummary, type Undone, undoRun } from './run-list.js';
export type { Validation } from './validate-plan.js';
export { validatePlan } from './validate-plan.js';
