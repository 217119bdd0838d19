import type { Issue } from '../issue.js';
import type { TaskPlanIssueCode } from './issue-codes.js';

export type TaskPlanIssue = Issue<TaskPlanIssueCode>;

/** A PLAN.md, read. Everything points into `text`, which is as it came. */
export interface TaskPlan {
  readonly text: string;
  /** In the order in which they stand. */
  readonly tasks: readonly Task[];
  /** What `<success_criteria>` lists, whether as checkboxes, bullets or numbers; prose gives none. */
  readonly criteria: readonly Criterion[];
  /** The text inside the element of that name, without the blank lines around it; null where there is none. */
  readonly objective: string | null;
  readonly context: string | null;
  readonly verification: string | null;
  readonly successCriteria: string | null;
  readonly output: string | null;
  /** Problems in order of their lines; those of the frontmatter come with `readFrontmatter`. */
  readonly issues: readonly TaskPlanIssue[];
}

/** `completed` may stand in the element or be a ticked checkbox; the element's word goes first. */
export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked' | 'skipped';

export interface Task {
  /** Position from 1 among all tasks of the plan. */
  readonly index: number;
  /** 1-based line of `<task`, or of the checkbox where there are no elements. */
  readonly line: number;
  /** As written, entities resolved, on one line. A task without a name is called `Task <index>`. */
  readonly name: string;
  readonly named: boolean;
  /** `auto`, `checkpoint:human-verify` …; `auto` where nothing is written. */
  readonly type: string;
  readonly tdd: boolean;
  /** The attribute `id`, as written. */
  readonly id: string | null;
  readonly gate: string | null;
  readonly status: TaskStatus;
  readonly completedAt: string | null;
  readonly files: readonly TaskFile[];
  readonly readFirst: readonly TaskFile[];
  readonly action: string | null;
  readonly behavior: string | null;
  readonly verify: Verify | null;
  readonly acceptanceCriteria: string | null;
  readonly done: string | null;
  /** Indexes from the attribute `depends_on`; null where it is not there: then the order decides. */
  readonly dependsOn: readonly number[] | null;
  /**
   * What `depends_on` names and no other task of this plan is, as written, the task itself included. Nobody knows when
   * that is done, so the task waits on it. Empty where there is no attribute.
   */
  readonly dependsOnUnknown: readonly string[];
  /** Those of them that mean the task itself. */
  readonly dependsOnItself: readonly string[];
  /** The checkbox that stands for this task. */
  readonly checkbox: Criterion | null;
  /** What the plan says of it, word for word: the element from `<task` to `</task>`, or the checkbox's line. */
  readonly source: string;
}

export interface TaskFile {
  path: string;
  /** What stood in parentheses behind it: `src/a.ts (new)`. */
  note: string | null;
}

/** How a task is to be verified. */
export interface Verify {
  /** What stands there, entities resolved. */
  text: string;
  /** A command for a shell, as a person reads it; null where it is prose. */
  command: string | null;
  /**
   * The same to be run, each in a shell of its own, so that none hides that another fails or moves it elsewhere. Lines
   * that need each other, such as those of a fence or behind a `cd`, are one. Empty where it is prose.
   */
  commands: readonly string[];
  /** Why nothing is run, and how to write it so that it is; null where there are commands. */
  hint: string | null;
}

export interface Criterion {
  /** 1-based. */
  line: number;
  /** Without its marker and, on a checkbox, without `(completed 2026-01-26)`. */
  text: string;
  /** Null: it is no checkbox. */
  checked: boolean | null;
}

/** What stands between the first line `---` and the next. */
export interface Frontmatter {
  phase: string | null;
  plan: string | null;
  type: string | null;
  wave: number | null;
  /** As written: plan ids, file names, or numbers of the same phase. */
  dependsOn: string[];
  filesModified: string[];
  autonomous: boolean | null;
  /** The plan's tasks need not wait for each other. */
  parallel: boolean;
  issues: TaskPlanIssue[];
  /** Those of what decides when the plan can begin. */
  orderIssues: TaskPlanIssue[];
}

/** What to write of a task. `at` is a time like `2026-01-26T10:30:45Z`; it is written only with `completed`. */
export interface StatusChange {
  /** `pending` takes the mark and the tick away again. */
  status: 'pending' | 'completed' | 'failed' | 'blocked' | 'skipped';
  at: string;
}

export interface PlanEdit {
  /** All bytes but those of the change are as they were. */
  text: string;
  /** The text, read. */
  plan: TaskPlan;
  /** Such as: there is no checkbox for this task. */
  issues: TaskPlanIssue[];
}

/** The task that a result names. More than one that it could mean is no match. */
export type TaskMatch =
  | {
      task: Task;
      match: 'exact' | 'number' | 'folded';
      /** The words of the shorter name occur in the longer one, in their order. */
      sameWords: boolean;
    }
  | { ambiguous: readonly Task[] };
