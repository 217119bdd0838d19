import { error, type Issue, type IssueCollector, type IssueMeaning, issueMaker, warning } from '../issue.js';

export type TaskPlanIssue = Issue<TaskPlanIssueCode>;

/** A parsed PLAN.md. All offsets are into `text`, which is unchanged. */
export interface TaskPlan {
  readonly text: string;
  /** In the order in which they are. */
  readonly tasks: readonly Task[];
  /** The items of `<success_criteria>`, whether checkboxes, bullets or numbers; prose has none. */
  readonly criteria: readonly Criterion[];
  /** The text inside the element of that name, without the blank lines around it; null if there is none. */
  readonly objective: string | null;
  readonly context: string | null;
  readonly verification: string | null;
  readonly successCriteria: string | null;
  readonly output: string | null;
  /** Problems in order of their lines; those of the frontmatter come with `readFrontmatter`. */
  readonly issues: readonly TaskPlanIssue[];
}

/** `completed` comes from the element's attribute or a ticked checkbox; the attribute wins. */
export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'blocked' | 'skipped';

export interface Task {
  /** Position from 1 among all tasks of the plan. */
  readonly index: number;
  /** It is a `<task>`, not only a checkbox. */
  readonly isElement: boolean;
  /** 1-based line of `<task`, or of the checkbox if there are no elements. */
  readonly line: number;
  /** As written, entities resolved, on one line. A task without a name is called `Task <index>`. */
  readonly name: string;
  readonly named: boolean;
  /** `auto`, `checkpoint:human-verify` …; `auto` if nothing is written. */
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
  /** Indexes from the attribute `depends_on`; null if it is not there: then the order decides. */
  readonly dependsOn: readonly number[] | null;
  /**
   * The names in `depends_on` that are not other tasks of this plan, as written; the task itself counts, too. It is
   * unknown when they are done, so the task waits. Empty without the attribute.
   */
  readonly dependsOnUnknown: readonly string[];
  /** The entries of `dependsOnUnknown` that mean the task itself. */
  readonly dependsOnItself: readonly string[];
  /** The task's checkbox. */
  readonly checkbox: Criterion | null;
  /** The task as written: the element from `<task` to `</task>`, or the checkbox's line. */
  readonly source: string;
}

export interface TaskFile {
  path: string;
  /** The note in parentheses after it: `src/a.ts (new)`. */
  note: string | null;
}

/** How a task is verified. */
export interface Verify {
  /** The text there, entities resolved. */
  text: string;
  /** A shell command, in readable form; null if it is prose. */
  command: string | null;
  /**
   * The same to be run, each in a shell of its own, so that none hides that another fails or moves it elsewhere. Lines
   * that need each other, such as those of a fence or after a `cd`, are one. Empty if it is prose.
   */
  commands: readonly string[];
  /** Why nothing is run, and how to write it so that it is; null if there are commands. */
  hint: string | null;
}

export interface Criterion {
  /** 1-based. */
  line: number;
  /** Without its marker and, on a checkbox, without `(completed 2026-01-26)`. */
  text: string;
  /** Null: it is not a checkbox. */
  checked: boolean | null;
}

/** The text between the first two lines `---`. */
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
  /** The issues of keys that decide when the plan can start. */
  orderIssues: TaskPlanIssue[];
}

/** The status to write for a task. `at` is a time like `2026-01-26T10:30:45Z`; it is written only with `completed`. */
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
  /** For example, that the task has no checkbox. */
  issues: TaskPlanIssue[];
}

/** The task that a result names. An ambiguous name matches none. */
export type TaskMatch =
  | {
      task: Task;
      match: 'exact' | 'number' | 'folded';
      /** The words of the shorter name occur in the longer one, in their order. */
      sameWords: boolean;
    }
  | { ambiguous: readonly Task[] };

/** Every issue that a PLAN.md can have. */
export const TASK_PLAN_ISSUES = {
  'tasks-missing': error(
    'The task file has neither `<task>` elements nor checkboxes that start with `Task N:`.',
  ),
  'edit-refused': error('The status was not written, because the file would not show it.'),

  'fence-unclosed': warning('A code fence is not closed inside its element, so it is read as plain text.'),
  'comment-unclosed': warning('An HTML comment does not end inside its task; it is read as plain text.'),
  'tag-malformed': warning('A `<task` has no `>`; it is not read as a task.'),
  'task-unclosed': warning('A `<task>` has no `</task>`; it ends where the next part of the file starts.'),
  'task-nested': warning('A `<task>` is inside another: a separate task, or text if inside an element.'),
  'element-unclosed': warning('An element has no closing tag; it ends where the next element starts.'),
  'element-repeated': warning('A task has the same element twice; the first one counts.'),
  'name-missing': warning('A task has no name; it is called by its position, such as `Task 3`.'),
  'name-repeated': warning('Two tasks have the same name.'),
  'number-repeated': warning('Two tasks have the same number.'),
  'status-unknown': warning('The attribute `status` is not a task status; it is read as pending.'),
  'dependency-unknown': warning(
    '`depends_on` names something that is not another task of the file; the task waits for it.',
  ),
  'dependency-cycle': warning('Tasks depend on each other in a cycle, so they never start.'),
  'checkbox-ambiguous': warning(
    'Several checkboxes could belong to a task, or one to several; none is used.',
  ),
  'checkbox-words-differ': warning('A checkbox has the number of a task but other words; it is not used.'),
  'checkbox-missing': warning('The task has no checkbox, so there was none to change.'),
  'status-not-shown': warning('A checkbox cannot show failed, blocked or skipped; it stays open.'),
  'frontmatter-unclosed': warning(
    'The frontmatter starts with `---` and has no second `---`; it is not read.',
  ),
  'frontmatter-invalid': warning('A key of the frontmatter is not YAML or occurs twice; it is ignored.'),
  'frontmatter-type': warning('A key of the frontmatter has a value of the wrong type; it is ignored.'),
} as const satisfies Record<string, IssueMeaning>;

export type TaskPlanIssueCode = keyof typeof TASK_PLAN_ISSUES;

export const taskPlanIssue = issueMaker<Issue<TaskPlanIssueCode>>(TASK_PLAN_ISSUES);

/** Places are offsets. */
export type TaskPlanIssueLog = IssueCollector<Issue<TaskPlanIssueCode>, number>;
