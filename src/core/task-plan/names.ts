import { isDigit, joinLines } from './text.js';

/** A name that begins with the number of a task. */
export interface NumberedName {
  /** Without leading zeros. */
  number: string;
  /** What follows the number. */
  rest: string;
  /** It is written `Task N:`, or is `Task N` and no more. */
  isPlain: boolean;
}

const NUMBERED =
  /^[*_`]*task[\s#-]*0*(\d{1,9}(?:\.\d{1,9})*[a-z]?)(?![\p{L}\p{N}])[*_`]*\s*([:.)\u2013\u2014-]?)/iu;
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
  const found = NUMBERED.exec(name.length > 400 ? name.slice(0, 400) : name);
  if (!found) return undefined;
  return {
    number: found[1]!.toLowerCase(),
    rest: name.slice(found[0].length),
    isPlain: PLAIN.test(name.slice(0, 100)),
  };
}

/** A checkbox that begins `Task N:`, bold or not. */
export function readTaskLine(text: string): string | undefined {
  const plain = dropBold(text);
  const found = NUMBERED.exec(plain.slice(0, 400));
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

/** The words of a text without case, spacing and punctuation. */
function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, MOST_COMPARED)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
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
