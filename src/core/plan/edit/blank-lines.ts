import { isBlankText } from './lines.js';

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
 * FIND and REPLACE with the file's blank lines where FIND has others. Undefined where REPLACE does not say which
 * are to be there: where lines come, go or change on both sides, where it has others than both, or once FIND's and
 * once the file's.
 */
export function takeBlankLines(sides: Sides, fileLines: readonly string[]): Sides | undefined {
  const [find, replace, file] = [spaced(sides.find), spaced(sides.replace), spaced(fileLines)];
  const differs = (index: number): boolean => find[index]!.blanks.length !== file[index]!.blanks.length;
  if (find.length !== file.length || !find.some((_, index) => differs(index))) return sides;

  const { head, tail } = countCommon(find, replace, (one, other) => one.line === other.line);
  const to = find.length - tail;
  const toTail = replace.length - find.length;
  const [removed, added] = [find.slice(head, to), replace.slice(head, to + toTail)];
  const written = [...replace];
  const meant = new Set<readonly Spaced[]>();
  for (let index = 0; index < find.length; index++) {
    if (!differs(index)) continue;
    const isBorder = index === head || index === to;
    if (index > head && index < to) return undefined;
    if (isBorder && !isReplaced(removed, added, index === head ? 0 : -1)) return undefined;
    const at = index <= head ? index : index + toTail;
    const count = replace[at]!.blanks.length;
    const side = [find, file].find((other) => other[index]!.blanks.length === count);
    if (side === undefined || (isBorder && side === file)) return undefined;
    meant.add(side);
    written[at] = { ...replace[at]!, blanks: file[index]!.blanks };
  }
  if (meant.size > 1) return undefined;
  const taken = find.map((each, index) => ({ ...each, blanks: file[index]!.blanks }));
  return { find: toLines(taken), replace: toLines(written) };
}

/** Whether the first or the last of these lines is another one instead; it may also come or go. */
function isReplaced(removed: readonly Spaced[], added: readonly Spaced[], at: 0 | -1): boolean {
  const [gone, come] = [removed.at(at)?.line, added.at(at)?.line];
  if (gone === undefined || come === undefined) return false;
  return added.every(({ line }) => line !== gone) && removed.every(({ line }) => line !== come);
}

function spaced(lines: readonly string[]): Spaced[] {
  const read: Spaced[] = [];
  let blanks: string[] = [];
  for (const line of lines) {
    if (isBlankText(line)) {
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
