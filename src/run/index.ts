// Approved actions become outcomes. A plan, someone who decides and the user's folder enter; a record of every action
// leaves, in the plan's order. Nothing is done that was not approved as it stands, and nothing throws past here.
export type { RunEvent, RunListener } from './events.js';
export { type Check, runCheck } from './execute/index.js';
export type { CommandHands } from './hands.js';
export type { Interrupts } from './interrupts.js';
export {
  type CommitNote,
  notReached,
  openContext,
  openProcesses,
  type Progress,
  recordOfDead,
  type TurnMark,
} from './progress.js';
export { proposeAction, proposeState } from './propose.js';
export { labelOf, recordOf } from './records.js';
export { refuseResearch } from './research/index.js';
export type * from './review.js';
export { settleQuestion } from './review.js';
export { findRisks } from './risks.js';
export { type RunResult, type RunWork, runPlan } from './run-plan.js';
export type { ResearchSettings, RunSettings } from './settings.js';
export type { Applied, NextTurn, NoteOf, TurnState } from './turn-state.js';
