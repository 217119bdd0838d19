// Results become project state. An executor's text enters; PLAN.md, STATE.md, the log, the session, the summaries and
// the ledger leave as one commit, or nothing does. What was counted can be counted again from the log. No command is
// run here, and nobody is asked.
export { type CaptureOptions, captureResult } from './capture-result.js';
export type * from './metric-types.js';
export {
  getDailyMetrics,
  getPhaseMetrics,
  getPlanMetrics,
  getProjectMetrics,
  getTaskMetrics,
  getTrend,
} from './metrics.js';
export { type CaptureProject, openCapture } from './project.js';
export { type Rebuild, rebuildMetrics } from './rebuild.js';
export type * from './records.js';
export { type Rotation, rotateLogs } from './rotate.js';
export { describeState, type StateDescription, writeState } from './state.js';
export {
  findPlan,
  listPlans,
  listTasks,
  nextTasks,
  type Resolved,
  resolveTask,
  type ShownTask,
  showTask,
  startTask,
} from './tasks.js';
export type * from './types.js';
export { type LogCheck, type LogProblem, verifyLogs } from './verify-logs.js';
