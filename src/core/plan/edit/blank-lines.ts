import { isBlank } from './lines.js';

export interface Sides {
  find: readonly string[];
  replace: readonly string[];
}

/** A line with the blank ones above it; after the last line, only those. */
interface Spaced {
  blanks: readonly string[];
  line?: string;
}

/** How many items two lists have in common at their ends; none counts twice. */
export function countCommon<T>(
  one: readonly T[],
  other: readonly T[],
  isSame: (a: T, b: T) => boolean,
): { head: number; tail: number } {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && isSame(one[head]!, other[head]!)) head++;
  let tail = 0;
  while (tail < shorter - head && isSame(one.at(-1 - tail)!, other.at(-1 - tail)!)) tail++;
  return { head, tail };
}

/**
 * FIND and REPLACE with the file's blank lines where FIND has others. Undefined where REPLACE does not say
 * which are to be there: where it has others than both, or where lines come, go or change on both sides.
 */
export function takeBlankLines(sides: Sides, fileLines: readonly string[]): Sides | undefined {
  const [find, replace, file] = [spaced(sides.find), spaced(sides.replace), spaced(fileLines)];
  const differs = (index: number): boolean => find[index]!.blanks.length !== file[index]!.blanks.length;
  if (find.length !== file.length || !find.some((_, index) => differs(index))) return sides;

  const { head, tail } = countCommon(find, replace, (one, other) => one.line === other.line);
  const to = find.length - tail;
  const isReplaced = head < to && head < replace.length - tail;
  const written = [...replace];
  for (let index = 0; index < find.length; index++) {
    if (!differs(index)) continue;
    const isBorder = index === head || index === to;
    if ((isBorder && !isReplaced) || (index > head && index < to)) return undefined;
    const at = index <= head ? index : index + replace.length - find.length;
    const meant = isBorder ? [find] : [find, file];
    if (!meant.some((side) => side[index]!.blanks.length === replace[at]!.blanks.length)) return undefined;
    written[at] = { ...replace[at]!, blanks: file[index]!.blanks };
  }
  const taken = find.map((each, index) => ({ ...each, blanks: file[index]!.blanks }));
  return { find: toLines(taken), replace: toLines(written) };
}

function spaced(lines: readonly string[]): Spaced[] {
  const read: Spaced[] = [];
  let blanks: string[] = [];
  for (const line of lines) {
    if (isBlank(line)) {
      blanks.push(line);
      continue;
    }
    read.push({ blanks, line });
    blanks = [];
  }
  return [...read, { blanks }];
}

function toLines(all: readonly Spaced[]): string[] {
  return all.flatMap(({ blanks, line }) => (line === undefined ? blanks : [...blanks, line]));
}
