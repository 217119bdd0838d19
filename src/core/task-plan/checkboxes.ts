import { addToGroup } from '../groups.js';
import type { TextRange } from '../markdown/lines.js';
import { foldText, shorten, wordPattern } from '../text.js';
import type { Elements } from './elements.js';
import { isDigit } from './tags.js';
import type { Criterion, Task, TaskMatch, TaskPlan, TaskPlanIssueLog } from './types.js';

/** An item of a list, and where its parts are. */
export interface Item {
  criterion: Criterion;
  /** The character between the brackets of a checkbox; -1 if it is none. */
  tickAt: number;
  /** `(completed …)` with the white space before it; empty if there is none. */
  suffix: { from: number; to: number };
  /** Offset of the line. */
  at: number;
  /** Where its text ends, which may go on over several lines. */
  end: number;
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

  toJSON(): Criterion {
    return { text: this.text, checked: this.checked, line: this.line };
  }
}

/** At most this many tasks with the same number are compared with a checkbox. */
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
  const texts = [foldText(own)];
  WRAPPED.lastIndex = ITEM.lastIndex;
  for (let more = WRAPPED.exec(text); more && WRAPPED.lastIndex <= limit; more = WRAPPED.exec(text)) {
    texts.push(foldText(more[1]!));
    ITEM.lastIndex = WRAPPED.lastIndex;
  }
  return {
    criterion: new ListItem(texts.join(' '), tick === undefined ? null : tick !== ' ', found.index, lineOf),
    tickAt,
    suffix: { from: textFrom + own.length, to: textFrom + inked.length },
    at: found.index,
    end: ITEM.lastIndex,
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

function isIn({ at }: Item, { from, to }: TextRange): boolean {
  return at >= from && at < to;
}

/** The items in none of the ranges, sorted by start. */
function outsideOf(items: readonly Item[], ranges: readonly TextRange[]): Item[] {
  let next = 0;
  let covered = -1;
  return items.filter(({ at }) => {
    while (next < ranges.length && ranges[next]!.from <= at) covered = Math.max(covered, ranges[next++]!.to);
    return at >= covered;
  });
}

/** A name that starts with the number of a task. */
export interface NumberedName {
  /** Without leading zeros. */
  number: string;
  /** What follows the number. */
  rest: string;
  /** It is written `Task N:`, or is `Task N` and no more. */
  isPlain: boolean;
}

const NUMBERED = wordPattern(
  '^[*_`]*task[\\s#-]*0*(\\d{1,9}(?:\\.\\d{1,9})*[a-z]?)(?![\\p{L}\\p{N}])[*_`]*\\s*([:.)\\u2013\\u2014-]?)',
  'i',
);
const PLAIN = /^Task \d[\d.]*[a-z]?(?::|$)/;

export function readPlanNumber(name: string): NumberedName | undefined {
  return readUsual(name) ?? readUnusual(name);
}

/** `Task 12: Name` */
function readUsual(name: string): NumberedName | undefined {
  if (!name.startsWith('Task ') || name[5] === '0') return undefined;
  let to = 5;
  while (to < 14 && isDigit(name.charCodeAt(to))) to++;
  if (to === 5 || name[to] !== ':') return undefined;
  return { number: name.slice(5, to), rest: name.slice(to + 1), isPlain: true };
}

function readUnusual(name: string): NumberedName | undefined {
  const start = name.slice(0, 400);
  const found = NUMBERED(start).exec(start);
  if (!found) return undefined;
  return {
    number: found[1]!.toLowerCase(),
    rest: name.slice(found[0].length),
    isPlain: PLAIN.test(name.slice(0, 100)),
  };
}

/** A checkbox that starts `Task N:`, bold or not. `text` is on one line. */
function readTaskLine(text: string): string | undefined {
  if (readUsual(text)) return text;
  const plain = dropBold(text);
  const start = plain.slice(0, 400);
  const found = NUMBERED(start).exec(start);
  return found?.[2] === ':' ? plain : undefined;
}

/** `**Task 1:** Create it` as `Task 1: Create it`. */
function dropBold(text: string): string {
  const mark = text.slice(0, 2);
  if (mark !== '**' && mark !== '__') return foldText(text);
  const close = text.indexOf(mark, 2);
  return close === -1 ? foldText(text) : foldText(text.slice(2, close) + text.slice(close + 2));
}

/** Characters compared of a name: only hostile text has longer names. */
const MOST_COMPARED = 10_000;

const WORDS = wordPattern(String.raw`[\p{L}\p{N}\p{M}]+`, 'g');

/** The words of a text without case, spacing and punctuation. */
function wordsOf(text: string): string[] {
  const folded = text.slice(0, MOST_COMPARED).normalize('NFC').toLowerCase();
  return folded.match(WORDS(folded)) ?? [];
}

/** Whether the words of the shorter text occur in the longer one, in their order. */
function wordsAgree(a: string, b: string): boolean {
  let [shorter, longer] = [wordsOf(a), wordsOf(b)];
  if (shorter.length > longer.length) [shorter, longer] = [longer, shorter];
  let next = 0;
  for (const word of longer) if (word === shorter[next]) next++;
  return next >= shorter.length;
}

/** Whether two texts differ only in case, spacing and punctuation. */
export function foldsEqual(a: string, b: string): boolean {
  const areShort = a.length <= MOST_COMPARED && b.length <= MOST_COMPARED;
  return areShort && wordsOf(a).join('') === wordsOf(b).join('');
}

/**
 * The task that a result names: by its very name; by its number; or by both after folding case, spacing and
 * punctuation. The number of one task with the words of another means neither. Nothing is matched by likeness. Where the plan's names have no numbers, a number is a position, and
 * then the words must agree.
 */
export function matchTask(plan: TaskPlan, writtenName: string): TaskMatch | undefined {
  const written = foldText(writtenName);
  const numbered = readPlanNumber(written);
  const exact = plan.tasks.filter(({ name }) => name === written);
  if (exact.length > 0) return exactMatch(plan, exact, numbered?.number);
  if (!numbered) return undefined;
  const { number, rest, isPlain } = numbered;
  const hasNumbers = plan.tasks.some((task) => numberOf(task) !== undefined);
  if (!hasNumbers) return positionMatch(plan, number, rest, isPlain);

  const tasks = plan.tasks.filter((task) => numberOf(task) === number);
  if (tasks.length > 1) {
    const same = tasks.filter((task) => foldsEqual(restOf(task), rest));
    return same.length === 1 ? { task: same[0]!, match: 'folded', sameWords: true } : { ambiguous: tasks };
  }
  const [task] = tasks;
  if (!task) return undefined;
  const sameWords = wordsAgree(restOf(task), rest);
  const meant = plan.tasks.filter((other) => other === task || foldsEqual(restOf(other), rest));
  if (!sameWords && meant.length > 1) return { ambiguous: meant };
  if (isPlain) return { task, match: 'number', sameWords };
  return sameWords ? { task, match: 'folded', sameWords } : undefined;
}

/** A task without a name is called `Task 2` by its position; another may carry that number in its name. */
function exactMatch(plan: TaskPlan, exact: readonly Task[], number: string | undefined): TaskMatch {
  const [task] = exact;
  const rivals = exact.every(({ named }) => named)
    ? exact
    : plan.tasks.filter((other) => other.name === task!.name || numberOf(other) === number);
  return rivals.length > 1 ? { ambiguous: rivals } : { task: task!, match: 'exact', sameWords: true };
}

function positionMatch(
  plan: TaskPlan,
  number: string,
  rest: string,
  isPlain: boolean,
): TaskMatch | undefined {
  const task = /^\d+$/.test(number) ? plan.tasks[Number(number) - 1] : undefined;
  if (!task) return undefined;
  const match = isPlain ? 'number' : 'folded';
  if (!task.named) return { task, match, sameWords: false };
  const says = rest.trim() !== '' && wordsAgree(task.name, rest);
  return says ? { task, match, sameWords: true } : undefined;
}

function numberOf(task: Task): string | undefined {
  return task.named ? readPlanNumber(task.name)?.number : undefined;
}

function restOf(task: Task): string {
  return readPlanNumber(task.name)?.rest ?? task.name;
}
