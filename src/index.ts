// The public API of teddy-cli, by explicit name. Text and data enter and leave; nothing here touches disk.

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
export type { Stat, TextRead, Tree } from './formats/tree.js';
export { MemoryTree, Overlay } from './formats/tree.js';
