import type { Policy } from '../../config/types.js';
import type { AnswerSchema } from '../../core/agent-report/clients/client.js';
import type { Verify } from '../../core/task-plan/types.js';
import type { ProcessMark } from '../../node/process/process-table.js';
import type { ProcessOptions } from '../../node/process/types.js';
import type { RunSettings } from '../../runs/run-context.js';

/** What an executor gets for one attempt, as JSON. */
export interface TaskAssignment {
  /** `03-01:2` */
  taskId: string;
  taskIndex: number;
  /** As in the task file. */
  taskName: string;
  /** Absolute: the task file in the project itself, also for work in a worktree. */
  planPath: string;
  attempt: number;
  prompt: string;
  /** As approved at the start of the run; missing if there is no command. */
  verify?: Verify;
  /** The folder to work in, absolute. */
  cwd: string;
  /** Null: no limit. */
  timeoutMs: number | null;
  /** What is left of the budgets of the task and the run; missing if there are none. */
  budgetUsd?: number;
  /** What the answer must match; only for executors that take it. */
  answerSchema?: AnswerSchema;
}

export interface ConfinedProgram {
  program: string;
  args: readonly string[];
  /** Whose state and keys it may have. */
  agent: string | undefined;
  env: ExecutorIO['environment'];
  cwd: string;
}

/** Confines an executor to its attempt. */
interface ExecutorConfinement {
  /** What to start instead of a program. */
  start(program: ConfinedProgram): Pick<ProcessOptions, 'command' | 'env'>;
  /** Which of these files of the machine the program cannot see. */
  listUnseen(program: ConfinedProgram, paths: readonly string[]): string[];
  /** For commands of plans. */
  settings: RunSettings;
}

/** Who decides what an agent asks for while it works: the policy, then the user. */
export interface AgentDecisions {
  policy: Policy;
  /** Resolves to undefined, and withdraws the question, if `signal` aborts. Missing: no one can be asked. */
  ask?(asked: AskedByAgent, signal: AbortSignal): Promise<AgentAnswer | undefined>;
  /** The user is there: the time they take does not count for the attempt. */
  hasUser: boolean;
}

interface AskedByAgent {
  client: string;
  /** Its first line is its title. Masked. */
  question: string;
  options: string[];
}

/** `text` is null where the user does not want to answer. */
interface AgentAnswer {
  text: string | null;
  reason: string | null;
}

/** What an executor uses in this process. */
export interface ExecutorIO {
  /** Nothing else is inherited. */
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Null if the user does not want it. */
  confinement: ExecutorConfinement | null;
  /** Missing: agents may do nothing that they ask for. */
  decisions?: AgentDecisions;
  /** Secrets become masks, in one stream of text. */
  mask(): { push(text: string): string; end(): string };
  /** Called for every process group before it starts, so that it can be ended after a crash. */
  onStart(mark: ProcessMark): void;
  /**
   * Output, masked, as it arrives. It is on disk when this returns. `shown`: what the user sees of it, in whole lines;
   * the text itself if missing.
   */
  onOutput(stream: 'stdout' | 'stderr', text: string, shown?: string): void;
}

/** As reported by the executor. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

export const NOTHING_USED: Usage = { inputTokens: null, outputTokens: null, costUsd: null };

/** How an attempt ended. It can be written as JSON. */
export type ExecutorEnd = { durationMs: number; usage: Usage } & ExecutorOutcome;

export type ExecutorOutcome =
  | {
      /** There is a text that may be a result. */
      status: 'returned';
      text: string;
      /** Null if it was ended. Other than 0, it says nothing about the result. */
      exitCode: number | null;
      /** Whole sentences about how it worked; missing if there are none. */
      remarks?: readonly string[];
    }
  /** The user submitted the result, and it is captured. */
  | { status: 'submitted' }
  /** It ended without a result. `reason`: whole sentences; `limited`: too many requests. */
  | { status: 'crashed'; reason: string; limited: boolean }
  | { status: 'timed-out'; reason: string }
  /** The program is missing or not allowed to run: another attempt would fail too. */
  | { status: 'unusable'; reason: string }
  /** teddy ended it. */
  | { status: 'cancelled' };

export interface Executor {
  /** As in `--executor` and in metrics. */
  readonly name: string;
  /** `person`: does not count for `--jobs`, has no time limit, and works in the project itself. */
  readonly kind: 'machine' | 'person';
  /** Whether it uses an `answerSchema`. */
  readonly takesSchema?: boolean;
  /** Never throws. */
  run(assignment: TaskAssignment, io: ExecutorIO): Promise<ExecutorEnd>;
}
