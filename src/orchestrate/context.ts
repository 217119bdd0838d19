import type { Redactor } from '../core/redact/redactor.js';
import type { Assignments } from '../tasks/plans/assignments.js';
import type { Happening } from './desk.js';
import type { ExecutorEnd, TaskAssignment } from './executors/types.js';
import type { Intent, OrchestrateOptions } from './intent.js';
import type { Isolation } from './isolation/types.js';
import type { AttemptJournal } from './journal.js';
import type { Processes } from './processes.js';
import type { ProjectState } from './project-state.js';
import type { Queue } from './queue/types.js';
import type { UnderWay } from './under-way.js';

/** What the parts of a run have in common. */
export interface Context {
  run: string;
  intent: Intent;
  options: OrchestrateOptions;
  emit(event: Happening): void;
  journal: AttemptJournal;
  handed: Assignments;
  state: ProjectState;
  processes: Processes;
  queue: Queue<TaskAssignment, ExecutorEnd>;
  isolation: Isolation;
  /** Where attempts of earlier runs may have been made: in worktrees, whatever this one does. */
  past: Isolation;
  /** And in the project itself. */
  plain: Isolation;
  redactor: Redactor;
  /** By the ids of their tasks. */
  underWay: Map<string, UnderWay>;
}
