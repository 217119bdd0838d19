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
  /** `3`; null where the plan belongs to none. */
  phase: string | null;
  plan: TaskPlan;
}

/** A file that a glob finds and that cannot be read. */
export interface UnreadablePlan {
  /** From the root. */
  path: string;
  /** Completes the sentence "<path> …". */
  reason: string;
  /** As far as the file's name says them. */
  id: string;
  phase: string | null;
}

/** `id` is `03-01:2`: the plan's, and the task's position from 1. */
export interface TaskRef {
  id: string;
  name: string;
}

/**
 * A task that cannot begin yet. `on` holds ids of tasks of its plan, and of plans; words that name neither; and what
 * has no id, such as `a person`.
 */
export interface WaitingTask extends TaskRef {
  on: string[];
}

/** What can begin now, and what waits for what. */
export interface NextTasks {
  next: TaskRef[];
  waiting: WaitingTask[];
}

/** What we found when we ran a task's `<verify>` ourselves. */
export interface VerificationRun {
  command: string;
  /** Null where it was ended or never began. */
  exitCode: number | null;
  durationMs: number;
  /** The last lines of its output, or why there was none. Of a vacuous one, with the line that says so. */
  outputSummary: string;
  /** It passed, and its output says that no test ran: it proves nothing. */
  vacuous?: true;
  /** It failed, and passed when it was run again. */
  flaky?: true;
}

/** A result to be captured. */
export interface Submission {
  text: string;
  /** Its path from the root, or its id. */
  plan: string;
  /** Else it is made of the plan's id and the text. */
  id?: string | undefined;
  session?: string | undefined;
  verified?: Verified | undefined;
  /** The executor's name, as the orchestrator has it. */
  executor?: string | undefined;
  /** The attempt, as the orchestrator counts: it overrides the executor's own count. */
  attempt?: number | undefined;
  /** How long the orchestrator waited; it counts where the executor reports no time. */
  durationMs?: number | undefined;
  /** The position of the task that was handed out: a result about another is INVALID. */
  expectedIndex?: number | undefined;
  /** What the work really changed, as paths from the root. */
  filesChanged?: readonly string[] | undefined;
  /** Why a success that is claimed is none, where no command says so. Whole sentences. */
  refused?: string | undefined;
  /** Nobody waited for this attempt any more: it is logged and counted, and says nothing of its task. */
  superseded?: true | undefined;
}

/** A submission, and the circumstances under which it is captured. */
export interface CaptureItem {
  submission: Submission;
  now: Date;
  /** Secrets in a text become masks. */
  mask(text: string): string;
  /** STATE.md, where it is not the project's. */
  state?: string | undefined;
  /** Removes the waiting text, in the same commit. */
  removal?: Change | undefined;
  /**
   * More changes for the same commit; `view` shows the files with what this result and others of the commit change.
   * Called whatever becomes of the result, and again where another program was in the way. If it throws `UserError`,
   * nothing is captured.
   */
  also?(view: View, result: CapturedResult): readonly Change[];
}

/** What was verified: it counts only while the plan still says this command for this task. */
export interface Verified {
  taskIndex: number;
  /** As the plan has it, unmasked. */
  command: string;
  run: VerificationRun;
}

/** What became of a result. */
export interface CapturedResult {
  /** `applied`: it is in PLAN.md, STATE.md and the log; `duplicate`: it was before; `rejected`: it is INVALID. */
  status: 'applied' | 'duplicate' | 'rejected';
  verdict: Verdict;
  plan: { id: string; path: string };
  /** From the root: STATE.md. */
  statePath: string;
  /** From the root: the log, or the record of the rejection. */
  logged: string;
  /** What counts; null where it was rejected, and where it came before and did not count for its task. */
  effectiveStatus: ResultStatus | null;
  verification: VerificationRun | null;
  session: string | null;
  /** What PLAN.md and STATE.md had to say to their change. */
  notes: Issue[];
  /** How often another program changed a file in between, so that all was done again. */
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
  /** What `<verify>` says. */
  verify: string | null;
  /** Whether that is a command that can be run. */
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
  /** Where the text waits already. */
  held?: Incoming | undefined;
  state?: string | undefined;
  session?: string | undefined;
  id?: string | undefined;
  /** Who worked on it, where that is known. */
  executor?: string | undefined;
  /** The position of the task that it has to be about. */
  expectedIndex?: number | undefined;
  /** Run the task's `<verify>` before a success is believed. */
  verify: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
  /** Called with the command that is run next. It runs once this returns; if this throws, nothing is captured. */
  onVerify?(task: TaskRef, command: string): void | Promise<void>;
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

/** What a process asks for that offers a result, with the words of its own. */
export interface SubmitRequest extends Omit<Submission, 'text'> {
  /** ISO 8601. */
  now: string;
  state?: string | undefined;
}
