import { firstInk, type Lines } from '../markdown/lines.js';
import { shorten } from '../text.js';
import type { Elements, Range, TaskElement } from './elements.js';
import { readPlanNumber, readTaskLine, wordsAgree } from './names.js';
import { type Cover, itemContent } from './surface.js';
import { isBlankChar, isDigit, joinLines, skipBlanks } from './text.js';
import type { Criterion, TaskPlanIssueLog } from './types.js';

/** An item of a list, and where its parts are. */
export interface Item {
  criterion: Criterion;
  /** The character between the brackets of a checkbox; -1 where it is none. */
  tickAt: number;
  /** Where the text of the line ends, `(completed …)` and white space excluded. */
  textTo: number;
  /** `(completed …)` with the white space before it; empty where there is none. */
  suffix: { from: number; to: number };
  /** Offset of the line. */
  at: number;
}

/** More tasks or boxes of one name or number are not distinguished. */
const MOST_ALIKE = 8;

const ITEM_START = /(?:^|\ufeff)[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/gm;

const SUFFIX = /\(completed (\d{4}-\d{2}-\d{2})\)$/i;
const SUFFIX_LENGTH = '(completed 2026-01-26)'.length;

/** Checkboxes anywhere, and every item of the success criteria; none in fences and comments. */
export function scanItems(
  lines: Lines,
  from: number,
  covers: readonly Cover[],
  criteria: Range | undefined,
): { items: Item[]; criteria: Item[] } {
  const items: Item[] = [];
  const listed: Item[] = [];
  const isCovered = insideTest(covers);
  const endOf = (line: number, ink: number) => {
    const inCriteria = criteria !== undefined && ink >= criteria.from && ink < criteria.to;
    return { inCriteria, end: inCriteria ? Math.min(lines.ends[line]!, criteria.to) : lines.ends[line]! };
  };
  let line = 0;
  ITEM_START.lastIndex = from === lines.starts[0] ? 0 : from;
  while (ITEM_START.test(lines.text)) {
    while (line + 1 < lines.count && lines.starts[line + 1]! < ITEM_START.lastIndex) line++;
    ITEM_START.lastIndex = lines.ends[line]!;
    let ink = firstInk(lines, line);
    if (isCovered(ink)) continue;
    const { inCriteria, end } = endOf(line, ink);
    const item = readItem(lines, line, ink, end, inCriteria);
    if (!item) continue;
    if (item.tickAt !== -1) items.push(item);
    if (inCriteria) listed.push(item);
    while (line + 1 < lines.count) {
      ink = firstInk(lines, line + 1);
      const { end } = endOf(line + 1, ink);
      if (isCovered(ink) || !goesOn(lines, ink, end)) break;
      item.criterion.text += ` ${joinLines(lines.text.slice(ink, end))}`;
      line++;
    }
    ITEM_START.lastIndex = lines.ends[line]!;
  }
  return { items, criteria: listed };
}

/** Whether an offset is in one of the ranges, sorted by start; asked for offsets in ascending order. */
function insideTest(ranges: readonly Cover[]): (at: number) => boolean {
  let next = 0;
  let covered = -1;
  return (at) => {
    while (next < ranges.length && ranges[next]!.from <= at) covered = Math.max(covered, ranges[next++]!.to);
    return at < covered;
  };
}

/** A wrapped item: an indented line right below it. */
function goesOn({ text }: Lines, ink: number, end: number): boolean {
  const isIndented = ink > 0 && ink < end && isBlankChar(text.charCodeAt(ink - 1));
  return isIndented && text[ink] !== '<' && itemContent(text, ink, end) === undefined;
}

function readItem(lines: Lines, line: number, ink: number, end: number, any: boolean): Item | undefined {
  const { text } = lines;
  const code = text.charCodeAt(ink);
  if (code !== 45 && code !== 42 && code !== 43 && !isDigit(code)) return undefined;
  let content = itemContent(text, ink, end);
  if (content === undefined) return undefined;
  const checked = readTick(text, content, end);
  if (checked === null && !any) return undefined;
  const tickAt = checked === null ? -1 : content + 1;
  if (tickAt !== -1) content = skipBlanks(text, content + 3, end);
  const inkTo = trimEnd(text, content, end);
  const suffix = tickAt === -1 ? { from: inkTo, to: inkTo } : readSuffix(text, content, inkTo);
  return {
    criterion: { line: line + 1, text: joinLines(text.slice(content, suffix.from)), checked },
    tickAt,
    textTo: suffix.from,
    suffix,
    at: lines.starts[line]!,
  };
}

function readTick(text: string, at: number, end: number): boolean | null {
  if (text[at] !== '[' || text[at + 2] !== ']' || at + 3 > end) return null;
  if (at + 3 < end && !isBlankChar(text.charCodeAt(at + 3))) return null;
  const tick = text[at + 1];
  if (tick === 'x' || tick === 'X') return true;
  return tick === ' ' ? false : null;
}

function readSuffix(text: string, from: number, to: number): Item['suffix'] {
  const at = to - SUFFIX_LENGTH;
  if (at < from || !SUFFIX.test(text.slice(at, to))) return { from: to, to };
  return { from: trimEnd(text, from, at), to };
}

function trimEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && isBlankChar(text.charCodeAt(end - 1))) end--;
  return end;
}

/** The checkboxes that are tasks themselves, in a plan without elements, with their names. */
export function taskItems(items: readonly Item[]): { item: Item; name: string }[] {
  return items.flatMap((item) => {
    const name = readTaskLine(item.criterion.text);
    return name === undefined ? [] : [{ item, name }];
  });
}

/** The boxes that may belong to a task: those in the success criteria, or else those in no element at all. */
export function eligibleItems(
  items: readonly Item[],
  criteria: Range | undefined,
  { tasks, enclosed }: Elements,
): Item[] {
  const inTasks = tasks.map(({ tag, to }) => ({ from: tag.at, to }));
  const free = outsideOf(items, inTasks);
  return criteria ? free.filter((item) => isIn(item, criteria)) : outsideOf(free, enclosed);
}

/** The boxes that may be tasks themselves. */
export function freeItems(
  items: readonly Item[],
  criteria: Range | undefined,
  { enclosed }: Elements,
): Item[] {
  const free = new Set(outsideOf(items, enclosed));
  return items.filter((item) => free.has(item) || (criteria !== undefined && isIn(item, criteria)));
}

/**
 * The checkbox of each task: one with the task's name, or with its number and words that agree. In a plan whose names
 * have no numbers the position is the number. One that could belong to two tasks belongs to none, and one that has but
 * the number in common with a task is reported.
 */
export function assignItems(
  items: readonly Item[],
  tasks: readonly { name: string; named: boolean; element: TaskElement }[],
  log: TaskPlanIssueLog,
): (Item | undefined)[] {
  if (items.length === 0) return tasks.map(() => undefined);
  const byText = groupBy(items, ({ criterion }) => criterion.text);
  const byNumber = groupBy(items, ({ criterion }) => taskNumber(criterion.text));
  const numbers = tasks.map(({ name, named }) => (named ? readPlanNumber(name)?.number : undefined));
  const isNumbered = numbers.some((number) => number !== undefined);
  const tasksOfNumber = groupBy(numbers, (number) => number);
  const agreeing = new Set<Item>();
  const differing = new Map<Item, string>();
  const wanted = tasks.map(({ name, named, element }, index): Item | undefined => {
    if (!named) return undefined;
    const exact = byText.get(name) ?? [];
    const number = isNumbered ? numbers[index] : String(index + 1);
    const numbered = (number !== undefined && byNumber.get(number)) || [];
    const sharers = (number !== undefined && tasksOfNumber.get(number)?.length) || 1;
    if (exact.length + numbered.length === 0) return undefined;
    if (Math.max(exact.length, numbered.length, sharers) > MOST_ALIKE) {
      reportAmbiguous(element, log);
      return undefined;
    }
    const same = numbered.filter((item) => sameWords(item, name));
    for (const item of [...exact, ...same]) agreeing.add(item);
    for (const item of numbered) if (!differing.has(item)) differing.set(item, name);
    const best = exact.length > 0 ? exact : same;
    if (best.length > 1) reportAmbiguous(element, log);
    return best.length > 1 ? undefined : best[0];
  });
  for (const [item, name] of differing) if (!agreeing.has(item)) reportDiffering(item, name, log);
  const uses = groupBy(wanted, (item) => item);
  return wanted.map((item, index) => {
    if (!item || uses.get(item)!.length === 1) return item;
    reportAmbiguous(tasks[index]!.element, log);
    return undefined;
  });
}

function reportDiffering({ criterion }: Item, name: string, log: TaskPlanIssueLog): void {
  log.add(
    'checkbox-words-differ',
    criterion.line - 1,
    `This checkbox has the number of "${shorten(name, 80)}" but other words, so it is not that task's checkbox.`,
    'Give it the full name of the task, or remove the number if it means something else.',
  );
}

function reportAmbiguous({ tag }: TaskElement, log: TaskPlanIssueLog): void {
  log.add(
    'checkbox-ambiguous',
    tag.line,
    'Several checkboxes could belong to this task; none is used.',
    'Give each task one checkbox with its full name: "- [ ] Task 1: Name".',
  );
}

function taskNumber(text: string): string | undefined {
  const line = readTaskLine(text);
  return line === undefined ? undefined : readPlanNumber(line)?.number;
}

function sameWords({ criterion }: Item, name: string): boolean {
  if (criterion.text === name) return true;
  const line = readTaskLine(criterion.text) ?? '';
  return wordsAgree(readPlanNumber(line)?.rest ?? line, readPlanNumber(name)?.rest ?? name);
}

function isIn({ at }: Item, { from, to }: Cover): boolean {
  return at >= from && at < to;
}

/** The items in none of the ranges, sorted by start. */
function outsideOf(items: readonly Item[], ranges: readonly Cover[]): Item[] {
  const isInside = insideTest(ranges);
  return items.filter(({ at }) => !isInside(at));
}

function groupBy<Value, Key>(
  values: readonly Value[],
  key: (value: Value) => Key,
): Map<NonNullable<Key>, Value[]> {
  const groups = new Map<NonNullable<Key>, Value[]>();
  for (const value of values) {
    const name = key(value);
    if (name === undefined || name === null) continue;
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}
