// Tasks become work that is done: plans and an executor enter; each task is handed out, its claim verified, landed and
// captured, tried again or put before a person; a summary leaves, and events on the way. Whatever must not be forgotten is
// in files, so that a killed run goes on where it was. No claim counts that was not verified here.
export type { Person } from './asking.js';
export {
  type AttemptFiles,
  type AttemptRecord,
  AttemptRecords,
  type ExecutorAttempts,
  findAttemptFiles,
  findQuestions,
  type OpenQuestion,
  readAttempts,
} from './attempt-records.js';
export type * from './events.js';
export { findHeldUp } from './held-up.js';
export type { OrchestrateOptions } from './intent.js';
export { orchestrate, previewOrchestration } from './orchestrate.js';
