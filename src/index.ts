// The public API of teddy-cli, by explicit name. The formats are text and data alone. What takes a project, which is a
// `Workspace` with a config's word on capture, works on its files.

export type {
  CapturedResult,
  CaptureItem,
  CaptureProject,
  DailyMetrics,
  FoundPlan,
  LogCheck,
  NextTasks,
  PhaseMetrics,
  PlanMetrics,
  ProjectMetrics,
  Rebuild,
  ResultMetrics,
  Submission,
  TaskMetrics,
  TaskRef,
  TrendMetrics,
  VerificationRun,
  WaitingTask,
} from './capture/index.js';
export {
  captureResult,
  getDailyMetrics,
  getPhaseMetrics,
  getPlanMetrics,
  getProjectMetrics,
  getTaskMetrics,
  getTrend,
  nextTasks,
  openCapture,
  rebuildMetrics,
  verifyLogs,
} from './capture/index.js';
export { type Config, DEFAULTS } from './config/index.js';
export type { Issue, Severity } from './formats/issue.js';
export type {
  Action,
  ActionType,
  AppliedEdit,
  ChatAction,
  ConcludeAction,
  ContextChange,
  CreateAction,
  EditAction,
  EditMatch,
  EditMiss,
  EditPair,
  EditTier,
  ExecuteAction,
  FoundEdit,
  InvokeAction,
  LineRange,
  MemoChange,
  Metadata,
  ParseResult,
  Plan,
  PlanFacts,
  PlanIssue,
  PlanIssueCode,
  PruneAction,
  ReadAction,
  ReadResult,
  Repair,
  RepairKind,
  RepairResult,
  ResearchAction,
  Resource,
} from './formats/plan/index.js';
export {
  applyEdit,
  checkPlan,
  findEdit,
  PLAN_ISSUES,
  parsePlan,
  readPlan,
  repairPlan,
  writePlan,
} from './formats/plan/index.js';
export type {
  ActionCounts,
  ActionRecord,
  Captured,
  ContractAction,
  ContractReport,
  ContractStatus,
  Decider,
  Decision,
  Done,
  ExpectedOutcome,
  Facts,
  MirroredAction,
  MirroredReport,
  Outcome,
  Overall,
  ParsedReport,
  ReportedDecision,
  ReportedStateChange,
  Run,
  RunPlan,
  StateChangeRecord,
  TaskOfRun,
  TipLimits,
} from './formats/report/index.js';
export {
  parseReport,
  RUN_SCHEMA,
  renderContract,
  renderMirrored,
  renderResult,
} from './formats/report/index.js';
export type {
  StateEdit,
  StateFacts,
  StateFields,
  StateIssue,
  StateIssueCode,
} from './formats/state/index.js';
export { readState, STATE_ISSUES, updateState } from './formats/state/index.js';
export type {
  Criterion,
  Frontmatter,
  PlanEdit,
  StatusChange,
  Task,
  TaskPlan,
  TaskPlanIssue,
  TaskPlanIssueCode,
  TaskStatus,
} from './formats/task-plan/index.js';
export {
  parseTaskPlan,
  readFrontmatter,
  setTaskStatus,
  TASK_PLAN_ISSUES,
} from './formats/task-plan/index.js';
export type {
  ResultIssue,
  ResultIssueCode,
  ResultRead,
  ResultStatus,
  TaskResult,
  Verdict,
} from './formats/task-result/index.js';
export {
  judgeResult,
  RESULT_EXAMPLE,
  RESULT_ISSUES,
  readResult,
  writeResult,
} from './formats/task-result/index.js';
export type { Stat, TextRead, Tree } from './formats/tree.js';
export { MemoryTree, Overlay } from './formats/tree.js';
export { Workspace } from './workspace/index.js';
