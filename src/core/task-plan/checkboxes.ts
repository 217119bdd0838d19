import { addToGroup } from '../groups.js';
import { shorten } from '../text.js';
import type { Range } from './covers.js';
import type { Elements } from './elements.js';
import { readPlanNumber, readTaskLine, wordsAgree } from './names.js';
import { joinLines } from './tags.js';
import type { Criterion, TaskPlanIssueLog } from './types.js';

/** An item of a list, and where its parts are. */
export interface Item {
  criterion: Criterion;
  /** The character between the brackets of a checkbox; -1 where it is none. */
  tickAt: number;
  /** `(completed …)` with the white space before it; empty where there is none. */
  suffix: { from: number; to: number };
  /** Offset of the line. */
  at: number;
}

class ListItem implements Criterion {
  constructor(
    readonly text: string,
    readonly checked: boolean | null,
    private readonly at: number,
    private readonly lineOf: (at: number) => number,
  ) {}

  get line(): number {
    return this.lineOf(this.at) + 1;
  }
}

/** So many tasks of one number are compared with a checkbox. */
const MOST_ALIKE = 8;

/** A line that is an item of a list: its marker, its checkbox and its text. */
const ITEM = /^(\ufeff?[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:(\[([ xX])\])(?=[ \t\r\n]|$)[ \t]*)?([^\r\n]*)/gm;
/** The indented line below an item that is neither a tag nor another item. */
const WRAPPED = /\r?\n[ \t]+(?![ \t<]|[-*+][ \t]|\d{1,9}[.)][ \t])([^\r\n]+)/y;
const SUFFIX = /[ \t]*\(completed \d{4}-\d{2}-\d{2}\)$/i;

/** Checkboxes anywhere, and every item of the success criteria; none in fences and comments. */
export function scanItems(
  { covered, sections }: Elements,
  from: number,
  lineOf: (at: number) => number,
): { items: Item[]; criteria: Item[] } {
  const { text } = covered;
  const criteria = sections.get('success_criteria');
  const items: Item[] = [];
  const listed: Item[] = [];
  ITEM.lastIndex = from === 1 ? 0 : from;
  for (let found = ITEM.exec(text); found; found = ITEM.exec(text)) {
    const inCriteria = criteria !== undefined && found.index >= criteria.from && found.index < criteria.to;
    if (found[2] === undefined && !inCriteria) continue;
    const cover = covered.endOfCover(found.index + found[1]!.length - 1);
    if (cover !== undefined) {
      ITEM.lastIndex = Math.max(ITEM.lastIndex, cover);
      continue;
    }
    const item = readItem(text, found, inCriteria ? criteria.to : text.length, lineOf);
    if (item.tickAt !== -1) items.push(item);
    if (inCriteria) listed.push(item);
  }
  return { items, criteria: listed };
}

function readItem(text: string, found: RegExpExecArray, limit: number, lineOf: (at: number) => number): Item {
  const [whole, marker, , tick, rest] = found;
  const tickAt = tick === undefined ? -1 : found.index + marker!.length + 1;
  const textFrom = found.index + whole.length - rest!.length;
  const inked = text.slice(textFrom, Math.min(textFrom + rest!.length, limit)).trimEnd();
  const suffix = tick === undefined ? undefined : SUFFIX.exec(inked)?.[0];
  const own = suffix === undefined ? inked : inked.slice(0, -suffix.length);
  const texts = [joinLines(own)];
  WRAPPED.lastIndex = ITEM.lastIndex;
  for (let more = WRAPPED.exec(text); more && WRAPPED.lastIndex <= limit; more = WRAPPED.exec(text)) {
    texts.push(joinLines(more[1]!));
    ITEM.lastIndex = WRAPPED.lastIndex;
  }
  return {
    criterion: new ListItem(texts.join(' '), tick === undefined ? null : tick !== ' ', found.index, lineOf),
    tickAt,
    suffix: { from: textFrom + own.length, to: textFrom + inked.length },
    at: found.index,
  };
}

/** The checkboxes that are tasks themselves, in a plan without elements, with their names. */
export function taskItems(items: readonly Item[]): { item: Item; name: string }[] {
  return items.flatMap((item) => {
    const name = readTaskLine(item.criterion.text);
    return name === undefined ? [] : [{ item, name }];
  });
}

/** The boxes that may belong to a task: those in the success criteria, or else those in no element at all. */
export function eligibleItems(items: readonly Item[], { tasks, sections, enclosed }: Elements): Item[] {
  const criteria = sections.get('success_criteria');
  const inTasks = tasks.map(({ tag, end }) => ({ from: tag.at, to: end }));
  const free = outsideOf(items, inTasks);
  if (criteria) return free.filter((item) => isIn(item, criteria));
  return free.length === 0 ? free : outsideOf(free, enclosed());
}

/** The boxes that may be tasks themselves. */
export function freeItems(items: readonly Item[], { sections, enclosed }: Elements): Item[] {
  const criteria = sections.get('success_criteria');
  const free = new Set(outsideOf(items, enclosed()));
  return items.filter((item) => free.has(item) || (criteria !== undefined && isIn(item, criteria)));
}

/** A task that may have a checkbox. */
interface NamedTask {
  name: string;
  named: boolean;
  /** Offset of its tag. */
  at: number;
}

/**
 * The checkbox of each task: one with the task's name, or with its number and words that agree. In a plan whose names
 * have no numbers the position is the number. One that could belong to two tasks belongs to none, and one that has but
 * the number in common with a task is reported.
 */
export function assignItems(
  items: readonly Item[],
  tasks: readonly NamedTask[],
  log: TaskPlanIssueLog,
): (Item | undefined)[] {
  const assigned = tasks.map((): Item | undefined => undefined);
  if (items.length === 0) return assigned;
  const itemsOf = new Map<string, Item[]>();
  const tasksOf = new Map<string, NamedTask[]>();
  for (const item of items) addToGroup(itemsOf, item.criterion.text, item);
  for (const task of tasks) if (task.named) addToGroup(tasksOf, task.name, task);
  const others = new Set<number>();
  tasks.forEach((task, i) => {
    const exact = task.named ? itemsOf.get(task.name) : undefined;
    if (!exact) others.add(i);
    else if (exact.length > 1 || tasksOf.get(task.name)!.length > 1) reportAmbiguous(task, log);
    else assigned[i] = exact[0];
  });
  const rest = items.filter(({ criterion }) => !tasksOf.has(criterion.text));
  if (rest.length === 0) return assigned;
  for (const [i, claimed] of claimByNumber(rest, tasks, log)) {
    if (!others.has(i)) continue;
    const [only, second] = claimed;
    if (second || only!.isShared) reportAmbiguous(tasks[i]!, log);
    else assigned[i] = only!.item;
  }
  return assigned;
}

/** For each task, by its position from 0, the items with its number and words that agree. */
function claimByNumber(items: readonly Item[], tasks: readonly NamedTask[], log: TaskPlanIssueLog) {
  const numbers = tasks.map(({ name, named }) => (named ? readPlanNumber(name)?.number : undefined));
  const isNumbered = numbers.some((number) => number !== undefined);
  const positions = new Map<string, number[]>();
  numbers.forEach((number, i) => {
    const own = isNumbered ? number : tasks[i]!.named ? String(i + 1) : undefined;
    if (own !== undefined) addToGroup(positions, own, i);
  });
  const claims = new Map<number, { item: Item; isShared: boolean }[]>();
  for (const item of items) {
    const sharers = positions.get(taskNumber(item.criterion.text) ?? '')?.slice(0, MOST_ALIKE) ?? [];
    const agreeing = sharers.filter((i) => sameWords(item, tasks[i]!.name));
    if (sharers.length > 0 && agreeing.length === 0) reportDiffering(item, tasks[sharers[0]!]!.name, log);
    for (const i of agreeing) addToGroup(claims, i, { item, isShared: agreeing.length > 1 });
  }
  return claims;
}

function reportDiffering({ at }: Item, name: string, log: TaskPlanIssueLog): void {
  log.add(
    'checkbox-words-differ',
    at,
    `This checkbox has the number of "${shorten(name, 80)}" but other words, so it is not that task's checkbox.`,
    'Give it the full name of the task, or remove the number if it means something else.',
  );
}

function reportAmbiguous({ at }: NamedTask, log: TaskPlanIssueLog): void {
  log.add(
    'checkbox-ambiguous',
    at,
    'Several checkboxes could belong to this task; none is used.',
    'Give each task one checkbox with its full name: "- [ ] Task 1: Name".',
  );
}

function taskNumber(text: string): string | undefined {
  const line = readTaskLine(text);
  return line === undefined ? undefined : readPlanNumber(line)?.number;
}

function sameWords({ criterion }: Item, name: string): boolean {
  const line = readTaskLine(criterion.text) ?? '';
  return wordsAgree(readPlanNumber(line)?.rest ?? line, readPlanNumber(name)?.rest ?? name);
}

function isIn({ at }: Item, { from, to }: Range): boolean {
  return at >= from && at < to;
}

/** The items in none of the ranges, sorted by start. */
function outsideOf(items: readonly Item[], ranges: readonly Range[]): Item[] {
  let next = 0;
  let covered = -1;
  return items.filter(({ at }) => {
    while (next < ranges.length && ranges[next]!.from <= at) covered = Math.max(covered, ranges[next++]!.to);
    return at >= covered;
  });
}
