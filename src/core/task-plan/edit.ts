import type { Item } from './checkboxes.js';
import { parseTaskPlan, placesOf, type TaskPlace } from './parse.js';
import { applySplices, replaceAttribute, type Splice } from './splices.js';
import { type Attribute, isWhite } from './tags.js';
import {
  type PlanEdit,
  type StatusChange,
  type Task,
  type TaskPlan,
  type TaskPlanIssue,
  taskPlanIssue,
} from './types.js';

const TIME = /^\d{4}-\d{2}-\d{2}(?:T[0-9:.]{1,30}(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Writes the status of the task at position `index` into its tag and its checkbox. Text that already has it stays,
 * and an edit that the plan would not read back as requested is not made.
 */
export function setTaskStatus(plan: TaskPlan, index: number, change: StatusChange): PlanEdit {
  const { text } = plan;
  const task = plan.tasks[index - 1];
  const place = placesOf(plan)[index - 1];
  if (!task || !place)
    return refuse(plan, `The task file has no task ${index}; it has ${plan.tasks.length}.`);
  if (change.status === 'completed' && !TIME.test(change.at))
    return refuse(plan, 'The completion time is not a time like 2026-01-26T10:30:45Z.', task);
  const issues = remarks(task, place, change);
  const splices = [...tagSplices(text, task, place, change), ...boxSplices(text, task, place, change)];
  if (splices.length === 0) return { text, plan, issues };
  const edited = applySplices(text, splices);
  const after = parseTaskPlan(edited);
  if (!showsStatus(after, index, plan.tasks.length, change, place))
    return refuse(plan, `Task ${index} would not read as "${change.status}" after the edit.`, task);
  return { text: edited, plan: after, issues };
}

function refuse(plan: TaskPlan, message: string, task?: Task): PlanEdit {
  const hint = 'Fix the task file around this task, then try again.';
  return {
    text: plan.text,
    plan,
    issues: [taskPlanIssue('edit-refused', message, task ? { line: task.line, hint } : {})],
  };
}

function remarks(task: Task, { element, item }: TaskPlace, { status }: StatusChange): TaskPlanIssue[] {
  const { line } = task;
  if (!item) {
    return [
      taskPlanIssue(
        'checkbox-missing',
        `Task ${task.index} has no checkbox; only its tag shows its status.`,
        {
          line,
          hint: `To show it in a checkbox too, add "- [ ] ${task.name}" to <success_criteria>.`,
        },
      ),
    ];
  }
  if (element || status === 'completed' || status === 'pending') return [];
  return [
    taskPlanIssue(
      'status-not-shown',
      `A checkbox cannot show "${status}"; that of task ${task.index} stays open.`,
      {
        line,
        hint: 'Write tasks as <task> elements to record such a status in the task file.',
      },
    ),
  ];
}

function showsStatus(
  after: TaskPlan,
  index: number,
  count: number,
  { status }: StatusChange,
  { element, item }: TaskPlace,
): boolean {
  const task = after.tasks[index - 1];
  const isDone = status === 'completed';
  const expected = element || isDone ? status : 'pending';
  if (after.tasks.length !== count || task?.status !== expected) return false;
  return !item || task.checkbox?.checked === isDone;
}

/** `completed_at` is written only with `completed`; a tag without a status is `pending`. */
function tagSplices(
  text: string,
  task: Task,
  { element }: TaskPlace,
  { status, at }: StatusChange,
): Splice[] {
  if (!element || task.status === status) return [];
  const { tag, attributes } = element;
  const statuses = attributes.filter(({ name }) => name === 'status');
  const times = attributes.filter(({ name }) => name === 'completed_at');
  if (status === 'pending') return [...statuses, ...times].map((attribute) => removal(text, attribute));
  const written = statuses[0];
  const time = times[0];
  const isDone = status === 'completed';
  const splices: Splice[] = [];
  if (written) splices.push(replaceAttribute(text, written, status));
  if (isDone && time) splices.push(replaceAttribute(text, time, at));
  if (!isDone) splices.push(...times.map((attribute) => removal(text, attribute)));
  const last = attributes.at(-1)?.to ?? tag.at + 1 + tag.name.length;
  const added = `${written ? '' : ` status="${status}"`}${isDone && !time ? ` completed_at="${at}"` : ''}`;
  const place = written ? written.to : last;
  if (added !== '') splices.push({ from: place, to: place, text: added });
  return splices;
}

/** An attribute with the white space before it. */
function removal(text: string, { from, to }: Attribute): Splice {
  let start = from;
  while (isWhite(text.charCodeAt(start - 1))) start--;
  return { from: start, to, text: '' };
}

/** The box is ticked when the task is completed, and only then. A day that is there already is left alone. */
function boxSplices(text: string, task: Task, { item }: TaskPlace, { status, at }: StatusChange): Splice[] {
  if (!item) return [];
  const isDone = status === 'completed';
  const isTicked = item.criterion.checked === true;
  if (task.status === status && isTicked === isDone) return [];
  const suffix = suffixSplice(text, item, isDone ? ` (completed ${at.slice(0, 10)})` : '');
  if (isTicked === isDone) return suffix;
  return [{ from: item.tickAt, to: item.tickAt + 1, text: isDone ? 'x' : ' ' }, ...suffix];
}

function suffixSplice(text: string, { suffix: { from, to } }: Item, wanted: string): Splice[] {
  return text.slice(from, to) === wanted ? [] : [{ from, to, text: wanted }];
}
