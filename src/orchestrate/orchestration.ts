import type { Config, Policy, ProjectFile } from '../config/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { Assignments } from '../tasks/plans/assignments.js';
import type { ProjectTasks } from '../tasks/plans/tasks.js';
import type { CaptureProject } from '../tasks/project.js';
import type { FoundPlan } from '../tasks/types.js';
import type { Workspace } from '../workspace/workspace.js';
import { type Background, Milestone, type Mutex } from './concurrency.js';
import type { OrchestrateEvent, OrchestrationOverview, Tally, TaskQuestion, UntimedEvent } from './events.js';
import { type Executor, type ExecutorEnd, NOTHING_USED, type TaskAssignment } from './executors/types.js';
import type { TaskGraph } from './graph/task-graph.js';
import type { GraphTask } from './graph/types.js';
import type { Isolation, Worktree } from './isolation/types.js';
import type { AttemptJournal, Records } from './journal.js';
import type { Processes } from './processes.js';
import type { ProjectState } from './project-state.js';
import type { Queue } from './queue/types.js';

/** Somebody who can be asked. */
export interface Person {
  /** Gives `retry`, `skip`, `abort`, `done` or `fix: …`; undefined where they leave it for later, or `signal` says so. */
  ask(question: TaskQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Of what they left for later: true once they want to be asked again, false once they never will, or `signal` says so. */
  recall?(question: TaskQuestion, signal: AbortSignal): Promise<boolean>;
}

export interface OrchestrateOptions {
  workspace: Workspace;
  config: Config;
  policy: Policy;
  /** As people name them, by path or id; none: all of the project. */
  plans: readonly string[];
  /** What is not said here is as the config says. */
  executor?: string;
  jobs?: number;
  isolation?: 'worktree' | 'none';
  maxAttempts?: number;
  budgetUsd?: number;
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends everything, and what was under way does not count. */
  signal: AbortSignal;
  emit(event: OrchestrateEvent): void;
  /**
   * Throws where the programs that the repository's own git config names may not run. Asked before attempts are made in
   * worktrees; without it such a repository is refused.
   */
  approvePrograms?(programs: ProjectFile): Promise<void>;
  /** Who decides where teddy may not; undefined: nobody is here. */
  person?: Person | undefined;
}

/** What is going to be done, and how. */
export interface OrchestrationPlan {
  project: CaptureProject;
  /** Plans that somebody named, found by a glob or not. */
  named: readonly FoundPlan[];
  /** When the run began. */
  facts: ProjectTasks;
  graph: TaskGraph;
  overview: OrchestrationOverview;
  /** Lines of the repository's own git config that name programs which may run. */
  programs: readonly string[];
}

/** How far a run may go. Null is no limit. */
export interface Limits {
  jobs: number;
  maxAttempts: number;
  taskBudgetUsd: number | null;
  budgetUsd: number | null;
  timeMs: number | null;
}

/** One run of the orchestrator: all that its parts share. */
export interface Orchestration extends OrchestrationPlan {
  /** Names this run, and the session that its results belong to. */
  readonly run: string;
  readonly options: OrchestrateOptions;
  readonly limits: Limits;
  readonly redactor: Redactor;
  emit(event: UntimedEvent): void;
  mask(text: string): string;

  /** Who works, and where. */
  readonly executor: Executor;
  readonly isolation: Isolation;
  /** Where attempts of earlier runs may have been made: in worktrees, whatever this one does. */
  readonly past: Isolation;
  /** And in the project itself. */
  readonly plain: Isolation;

  /** What is kept on disk. */
  readonly journal: AttemptJournal;
  readonly records: Records;
  readonly queue: Queue<TaskAssignment, ExecutorEnd>;
  readonly processes: Processes;
  readonly assignments: Assignments;

  /** How the project stands, and how far this run is. All by the ids of tasks. */
  readonly state: ProjectState;
  readonly tally: Tally;
  readonly running: Map<string, Running>;
  readonly unrecorded: Map<string, UnrecordedAttempt>;
  /** Never begun again in this run. */
  readonly done: Set<string>;
  /** What others say is done, as long as that is verified. */
  readonly examined: Set<string>;
  /** By `monotonicMs`. */
  readonly retryAt: Map<string, number>;
  readonly background: Background;

  /** One lands at a time. */
  readonly landing: Mutex;
  /** The verification that a person has approved, by a hash: what was shown when the run began, or when they were asked. */
  readonly approvals: Map<string, string>;
  /** Verifications, by their hash, that leave files behind and pass again without them. */
  readonly littering: Set<string>;
}

/** One attempt at a task. */
export interface Attempt {
  task: GraphTask;
  /** From 1. */
  number: number;
  /** Told from any other attempt of that number, such as one that was cut off and did not count. */
  key: string;
  executor: string;
  place: Worktree;
  /** How often a person had decided on the task when it began. */
  decisions: number;
  /** Somebody else ended the task meanwhile: what it still brings is recorded, and not applied. */
  superseded?: true;
}

/** An attempt of this run, from when it is chosen until it is recorded. */
export class Running {
  /** Missing until it is handed out, and of what a person does. */
  attempt?: Attempt;
  /** Its end is known, and being judged. */
  isBack = false;
  /** It is done, and only to be recorded. */
  isDone = false;
  /** Ends the work. */
  readonly cancelling = new AbortController();
  /** Somebody works on it. */
  readonly begun = new Milestone();
  /** It is handed out, and waits to be recorded. */
  readonly handedOut = new Milestone();
  /** The journal says that it has begun; what comes of the work is told only after that. */
  readonly recorded = new Milestone();
  /** Nobody works on it any more. */
  readonly over = new Milestone();
  readonly end = new Milestone<ExecutorEnd>();

  constructor(
    readonly task: GraphTask,
    readonly number: number,
    /** How often a person had decided on the task when it began, or was last heard. */
    public decisions: number,
    readonly by: 'worker' | 'person' | 'earlier-run',
    /** Begins what is ready because this one is done, before that is recorded. */
    readonly beginNext: () => Promise<void>,
  ) {}

  /** It takes up one of the jobs. */
  get isBusy(): boolean {
    return this.by === 'worker' && !this.isDone;
  }

  bring(end: ExecutorEnd): void {
    this.isBack = true;
    this.end.reach(end);
  }
}

/** An attempt that is done and could not be landed or recorded. `isIn`: the project has it. */
interface UnrecordedAttempt {
  attempt: Attempt;
  isIn: boolean;
  finish(): Promise<void>;
}

/** Nobody began with it, or we asked it to end. */
export const CANCELLED: ExecutorEnd = { status: 'cancelled', durationMs: 0, usage: NOTHING_USED };

/** Its worker could not run it. */
export function crashed(reason: string): ExecutorEnd {
  return { status: 'crashed', reason, limited: false, durationMs: 0, usage: NOTHING_USED };
}
