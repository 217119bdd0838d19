import type { Config, Policy } from '../config/types.js';
import type { Issue } from '../core/issue.js';
import type { TaskPlan, TaskStatus } from '../core/task-plan/types.js';
import type { ResultStatus, Verdict } from '../core/task-result/types.js';
import type { Change } from '../workspace/commit/change.js';
import type { Incoming } from '../workspace/incoming.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';

/** A PLAN.md of the project. */
export interface FoundPlan {
  /** From the root. */
  path: string;
  /** `03-01` */
  id: string;
  /** `3`; null if the plan belongs to none. */
  phase: string | null;
  plan: TaskPlan;
}

/** A matching file that cannot be read. */
export interface UnreadablePlan {
  /** From the root. */
  path: string;
  /** Completes the sentence "<path> …". */
  reason: string;
  /** As far as the file name shows them. */
  id: string;
  phase: string | null;
}

/** `id` is `03-01:2`: the plan's, and the task's position from 1. */
export interface TaskRef {
  id: string;
  name: string;
}

/**
 * A task that cannot start yet. `on` has ids of tasks in its plan and of plans, words that match neither, and other reasons,
 * such as `a person`.
 */
export interface WaitingTask extends TaskRef {
  on: string[];
}

/** Which tasks can start, and what the others wait for. */
export interface NextTasks {
  next: TaskRef[];
  waiting: WaitingTask[];
}

/** The outcome of running a task's `<verify>`. */
export interface VerificationRun {
  command: string;
  /** Null if it was killed or never started. */
  exitCode: number | null;
  durationMs: number;
  /** The last lines of its output, or why there was none; if no test ran, including the line that says so. */
  outputSummary: string;
  /** It passed, but its output says that no test ran, so it proves nothing. */
  vacuous?: true;
  /** It failed, and passed when it was run again. */
  flaky?: true;
}

/** A result to be captured. */
export interface Submission {
  text: string;
  /** Its path from the root, or its id. */
  plan: string;
  /** Default: derived from the plan's id and the text. */
  id?: string | undefined;
  session?: string | undefined;
  verified?: Verified | undefined;
  /** The executor's name in the orchestrator. */
  executor?: string | undefined;
  /** The orchestrator's count of attempts; it overrides the executor's. */
  attempt?: number | undefined;
  /** How long the orchestrator waited; used if the executor reports no time. */
  durationMs?: number | undefined;
  /** The position of the assigned task: a result about another one is INVALID. */
  expectedIndex?: number | undefined;
  /** The files that really changed, as paths from the root. */
  filesChanged?: readonly string[] | undefined;
  /** Why a claimed success is false, if not because of a command. Full sentences. */
  refused?: string | undefined;
  /** A superseded attempt: it is logged and counted, but does not change its task. */
  superseded?: true | undefined;
}

/** A submission and how to capture it. */
export interface CaptureItem {
  submission: Submission;
  now: Date;
  /** Masks the secrets in a text. */
  mask(text: string): string;
  /** Overrides the project's STATE.md. */
  state?: string | undefined;
  /** Removes the saved text in the same commit. */
  removal?: Change | undefined;
  /**
   * More changes for the same commit; `view` shows the files with all changes of the commit so far. Called whatever the
   * outcome, and again if the commit is retried. If it throws `UserError`, nothing is captured.
   */
  also?(view: View, result: CapturedResult): readonly Change[];
}

/** A verification; valid only while the plan has the same command for this task. */
export interface Verified {
  taskIndex: number;
  /** As the plan has it, unmasked. */
  command: string;
  run: VerificationRun;
}

/** The outcome of a submission. */
export interface CapturedResult {
  /** `applied`: it is in PLAN.md, STATE.md and the log; `duplicate`: it already was; `rejected`: it is INVALID. */
  status: 'applied' | 'duplicate' | 'rejected';
  verdict: Verdict;
  plan: { id: string; path: string };
  /** From the root: STATE.md. */
  statePath: string;
  /** From the root: the log, or the record of the rejection. */
  logged: string;
  /** The effective status; null if it was rejected, or if an earlier duplicate did not count for its task. */
  effectiveStatus: ResultStatus | null;
  verification: VerificationRun | null;
  session: string | null;
  /** Issues from updating PLAN.md and STATE.md. */
  notes: Issue[];
  /** How often it was repeated because another program changed a file in between. */
  conflicts: number;
  next: TaskRef[];
  waiting: WaitingTask[];
  /** Every task of the project is completed. */
  allDone: boolean;
}

/** One line of `teddy task list`. */
export interface ListedTask extends TaskRef {
  index: number;
  type: string;
  status: TaskStatus;
  files: string[];
  /** The text of `<verify>`. */
  verify: string | null;
  /** Whether that is a runnable command. */
  runnable: boolean;
  /** Ids of tasks and plans. */
  dependsOn: string[];
  ready: boolean;
}

export interface CheckOptions {
  workspace: Workspace;
  config: Pick<Config, 'capture' | 'plans'>;
  text: string;
  /** A path from the root, or an id. */
  plan: string;
}

export interface SubmitOptions extends CheckOptions {
  config: Config;
  policy: Policy;
  /** Where the text is already saved. */
  held?: Incoming | undefined;
  state?: string | undefined;
  session?: string | undefined;
  id?: string | undefined;
  /** The executor, if known. */
  executor?: string | undefined;
  /** The position of the task that it must be about. */
  expectedIndex?: number | undefined;
  /** Run the task's `<verify>` before accepting a success. */
  verify: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
  /** Called before each command. If it throws, nothing is captured. */
  onVerify?(task: TaskRef, command: string): void | Promise<void>;
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

/** A submission as another process offers it. */
export interface SubmitRequest extends Omit<Submission, 'text'> {
  /** ISO 8601. */
  now: string;
  state?: string | undefined;
}
