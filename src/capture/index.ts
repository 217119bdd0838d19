// Results become project state. An executor's text enters; PLAN.md, STATE.md, the log, the session, the summaries and
// the ledger leave as one commit, or nothing does. What was counted can be counted again from the log. No command is
// run here, and nobody is asked.
export { findBlockers } from './blockers.js';
export { type CaptureEnd, captureResult, captureResults } from './capture-results.js';
export {
  type Resolved,
  releaseChanges,
  releaseTask,
  requireUnsettled,
  resolveTask,
  type StartedTask,
  startChanges,
  startTask,
  unmarkTask,
} from './change-task.js';
export { type Handed, type HandedTasks, openHanded, readHanded } from './handed.js';
export type { LastResult } from './last-result.js';
export type { LogCheck, LogProblem } from './log-problems.js';
export { maskVerdict } from './mask.js';
export type * from './metric-types.js';
export {
  getDailyMetrics,
  getExecutorMetrics,
  getMetricsOfTasks,
  getPhaseMetrics,
  getPlanMetrics,
  getProjectMetrics,
  getTaskMetrics,
  getTrend,
} from './metrics.js';
export { planIssues } from './next-tasks.js';
export { dependsOnLine, type PlanIssue } from './plan-circles.js';
export { type CaptureProject, fileName, openCapture } from './project.js';
export {
  lookAtProject,
  type PlanFacts,
  type ProjectFacts,
  readLastResult,
  type TaskFacts,
  type TaskStanding,
} from './project-facts.js';
export { type Rebuild, rebuildMetrics } from './rebuild.js';
export type * from './records.js';
export { type Rotation, rotateLogs } from './rotate.js';
export { describeState, type StateDescription, writeState } from './state.js';
export {
  findPlan,
  type ListedProject,
  listAll,
  listPlans,
  listTasks,
  lookUpTask,
  nextTasks,
  type ShownTask,
  showTask,
} from './tasks.js';
export type * from './types.js';
export { verifyLogs } from './verify-logs.js';
