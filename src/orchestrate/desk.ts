import type { Task } from '../core/task-plan/types.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { CommandContext } from '../runs/run-context.js';
import type { Assignments } from '../tasks/plans/assignments.js';
import type { CaptureProject } from '../tasks/project.js';
import type { OrchestrateEvent } from './events.js';
import type { GraphTask } from './graph/types.js';
import type { AttemptJournal, JournalLine } from './journal.js';
import type { Mutex } from './mutex.js';
import type { Records } from './records.js';

type WithoutTime<T> = T extends { at: string } ? Omit<T, 'at'> : never;

/** An event, before it is told when it happened. */
export type Happening = WithoutTime<OrchestrateEvent>;

/** What attempts are settled with. */
export interface Desk {
  project: CaptureProject;
  journal: AttemptJournal;
  handed: Assignments;
  /** Names this run of the orchestrator, and the session that its results belong to. */
  run: string;
  merging: Mutex;
  records: Records;
  mask(text: string): string;
  emit(event: Happening): void;
  /** What commands about a task are run with; the root is to be said. */
  hands(task: string): CommandContext & { onStart(mark: ProcessMark): void };
  /** In a commit of its own. Throws `UserError` where it cannot be made. */
  note(...lines: JournalLine[]): Promise<void>;
  /** The verification that a person has approved, by a hash: what was shown when the run began, or when they were asked. */
  approvals: Map<string, string>;
  /** Takes a mark off a task in its plan. */
  unmark(task: string): Promise<void>;
  /** Verifications, by their hash, that leave files behind and pass again without them. */
  littering: Set<string>;
  /** Why the policy forbids what verifies a task, as the end of a sentence; undefined where it does not. */
  findDenial(task: Task): string | undefined;
  /**
   * Puts a task behind those that an error names; none where there is nothing to wait for. `isOver`: it named some, and
   * they were completed meanwhile, so that it can be tried again. That is believed once, and not again right after.
   */
  postpone(task: GraphTask, error: string): { behind: string[]; isOver: boolean };
}
