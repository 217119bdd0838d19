import type { Config, Policy, ProjectFile } from '../config/types.js';
import type { ConfinementTools } from '../confine/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { Reviewer } from '../review/question.js';
import type { Assignments } from '../tasks/plans/assignments.js';
import type { ProjectTasks } from '../tasks/plans/tasks.js';
import type { CaptureProject } from '../tasks/project.js';
import type { FoundPlan } from '../tasks/types.js';
import type { Workspace } from '../workspace/workspace.js';
import { type Background, Milestone, type Mutex } from './concurrency.js';
import type { OrchestrateEvent, OrchestrationOverview, Tally, TaskQuestion, UntimedEvent } from './events.js';
import {
  type AgentDecisions,
  type Executor,
  type ExecutorEnd,
  NOTHING_USED,
  type TaskAssignment,
} from './executors/types.js';
import type { TaskGraph } from './graph/task-graph.js';
import type { GraphTask } from './graph/types.js';
import type { Isolation, Worktree } from './isolation/types.js';
import type { AttemptJournal, Records } from './journal.js';
import type { Processes } from './processes.js';
import type { ProjectState } from './project-state.js';
import type { Queue } from './queue/types.js';

/** What a face can show of the attempt that is running at a task, or of the last one. Masked; never throws. */
export interface AttemptViews {
  output(task: string): string;
  diff(task: string): Promise<string>;
  /** Asks which changes of a task that waits for its review land: an answer to its question. `reason` is a sentence. */
  choose(
    task: string,
    reviewer: Reviewer,
  ): Promise<
    { status: 'chosen'; answer: string } | { status: 'quit' } | { status: 'failed'; reason: string }
  >;
}

/** Whether the user looks at changes before they land. */
export function isLandingReviewed({
  landing,
  config,
}: Pick<OrchestrateOptions, 'landing' | 'config'>): boolean {
  return (landing ?? config.landing) === 'review';
}

/** The user, if they can be asked. */
export interface Person {
  /** Resolves to one of the question's answers: `retry`, `fix: …`; to undefined if they postpone it, or `signal` aborts. */
  ask(question: TaskQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** For a postponed question: true once they want to be asked again, false if never, or if `signal` aborts. */
  recall?(question: TaskQuestion, signal: AbortSignal): Promise<boolean>;
  /** The budget is used up: resolves to a higher one; to null to stop, or if `signal` aborts. */
  raiseBudget?(spentUsd: number, budgetUsd: number, signal: AbortSignal): Promise<number | null>;
}

export interface OrchestrateOptions {
  workspace: Workspace;
  config: Config;
  policy: Policy;
  /** Task files by path or id; none: all of the project. */
  plans: readonly string[];
  /** The config decides what is not set here. */
  executor?: string;
  jobs?: number;
  isolation?: 'worktree' | 'none';
  /** `review`: the user looks at the changes of each verified attempt before it lands. */
  landing?: 'auto' | 'review';
  maxAttempts?: number;
  budgetUsd?: number;
  /** The user does not want executors and verify commands to be confined. */
  unconfined?: boolean;
  /** Throws if they must be confined, which is not possible here: `why` is whole sentences. Without it, nothing starts then. */
  acceptUnconfined?(why: string): Promise<void>;
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends everything; running attempts do not count. */
  signal: AbortSignal;
  /** Stops gently: nothing new starts, and running attempts finish. */
  drain?: AbortSignal;
  emit(event: OrchestrateEvent): void;
  /** Called once, before `approve`, with what faces can show of attempts. */
  onOpen?(views: AttemptViews): void;
  /** Shows what will run, before anything starts. Throws if it may not. */
  approve?(overview: OrchestrationOverview): Promise<void>;
  /**
   * Throws if the programs that the repository's git config names may not run. Called before work in worktrees; without
   * it, such a repository is refused.
   */
  approvePrograms?(programs: ProjectFile): Promise<void>;
  /** Answers questions; undefined without a terminal. */
  person?: Person | undefined;
  /** Asks the user what an agent wants to know or to do during its work. Missing: no one can be asked. */
  askForAgent?: AgentDecisions['ask'];
}

/** What will be done, and how. */
export interface OrchestrationPlan {
  project: CaptureProject;
  /** Task files that the user named, whether a glob finds them or not. */
  named: readonly FoundPlan[];
  /** At the start of the run. */
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

/** How all programs of a run are confined. */
export interface RunConfinement {
  tools: ConfinementTools;
  network: boolean;
  write: readonly string[];
  /** Ignored files of the project that hold secrets are among them. */
  hide: readonly string[];
}

/** One run of the orchestrator: everything that its parts share. */
export interface Orchestration extends OrchestrationPlan {
  /** The id of this run, and of the batch that its results belong to. */
  readonly run: string;
  readonly options: OrchestrateOptions;
  readonly limits: Limits;
  readonly redactor: Redactor;
  emit(event: UntimedEvent): void;
  mask(text: string): string;

  /** Who does the work, and where. */
  readonly executor: Executor;
  readonly isolation: Isolation;
  /** Null: nothing is confined. */
  readonly confinement: RunConfinement | null;
  /** For attempts of earlier runs in worktrees, whatever this run uses. */
  readonly past: Isolation;
  /** For attempts of earlier runs in the project itself. */
  readonly plain: Isolation;

  /** What is kept on disk. */
  readonly journal: AttemptJournal;
  readonly records: Records;
  readonly queue: Queue<TaskAssignment, ExecutorEnd>;
  readonly processes: Processes;
  readonly assignments: Assignments;

  /** The state of the project and of this run, by task id. */
  readonly state: ProjectState;
  readonly tally: Tally;
  readonly running: Map<string, Running>;
  readonly unrecorded: Map<string, UnrecordedAttempt>;
  /** Not started again in this run. */
  readonly done: Set<string>;
  /** Submitted by others and being verified. */
  readonly examined: Set<string>;
  /** By `monotonicMs`. */
  readonly retryAt: Map<string, number>;
  readonly background: Background;

  /** One lands at a time. */
  readonly landing: Mutex;
  /** Hash of each task's approved verification: shown at the start, or in a question. */
  readonly approvals: Map<string, string>;
  /** Hashes of verifications that leave files behind and also pass without them. */
  readonly littering: Set<string>;
}

/** One attempt at a task. */
export interface Attempt {
  task: GraphTask;
  /** From 1. */
  number: number;
  /** Distinguishes it from another attempt with the same number, such as an interrupted one. */
  key: string;
  executor: string;
  place: Worktree;
  /** The number of decisions on the task when it started. */
  decisions: number;
  /** The task was ended otherwise in the meantime: its result is recorded but not applied. */
  superseded?: true;
}

/** An attempt of this run, from when it is chosen until it is recorded. */
export class Running {
  /** Where it works. */
  place?: Worktree;
  /** Missing until a worker has it, and for a person's work. */
  attempt?: Attempt;
  /** Its end is known and being judged. */
  isBack = false;
  /** It is done and only needs to be recorded. */
  isDone = false;
  /** Ends the work. */
  readonly cancelling = new AbortController();
  /** A worker has taken it. */
  readonly taken = new Milestone();
  /** Its executor is running; its start is not recorded yet. */
  readonly assigned = new Milestone();
  /** The journal has its start; its outcome is reported only after that. */
  readonly recorded = new Milestone();
  /** Its worker has finished. */
  readonly over = new Milestone();
  readonly end = new Milestone<ExecutorEnd>();

  constructor(
    readonly task: GraphTask,
    readonly number: number,
    /** The number of decisions on the task that it knows of. */
    public decisions: number,
    readonly by: 'worker' | 'person' | 'earlier-run',
    /** Starts what became ready because this one is done, before that is recorded. */
    readonly startNext: () => Promise<void>,
  ) {}

  /** It uses one of the jobs. */
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

/** No worker took it, or we cancelled it. */
export const CANCELLED: ExecutorEnd = { status: 'cancelled', durationMs: 0, usage: NOTHING_USED };

/** Its worker could not run it. */
export function crashed(reason: string): ExecutorEnd {
  return { status: 'crashed', reason, limited: false, durationMs: 0, usage: NOTHING_USED };
}
