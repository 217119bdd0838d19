import type { TaskGraph } from './task-graph.js';
import type { GraphPlan, GraphTask } from './types.js';

/** `03-01`, `03-01:2`, `03-01, Task 2`, `.planning/03-01-database-PLAN.md`; no date and no part of a number. */
const BY_ID =
  /(?<![\w.-])(\d{1,3}(?:\.\d{1,3}){0,3}-\d{1,3})(?:(?::|,? tasks? #?)(\d{1,6}))?(?![\w:]|[.-]\d)/gi;
/** `auth:2`, of a plan whose id is a word. */
const BY_WORD = /(?<![\w.-])([\p{L}_][\p{L}\p{N}_.-]{0,99}):(\d{1,6})(?![\w:]|[.-]\d)/gu;
const OWN =
  /(?<![\w-])tasks?[ \t]{1,3}#?(\d{1,6}(?:(?:, ?| and | or |, and | & )#?\d{1,6}){0,20})(?![\w-])/gi;

/** So much of an error is looked at. */
const MOST_READ = 100_000;

/**
 * The tasks and plans that the error of a blocked result names, in the order in which it names them: ids, and `Task 3`
 * of its own plan. Never that plan itself, and nothing that the graph does not hold.
 */
export function namedInError(text: string, plan: GraphPlan, graph: TaskGraph): string[] {
  const read = text.slice(0, MOST_READ);
  const plans = new Map(graph.plans.map((each) => [plainId(each.id), each]));
  const named: { at: number; id: string | undefined }[] = [];
  for (const { index: at, 1: id, 2: task } of [...read.matchAll(BY_ID), ...read.matchAll(BY_WORD)]) {
    const other = plans.get(plainId(id!));
    if (task !== undefined) named.push({ at, id: other?.tasks[Number(task) - 1]?.id });
    else if (other !== plan) named.push({ at, id: other?.id });
  }
  for (const { index: at, 1: numbers } of read.replace(BY_ID, blank).matchAll(OWN)) {
    for (const [number] of numbers!.matchAll(/\d+/g))
      named.push({ at, id: taskOf(plan, Number(number))?.id });
  }
  const inOrder = named.sort((one, other) => one.at - other.at).flatMap(({ id }) => id ?? []);
  return [...new Set(inOrder)];
}

/** What is read already, without moving what follows. */
function blank(text: string): string {
  return '.'.repeat(text.length);
}

/** `3-1` of `03-01`. */
function plainId(id: string): string {
  return id.toLowerCase().replace(/(?<!\d)0+(?=\d)/g, '');
}

/** The one whose name begins `Task 3`; the third where no name of the plan has a number. */
function taskOf({ tasks }: GraphPlan, number: number): GraphTask | undefined {
  const numbers = tasks.map(({ name }) => /^task[ #-]{1,3}0{0,9}(\d{1,9})(?![\w.])/i.exec(name)?.[1]);
  if (numbers.some((each) => each !== undefined)) return tasks[numbers.indexOf(String(number))];
  return tasks[number - 1];
}
