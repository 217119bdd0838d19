import { wordPattern } from '../text.js';
import { isDigit, joinLines } from './tags.js';
import type { Task, TaskMatch, TaskPlan } from './types.js';

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
export function readTaskLine(text: string): string | undefined {
  if (readUsual(text)) return text;
  const plain = dropBold(text);
  const start = plain.slice(0, 400);
  const found = NUMBERED(start).exec(start);
  return found?.[2] === ':' ? plain : undefined;
}

/** `**Task 1:** Create it` as `Task 1: Create it`. */
function dropBold(text: string): string {
  const mark = text.slice(0, 2);
  if (mark !== '**' && mark !== '__') return joinLines(text);
  const close = text.indexOf(mark, 2);
  return close === -1 ? joinLines(text) : joinLines(text.slice(2, close) + text.slice(close + 2));
}

/** So much of a name is compared: no name is longer, and hostile text is. */
const MOST_COMPARED = 10_000;

const WORDS = wordPattern(String.raw`[\p{L}\p{N}\p{M}]+`, 'g');

/** The words of a text without case, spacing and punctuation. */
function wordsOf(text: string): string[] {
  const folded = text.slice(0, MOST_COMPARED).normalize('NFC').toLowerCase();
  return folded.match(WORDS(folded)) ?? [];
}

/** Whether the words of the shorter text occur in the longer one, in their order. */
export function wordsAgree(a: string, b: string): boolean {
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
  const written = joinLines(writtenName);
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
