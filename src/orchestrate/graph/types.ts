import type { Task, TaskStatus } from '../../core/task-plan/types.js';

/** A PLAN.md among the others. */
export interface GraphPlan {
  /** `03-01` */
  readonly id: string;
  /** From the root. */
  readonly path: string;
  readonly phase: string | null;
  readonly wave: number | null;
  /** Ids of plans that have to be completed first: those that it names, and those of earlier waves of its phase. */
  readonly needs: readonly string[];
  /** Plans that come first without being needed: nothing of them may be left to do, be it that a person gave it up. */
  readonly after: readonly PlanOrder[];
  readonly tasks: readonly GraphTask[];
}

/** `phase`: an earlier one. `files`: both write the same, and would run together. */
export type PlanOrder =
  | { readonly plan: string; readonly because: 'phase' }
  | { readonly plan: string; readonly because: 'files'; readonly files: readonly string[] };

export interface GraphTask {
  /** `03-01:2` */
  readonly id: string;
  readonly name: string;
  readonly plan: GraphPlan;
  /** As the plan says it. */
  readonly task: Task;
  /** `type="checkpoint:…"`: it is for a person, whoever the executor is. */
  readonly isCheckpoint: boolean;
  /** Ids of tasks of its plan that have to be completed first. */
  readonly needs: readonly string[];
  /** What `<files>` names, as paths from the root. */
  readonly files: readonly string[];
  /** How many tasks are on the longest way that begins here, itself counted: the longest is begun first. */
  readonly rank: number;
  /** When the graph was built. */
  readonly status: TaskStatus;
}

/** Why there is no order in which everything can be done. `message` names the path. */
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
