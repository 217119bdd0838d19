import type { Task, TaskStatus } from '../../core/task-plan/types.js';

/** A task file among the others. */
export interface GraphPlan {
  /** `03-01` */
  readonly id: string;
  /** From the root. */
  readonly path: string;
  readonly phase: string | null;
  readonly wave: number | null;
  /** Ids of plans that must be completed first: those that it names, and those of earlier waves of its phase. */
  readonly needs: readonly string[];
  /** Ids of plans of earlier phases: nothing of them may be open, but it may be skipped. */
  readonly after: readonly string[];
  /** Everything that it and its tasks say they write, from the root. */
  readonly files: readonly string[];
  readonly tasks: readonly GraphTask[];
}

export interface GraphTask {
  /** `03-01:2` */
  readonly id: string;
  readonly name: string;
  readonly plan: GraphPlan;
  /** As written in the task file. */
  readonly task: Task;
  /** `type="checkpoint:…"`: it is the user's, whatever the executor. */
  readonly isCheckpoint: boolean;
  /** Ids of tasks of its plan that must be completed first. */
  readonly needs: readonly string[];
  /** The paths in `<files>`, from the root. */
  readonly files: readonly string[];
  /** The number of tasks on the longest path that starts here, including itself: the longest starts first. */
  readonly rank: number;
  /** When the graph was built. */
  readonly status: TaskStatus;
}

/** Why the tasks cannot be put in an order. `message` names the path. */
export interface GraphProblem {
  code:
    | 'circle'
    | 'self-dependency'
    | 'unknown-plan'
    | 'unknown-task'
    | 'id-taken'
    | 'plan-unreadable'
    | 'order-unreadable';
  /** From the root. */
  path: string;
  line?: number;
  message: string;
  hint?: string;
}
