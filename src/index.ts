// The public API of teddy-cli, by explicit name. The formats are text and data alone. What takes a project, which is a
// `Workspace` with a config's word on capture, works on its files.

export { findAgent, listAgents } from './agents/agent-files.js';
export { findPlanner, listPlanners, renderPrompt } from './agents/planners.js';
export type { FoundPlanner, Planner } from './agents/types.js';
export { DEFAULTS } from './config/config-file.js';
export type { Config, Policy } from './config/types.js';
export type { Calibration, CalibrationRecord, CalibrationTable } from './core/agent-report/calibration.js';
export { calibrate } from './core/agent-report/calibration.js';
export { compareClaims, readClaims } from './core/agent-report/claims.js';
export { readClientOutput } from './core/agent-report/clients/read-client.js';
export { readContextMap } from './core/agent-report/context-map/forms.js';
export { renderContextMap } from './core/agent-report/context-map/render.js';
export { resolveReferences } from './core/agent-report/context-map/resolve.js';
export type { ManualIssueCode, ReportIssueCode } from './core/agent-report/issue-codes.js';
export { MANUAL_ISSUES, REPORT_ISSUES } from './core/agent-report/issue-codes.js';
export { judgeReport, routeReport } from './core/agent-report/judge.js';
export { renderBriefing } from './core/agent-report/manual/briefing.js';
export { parseManual } from './core/agent-report/manual/parse.js';
export type { MergeInput } from './core/agent-report/merge/merge.js';
export { mergeReports } from './core/agent-report/merge/merge.js';
export { renderMerged } from './core/agent-report/merge/render.js';
export { reportSchema } from './core/agent-report/report-schema.js';
export { strictSchema } from './core/agent-report/strict-schema.js';
export type {
  AgentReport,
  Asked,
  Assignment,
  BriefingField,
  CheckedReport,
  Claimed,
  Client,
  ClientAnswer,
  ClientFailure,
  ContextEntry,
  FileChange,
  Judgement,
  JudgeOptions,
  Manual,
  ManualIssue,
  ManualLevel,
  ManualRead,
  Measured,
  Reference,
  ReferenceStatus,
  ReportIssue,
  ReportMetadata,
  ReportStatus,
  Route,
  Verbosity,
} from './core/agent-report/types.js';
export type { Issue, Severity } from './core/issue.js';
export type { PlanFacts } from './core/plan/check.js';
export { checkPlan } from './core/plan/check.js';
export type { AppliedEdit } from './core/plan/edit/apply.js';
export { applyEdit } from './core/plan/edit/apply.js';
export type { EditMatch, EditTier, FoundEdit } from './core/plan/edit/match.js';
export { findEdit } from './core/plan/edit/match.js';
export type { EditMiss } from './core/plan/edit/miss.js';
export { planGuide } from './core/plan/guide.js';
export type { PlanIssueCode } from './core/plan/issues.js';
export { PLAN_ISSUES } from './core/plan/issues.js';
export { parsePlan } from './core/plan/parse/parse.js';
export { readPlan, repairPlan } from './core/plan/read.js';
export type {
  Action,
  ActionType,
  ChatAction,
  ConcludeAction,
  ContextChange,
  CreateAction,
  EditAction,
  EditPair,
  ExecuteAction,
  InvokeAction,
  LineRange,
  MemoChange,
  Metadata,
  ParseResult,
  Plan,
  PlanIssue,
  PruneAction,
  ReadAction,
  ReadResult,
  Repair,
  RepairKind,
  RepairResult,
  ResearchAction,
  Resource,
} from './core/plan/types.js';
export { writePlan } from './core/plan/write.js';
export type { ContractStatus } from './core/report/contract.js';
export { renderContract } from './core/report/contract.js';
export type { AgentOfRun, TaskOfRun } from './core/report/envelopes.js';
export { renderAgentReport, renderResult } from './core/report/envelopes.js';
export type { TipLimits } from './core/report/markdown.js';
export { renderMirrored } from './core/report/mirrored.js';
export { parseReport } from './core/report/parse.js';
export type {
  ContractAction,
  ContractReport,
  MirroredAction,
  MirroredReport,
  ParsedReport,
  ReportedDecision,
  ReportedStateChange,
} from './core/report/parsed-report.js';
export type {
  ActionCounts,
  ActionRecord,
  Captured,
  Decider,
  Decision,
  Done,
  ExpectedOutcome,
  Facts,
  Outcome,
  Overall,
  Run,
  RunPlan,
  StateChangeRecord,
} from './core/report/record.js';
export type { StateFields } from './core/state/state.js';
export { readState, updateState } from './core/state/state.js';
export type { StateEdit, StateFacts, StateIssue, StateIssueCode } from './core/state/types.js';
export { STATE_ISSUES } from './core/state/types.js';
export { setTaskStatus } from './core/task-plan/edit.js';
export { readPlanFrontmatter as readFrontmatter } from './core/task-plan/frontmatter.js';
export { parseTaskPlan } from './core/task-plan/parse.js';
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
} from './core/task-plan/types.js';
export { TASK_PLAN_ISSUES } from './core/task-plan/types.js';
export { judgeResult } from './core/task-result/judge.js';
export { readResult } from './core/task-result/read.js';
export type {
  ResultIssue,
  ResultIssueCode,
  ResultRead,
  ResultStatus,
  TaskResult,
  Verdict,
} from './core/task-result/types.js';
export { RESULT_ISSUES } from './core/task-result/types.js';
export { RESULT_EXAMPLE, writeResult } from './core/task-result/write.js';
export type { Stat, TextRead, Tree } from './core/tree.js';
export { MemoryTree, Overlay } from './core/tree.js';
export type {
  FailureKind,
  Finished,
  NamedTask as TaskName,
  OrchestrateEvent,
  OrchestrationOverview as Overview,
  OverviewPlan,
  OverviewTask,
  Summary,
  TaskQuestion as Question,
  TaskState,
} from './orchestrate/events.js';
export { previewOrchestration, runOrchestration as orchestrate } from './orchestrate/orchestrate.js';
export type { OrchestrateOptions, Person } from './orchestrate/orchestration.js';
export type { SessionSummary, TurnSummary } from './sessions/session-history.js';
export { listSessions, turnHistory } from './sessions/session-history.js';
export { captureResult } from './tasks/capture-results.js';
export type { LogCheck } from './tasks/logs/verify-logs.js';
export { verifyLogs } from './tasks/logs/verify-logs.js';
export type {
  DailyMetrics,
  PhaseMetrics,
  PlanMetrics,
  ProjectMetrics,
  ResultMetrics,
  TaskMetrics,
  TrendMetrics,
} from './tasks/metrics/metrics.js';
export {
  getDailyMetrics,
  getPhaseMetrics,
  getPlanMetrics,
  getProjectMetrics,
  getTaskMetrics,
  getTrend,
} from './tasks/metrics/metrics.js';
export type { Rebuild } from './tasks/metrics/rebuild.js';
export { rebuildMetrics } from './tasks/metrics/rebuild.js';
export { nextTasks } from './tasks/plans/tasks.js';
export type { CaptureProject } from './tasks/project.js';
export { openCapture } from './tasks/project.js';
export type {
  CapturedResult,
  CaptureItem,
  FoundPlan,
  NextTasks,
  Submission,
  TaskRef,
  VerificationRun,
  WaitingTask,
} from './tasks/types.js';
export { Workspace } from './workspace/workspace.js';
