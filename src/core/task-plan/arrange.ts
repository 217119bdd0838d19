import type { TextRange } from '../markdown/lines.js';
import { readPlanNumber } from './checkboxes.js';
import { isSequence } from './order.js';
import { parseTaskPlan, placesOf, type TaskPlace } from './parse.js';
import { type Arrangement, newPositions, referenceSplices, wantedDependencies } from './references.js';
import { applySplices, type Splice } from './splices.js';
import type { Task, TaskPlan } from './types.js';
import { endOfItem, type NewTask, writeItem, writeTask } from './write-task.js';

/**
 * Adds, moves and removes tasks of a PLAN.md. Names keep their numbers; what says a position is renumbered. All other
 * bytes stay, and an edit that the file would not read back as meant is refused.
 */
export type TaskEdit =
  | {
      status: 'edited';
      plan: TaskPlan;
      /** The task's position now; that of a removed one, before. */
      index: number;
      /** The new position of each task by its old one; a removed one has none. */
      positions: ReadonlyMap<number, number>;
    }
  /** `reason` is a whole sentence. */
  | { status: 'refused'; reason: string };

export interface AddedTask extends NewTask {
  /** Positions of the tasks that it waits for. */
  after: readonly number[];
}

/** At the end; in a file that is done in its order, right behind the tasks that it waits for. */
export function addTask(plan: TaskPlan, { after, ...task }: AddedTask): TaskEdit {
  const ordered = isSequence(plan);
  const count = plan.tasks.length;
  const missing = after.find((index) => plan.tasks[index - 1] === undefined);
  if (missing !== undefined) return refuseEdit(`The task file has no task ${missing}; it has ${count}.`);
  const position = ordered && after.length > 0 ? Math.max(...after) + 1 : count + 1;
  const name = numberName(plan, task.name);
  const places = placesOf(plan);
  const isList = count > 0 && !plan.tasks[0]!.isElement;
  if (isList && after.length > 0 && !ordered)
    return refuseEdit('The tasks of this file are checkboxes, which cannot say what they wait for.');
  if (isList && (task.files.length > 0 || task.verify !== null || task.action !== null || task.done !== null))
    return refuseEdit(
      'The tasks of this file are checkboxes, which have a name only: write it as a <task> element.',
    );
  const order: (number | undefined)[] = plan.tasks.map(({ index }) => index);
  order.splice(position - 1, 0, undefined);
  const dependsOn = ordered || after.length === 0 ? null : [...new Set(after)].sort((a, b) => a - b);
  const insertions = isList
    ? writeItem(plan.text, places[position - 2]!.item!, name)
    : writeTask(plan.text, places, position, { ...task, name, dependsOn });
  const edit = arrange(plan, order, { index: position, insertions, added: name });
  if (edit.status === 'refused') return edit;
  const added = edit.plan.tasks[position - 1]!;
  const isAsMeant =
    added.name === name &&
    (added.checkbox !== null || places.every(({ item }) => item === undefined)) &&
    sameJson(
      added.files.map(({ path }) => path),
      task.files,
    ) &&
    (added.verify?.command ?? null) === task.verify &&
    sameJson(added.dependsOn ?? [], dependsOn ?? []);
  return isAsMeant ? edit : refuseEdit(NOT_READ_BACK);
}

export function moveTask(plan: TaskPlan, index: number, to: number): TaskEdit {
  const order = plan.tasks.map((task) => task.index);
  if (plan.tasks[to - 1] === undefined)
    return refuseEdit(`The task file has ${order.length} tasks, so there is no position ${to}.`);
  order.splice(index - 1, 1);
  order.splice(to - 1, 0, index);
  return arrange(plan, order, { index: to });
}

/** With its checkbox. What depended on it depends on what it depended on. */
export function removeTask(plan: TaskPlan, index: number): TaskEdit {
  const order = plan.tasks.map((task) => task.index).filter((each) => each !== index);
  const { element, item } = placesOf(plan)[index - 1]!;
  const slot = slotOf(plan.text, { element, item });
  const ranges = [
    ...(element ? [slot] : []),
    ...(item ? [{ from: item.at, to: endOfItem(plan.text, item) }] : []),
  ];
  const removals = ranges.map((range) => removeLines(plan.text, range));
  return arrange(plan, order, { index, removals });
}

interface Pieces {
  /** Of the task that the edit is about. */
  index: number;
  insertions?: readonly Splice[];
  removals?: readonly Splice[];
  /** The name of the new task. */
  added?: string;
}

/** Every task goes to its new place as it is, and what is between the tasks stays where it is. */
function arrange(
  plan: TaskPlan,
  order: Arrangement['order'],
  { index, insertions = [], removals = [], added }: Pieces,
): TaskEdit {
  const { text, tasks } = plan;
  const places = placesOf(plan);
  const names = order.map((old, i) => {
    const { name, named } = old === undefined ? { name: added!, named: true } : tasks[old - 1]!;
    return { name: named ? name : `Task ${i + 1}`, named };
  });
  const arrangement = { order, names };
  const positions = newPositions(arrangement);
  const references = referenceSplices(plan, places, arrangement);
  if (references === undefined)
    return refuseEdit(
      'depends_on of a task cannot be renumbered. Write plain positions such as depends_on="1,2" first.',
    );
  const inside = [...references, ...renumberBoxes(plan, places, positions)];
  const slots = places.map((place) => slotOf(text, place));
  const kept = order.filter((old) => old !== undefined);
  const moved = kept
    .toSorted((a, b) => a - b)
    .flatMap((at, i): Splice[] => {
      const [slot, source] = [slots[at - 1]!, slots[kept[i]! - 1]!];
      return at === kept[i] ? [] : [{ ...slot, text: contentOf(text, source, inside) }];
    });
  const isMoved = (at: number) => moved.some(({ from, to }) => at >= from && at < to);
  const rest = inside.filter(({ from }) => !isMoved(from) && !removals.some((each) => isIn(from, each)));
  const splices = [...moved, ...rest, ...removals, ...insertions];
  if (overlap(splices) || (moved.length > 0 && overlap(slots)))
    return refuseEdit('Its tasks are inside each other. Close each with </task> before the next.');
  const after = parseTaskPlan(applySplices(text, splices));
  if (!isArranged(plan, after, order, positions)) return refuseEdit(NOT_READ_BACK);
  return { status: 'edited', plan: after, index, positions };
}

export const NOT_READ_BACK =
  'The task file would not read back as meant, so nothing was changed: edit it by hand.';

export function refuseEdit(reason: string): TaskEdit {
  return { status: 'refused', reason };
}

/** What is exchanged when tasks change places: the element, or all of a list item behind its marker. */
function slotOf(text: string, { element, item }: TaskPlace): TextRange {
  if (!element) return { from: item!.tickAt - 1, to: endOfItem(text, item!) };
  const { at } = element.tag;
  return { from: at, to: at + text.slice(at, element.body.end).trimEnd().length };
}

function contentOf(text: string, { from, to }: TextRange, inside: readonly Splice[]): string {
  const own = inside.filter((splice) => splice.from >= from && splice.to <= to);
  return applySplices(
    text.slice(from, to),
    own.map((splice) => ({ ...splice, from: splice.from - from, to: splice.to - from })),
  );
}

/** Where names have no numbers, `- [ ] Task 2: …` means the second task. */
function renumberBoxes(
  plan: TaskPlan,
  places: readonly TaskPlace[],
  positions: ReadonlyMap<number, number>,
): Splice[] {
  if (plan.tasks.some(({ name, named }) => named && readPlanNumber(name))) return [];
  return plan.tasks.flatMap(({ index, named, checkbox }): Splice[] => {
    const { item } = places[index - 1]!;
    const now = positions.get(index);
    if (!item || !checkbox || now === undefined || now === index) return [];
    const number = BOX_NUMBER.exec(plan.text.slice(item.tickAt + 2, item.end));
    if (!number || (named && plan.tasks[index - 1]!.name === checkbox.text)) return [];
    const to = item.tickAt + 2 + number[0].length;
    return [{ from: to - number[1]!.length, to, text: String(now) }];
  });
}

const BOX_NUMBER = /^[ \t]*[*_`]*task[\s#-]*(\d{1,9})/i;

/** Whole lines with their ending, and one of two blank lines that would meet. */
function removeLines(text: string, { from, to }: TextRange): Splice {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = text.indexOf('\n', to);
  const isWhole =
    text.slice(start, from).trim() === '' &&
    text.slice(to, lineEnd === -1 ? undefined : lineEnd).trim() === '';
  if (!isWhole) return { from, to, text: '' };
  const first = text.charCodeAt(start) === BOM ? start + 1 : start;
  if (lineEnd === -1) return { from: endOfInk(text, first), to: text.length, text: '' };
  let end = lineEnd + 1;
  if (first > 0 && !isBlankLine(text, first - 1)) return { from: first, to: end, text: '' };
  for (let blank = BLANK_LINE.exec(text.slice(end, end + LONGEST_BLANK)); blank; ) {
    end += blank[0].length;
    blank = BLANK_LINE.exec(text.slice(end, end + LONGEST_BLANK));
  }
  return { from: first, to: end, text: '' };
}

const BOM = 0xfeff;
const BLANK_LINE = /^[ \t]*\r?\n/;
const LONGEST_BLANK = 200;

/** Whether the line that ends at `end` is blank. */
function isBlankLine(text: string, end: number): boolean {
  return text.slice(text.lastIndexOf('\n', end - 1) + 1, end).trim() === '';
}

/** The end of the last line before `at` that is not blank, for a file that ended without a line ending, and still does. */
function endOfInk(text: string, at: number): number {
  const ink = text.slice(0, at).trimEnd().length;
  const end = text.indexOf('\n', ink);
  if (ink === 0 || end === -1 || end >= at) return Math.min(at, ink === 0 ? at : ink);
  return text[end - 1] === '\r' ? end - 1 : end;
}

function isIn(at: number, { from, to }: TextRange): boolean {
  return at >= from && at < to;
}

function overlap(ranges: readonly TextRange[]): boolean {
  const sorted = ranges.toSorted((a, b) => a.from - b.from);
  return sorted.some(({ from }, i) => i > 0 && from < sorted[i - 1]!.to);
}

/** The next free number, where the tasks of the file have numbers. */
function numberName({ tasks }: TaskPlan, name: string): string {
  const numbers = tasks.map((task) => (task.named ? readPlanNumber(task.name)?.number : undefined));
  if (readPlanNumber(name) || (tasks.length > 0 && numbers.every((number) => number === undefined)))
    return name;
  const highest = Math.max(0, ...numbers.map((number) => Number.parseInt(number ?? '0', 10)));
  return `Task ${highest + 1}: ${name}`;
}

/** `except`: the old position of a task that may have changed. */
export function isArranged(
  before: TaskPlan,
  after: TaskPlan,
  order: Arrangement['order'],
  positions: ReadonlyMap<number, number>,
  except?: number,
): boolean {
  const wanted = wantedDependencies(before, positions);
  return (
    after.tasks.length === order.length &&
    sameJson(sectionsOf(before), sectionsOf(after)) &&
    order.every((old, i) => {
      if (old === undefined || old === except) return true;
      const [was, is] = [before.tasks[old - 1]!, after.tasks[i]!];
      return sameJson(factsOf(was), factsOf(is)) && sameJson(is.dependsOn, wanted.get(old) ?? null);
    })
  );
}

function sectionsOf({ objective, context, verification, output }: TaskPlan) {
  return { objective, context, verification, output };
}

function factsOf({ name, named, checkbox, verify, ...task }: Task) {
  const { isElement, type, tdd, id, gate, status, completedAt, files, readFirst, action, behavior } = task;
  return {
    name: named && name,
    checked: checkbox?.checked,
    verify: verify?.text,
    isElement,
    type,
    tdd,
    id,
    gate,
    status,
    completedAt,
    files,
    readFirst,
    action,
    behavior,
    acceptanceCriteria: task.acceptanceCriteria,
    done: task.done,
    unknown: task.dependsOnUnknown,
  };
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
