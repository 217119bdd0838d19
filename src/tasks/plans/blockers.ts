import { addToGroup } from '../../core/groups.js';
import { dependencies, isSequence } from '../../core/task-plan/order.js';
import type { Task } from '../../core/task-plan/types.js';
import { wordPattern } from '../../core/text.js';
import type { FoundPlan, TaskRef } from '../types.js';
import { isDone, isPlanOver, planDependencies, refOf, taskId } from './next-tasks.js';
import type { ProjectSnapshot } from './project-snapshot.js';

interface NamedPlan {
  readonly id: string;
  readonly tasks: readonly TaskRef[];
}

/** `03-01`, `03-01:2`, `03-01, Task 2`, `.planning/03-01-database-PLAN.md`; no date and no part of a number. */
const BY_ID =
  /(?<![\w.-])(\d{1,3}(?:\.\d{1,3}){0,3}-\d{1,3})(?:(?::|,? tasks? #?)(\d{1,6}))?(?![\w:]|[.-]\d)/gi;
/** `auth:2`, of a plan whose id is a word. */
const BY_WORD = wordPattern(
  String.raw`(?<![\w.-])([\p{L}_][\p{L}\p{N}_.-]{0,99}):(\d{1,6})(?![\w:]|[.-]\d)`,
  'g',
);
const OWN =
  /(?<![\w-])tasks?[ \t]{1,3}#?(\d{1,6}(?:(?:, ?| and | or |, and | & )#?\d{1,6}){0,20})(?![\w-])/gi;

/** Only the start of a long error is read. */
const MOST_READ = 100_000;

/**
 * The tasks and plans that the error of a blocked result names, in the order in which it names them: ids, and `Task 3`
 * of its own plan. Never that plan itself, and none that is not among `all`.
 */
export function findBlockers(text: string, plan: NamedPlan, all: readonly NamedPlan[]): string[] {
  const read = text.slice(0, MOST_READ);
  const plans = new Map(all.map((each) => [plainId(each.id), each]));
  const named: { at: number; id: string | undefined }[] = [];
  for (const { index: at, 1: id, 2: task } of [...read.matchAll(BY_ID), ...read.matchAll(BY_WORD(read))]) {
    const other = plans.get(plainId(id!));
    if (task !== undefined) named.push({ at, id: other?.tasks[Number(task) - 1]?.id });
    else if (other?.id !== plan.id) named.push({ at, id: other?.id });
  }
  for (const { index: at, 1: numbers } of read.replace(BY_ID, blank).matchAll(OWN)) {
    for (const [number] of numbers!.matchAll(/\d+/g))
      named.push({ at, id: taskOf(plan, Number(number))?.id });
  }
  const inOrder = named.sort((one, other) => one.at - other.at).flatMap(({ id }) => id ?? []);
  return [...new Set(inOrder)];
}

/** Blanks out what was read, without moving the rest. */
function blank(text: string): string {
  return '.'.repeat(text.length);
}

/** `3-1` of `03-01`. */
function plainId(id: string): string {
  return id.toLowerCase().replace(/(?<!\d)0+(?=\d)/g, '');
}

/** The task whose name starts with `Task 3`; the third task if no name in the plan has a number. */
function taskOf({ tasks }: NamedPlan, number: number): TaskRef | undefined {
  const numbers = tasks.map(({ name }) => /^task[ #-]{1,3}0{0,9}(\d{1,9})(?![\w.])/i.exec(name)?.[1]);
  if (numbers.some((each) => each !== undefined)) return tasks[numbers.indexOf(String(number))];
  return tasks[number - 1];
}

/**
 * What a blocked task waits for: the tasks and plans in its error that are not done yet, or all of them once they are
 * done. None if one of them waits for this task, or if the task was blocked again although nothing it names is open: then
 * the user must decide.
 */
export function chooseBlockers(
  plan: FoundPlan,
  task: Task,
  error: string,
  snapshot: ProjectSnapshot,
): string[] {
  const all = snapshot.plans.map((each) => ({
    id: each.id,
    tasks: each.plan.tasks.map((one) => refOf(each, one)),
  }));
  const own = taskId(plan.id, task.index);
  const named = findBlockers(error, all.find(({ id }) => id === plan.id)!, all).filter((id) => id !== own);
  const open = named.filter((id) => !isDone(id, snapshot.plans));
  if (open.length === 0)
    return snapshot.conditionsOf(plan)[task.index - 1]!.status === 'blocked' ? [] : named;
  const waiting = [own, ...findDependents(plan, task, snapshot)];
  return open.some((id) => reaches(id, waiting, snapshot)) ? [] : open;
}

/** Whether a task or a plan is one of these, or is queued behind one of them. */
function reaches(id: string, waiting: readonly string[], snapshot: ProjectSnapshot): boolean {
  const seen = new Set([id]);
  for (const each of seen) {
    if (waiting.some((other) => other === each || other.startsWith(`${each}:`))) return true;
    for (const plan of snapshot.plans) {
      snapshot.conditionsOf(plan).forEach(({ behind }, at) => {
        if (each === taskId(plan.id, at + 1)) for (const next of behind) seen.add(next);
      });
    }
  }
  return false;
}

/**
 * Ids of all tasks that wait for this one, directly or indirectly. An incomplete plan holds up every plan that needs it.
 */
export function findDependents(plan: FoundPlan, task: Task, snapshot: ProjectSnapshot): string[] {
  const needing = plansByNeed(snapshot.plans);
  const held = new Set(needing.get(plan.id));
  // A loop over a set also visits what is added to it meanwhile.
  for (const { id } of held) for (const other of needing.get(id) ?? []) held.add(other);
  const others = snapshot.plans.filter((other) => other.path !== plan.path && held.has(other));
  return [
    ...dependentsInPlan(plan, task, snapshot),
    ...others.flatMap((other) => openTasks(other, snapshot).map(({ index }) => taskId(other.id, index))),
  ];
}

/** The plans that need each plan, by its id. Finished plans need none. */
function plansByNeed(plans: readonly FoundPlan[]): Map<string, FoundPlan[]> {
  const needing = new Map<string, FoundPlan[]>();
  for (const plan of plans) {
    for (const id of isPlanOver(plan) ? [] : planDependencies(plan, plans)) addToGroup(needing, id, plan);
  }
  return needing;
}

function openTasks(plan: FoundPlan, snapshot: ProjectSnapshot): Task[] {
  const conditions = snapshot.conditionsOf(plan);
  return plan.plan.tasks.filter(({ index }) => {
    const { status } = conditions[index - 1]!;
    return status !== 'completed' && status !== 'skipped';
  });
}

function dependentsInPlan(plan: FoundPlan, task: Task, snapshot: ProjectSnapshot): string[] {
  const sequence = isSequence(plan.plan);
  const waiting = new Map<number, number[]>();
  for (const other of openTasks(plan, snapshot)) {
    for (const index of dependencies(other, sequence)) addToGroup(waiting, index, other.index);
  }
  const held = new Set([task.index]);
  for (const index of held) for (const other of waiting.get(index) ?? []) held.add(other);
  held.delete(task.index);
  return [...held].sort((one, other) => one - other).map((index) => taskId(plan.id, index));
}
