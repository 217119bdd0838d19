import { error, type Issue, IssueCollector, type IssueMeaning, issueMaker, warning } from '../issue.js';

/** Every issue that a PLAN.md can have. */
export const TASK_PLAN_ISSUES = {
  'tasks-missing': error('The plan holds neither `<task>` elements nor checkboxes that begin `Task N:`.'),
  'edit-refused': error(
    'The status was not written, because the plan would not have said it afterwards; the text is as it was.',
  ),

  'fence-unclosed': warning('A code fence is not closed where it belongs, so it is read as plain text.'),
  'comment-unclosed': warning(
    'An HTML comment does not end, or only after the end of its task; it is read as plain text.',
  ),
  'tag-malformed': warning('A `<task` has no `>`; it is not read as a task.'),
  'task-unclosed': warning('A `<task>` has no `</task>`; it ends where the next part of the plan begins.'),
  'task-nested': warning(
    'A `<task>` stands inside another: directly in it, it is a task of its own; in one of its elements, it is text.',
  ),
  'element-unclosed': warning('An element has no closing tag; it ends where the next element begins.'),
  'element-repeated': warning('A task has the same element twice; the first one counts.'),
  'name-missing': warning('A task has no name; it is called by its position, such as `Task 3`.'),
  'name-repeated': warning('Two tasks have the same name, so a result cannot tell them apart by it.'),
  'number-repeated': warning('Two tasks carry the same number, so a result cannot tell them apart by it.'),
  'status-unknown': warning('The attribute `status` holds a word that is no status; it is read as pending.'),
  'dependency-unknown': warning(
    '`depends_on` names something that is no other task of the plan; the task waits on it.',
  ),
  'dependency-cycle': warning('Tasks depend on each other in a cycle, so none of them ever starts.'),
  'checkbox-ambiguous': warning(
    'Several checkboxes could stand for a task, or one for several; none is taken.',
  ),
  'checkbox-words-differ': warning(
    'A checkbox has the number of a task and other words than its name; it does not stand for the task.',
  ),
  'checkbox-missing': warning('No checkbox stands for the task, so there was none to change.'),
  'status-not-shown': warning(
    'The task is a checkbox, which cannot say failed, blocked or skipped; it is left open.',
  ),
  'frontmatter-unclosed': warning(
    'The frontmatter begins with `---` and has no second `---`; it is not read.',
  ),
  'frontmatter-invalid': warning(
    'A key of the frontmatter is not YAML or stands twice; it is not read, and all others are.',
  ),
  'frontmatter-type': warning('A key of the frontmatter holds a value of the wrong type; it is left out.'),
} as const satisfies Record<string, IssueMeaning>;

export type TaskPlanIssueCode = keyof typeof TASK_PLAN_ISSUES;

export const taskPlanIssue = issueMaker<Issue<TaskPlanIssueCode>>(TASK_PLAN_ISSUES);

/** Places are lines that count from 0. */
export type TaskPlanIssueLog = IssueCollector<Issue<TaskPlanIssueCode>, number>;

/** Past this number a plan is beyond help, and hostile text would make millions. */
const MOST_OF_CODE = 200;

export function openTaskPlanLog(): TaskPlanIssueLog {
  return new IssueCollector(
    (code, line = 0, message, hint) =>
      taskPlanIssue(code, message, { line: line + 1, ...(hint !== undefined && { hint }) }),
    MOST_OF_CODE,
  );
}
