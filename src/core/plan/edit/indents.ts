import { contentStart, isBlank, isFoldedSpace } from './lines.js';

/** What turns FIND's indent into the file's, where it is the same for every line that is not blank. */
export type IndentShift = { op: 'none' } | { op: 'add' | 'remove'; prefix: string };

export type ReadIndents =
  | { status: 'read'; indents: Indents }
  /** One indent of FIND is two in the file, at these indices of the lines. */
  | { status: 'conflict'; first: number; second: number };

export function indentOf(line: string): string {
  return line.slice(0, contentStart(line, isFoldedSpace));
}

export function shiftBetween(file: string, find: string): IndentShift | undefined {
  if (file === find) return { op: 'none' };
  if (file.endsWith(find)) return { op: 'add', prefix: file.slice(0, file.length - find.length) };
  if (find.endsWith(file)) return { op: 'remove', prefix: find.slice(0, find.length - file.length) };
  return undefined;
}

/** Pairs each indent of FIND with the file's; line by line, both have the same content. */
export function readIndents(findLines: readonly string[], fileLines: readonly string[]): ReadIndents {
  const known = new Map<string, string>();
  const firsts = new Map<string, number>();
  for (const [index, line] of findLines.entries()) {
    if (isBlank(line)) continue;
    const [find, file] = [indentOf(line), indentOf(fileLines[index]!)];
    if ((known.get(find) ?? file) !== file) {
      return { status: 'conflict', first: firsts.get(find)!, second: index };
    }
    if (!known.has(find)) firsts.set(find, index);
    known.set(find, file);
  }
  return { status: 'read', indents: new Indents(known) };
}

/**
 * FIND's indents in the file's form. An indent that FIND does not have is shifted like all others, or else
 * extended from the nearest one, as far as FIND's own indents show what a tab or a space of it is in the file.
 */
class Indents {
  private readonly shift: IndentShift | undefined;
  private readonly units: ReadonlyMap<string, Unit>;
  /** The kinds of white space in the indents of FIND and of the file. */
  private readonly seen: ReadonlySet<string>;

  constructor(private readonly known: ReadonlyMap<string, string>) {
    const shifts = [...known].map(([find, file]) => shiftBetween(file, find));
    const [first = { op: 'none' }] = shifts;
    const isUniform = shifts.every((shift) => JSON.stringify(shift) === JSON.stringify(first));
    this.shift = isUniform ? first : undefined;
    this.units = isUniform ? new Map() : readUnits(known);
    this.seen = new Set([...known].flat().join(''));
  }

  /** Undefined where FIND does not show what the indent is in the file. */
  inFile(indent: string): string | undefined {
    const { known, shift } = this;
    return known.get(indent) ?? (shift ? this.shifted(indent, shift) : this.extended(indent));
  }

  private shifted(indent: string, shift: IndentShift): string | undefined {
    if (shift.op === 'none') return indent;
    // A tab after the file's spaces is not what was meant by a tab.
    if ([...indent].some((char) => !this.seen.has(char))) return undefined;
    if (shift.op === 'add') return shift.prefix + indent;
    return indent.startsWith(shift.prefix) ? indent.slice(shift.prefix.length) : undefined;
  }

  private extended(indent: string): string | undefined {
    const shorter = longestStart(indent, this.known.keys());
    if (shorter !== undefined) {
      const more = this.translate(indent.slice(shorter.length));
      return more === undefined ? undefined : this.known.get(shorter)! + more;
    }
    const [longer] = [...this.known.keys()]
      .filter((find) => find.startsWith(indent))
      .sort((one, other) => one.length - other.length);
    const less = longer === undefined ? undefined : this.translate(longer.slice(indent.length));
    const file = this.known.get(longer ?? '') ?? '';
    return less !== undefined && file.endsWith(less) ? file.slice(0, file.length - less.length) : undefined;
  }

  private translate(step: string): string | undefined {
    let written = '';
    for (const run of runsOf(step)) {
      const unit = this.units.get(run[0]!);
      if (!unit || (run.length * unit.file.length) % unit.find !== 0) return undefined;
      written += unit.file[0]!.repeat((run.length * unit.file.length) / unit.find);
    }
    return written;
  }
}

/** So many equal characters of FIND are this text, of equal characters too, in the file. */
interface Unit {
  find: number;
  file: string;
}

/** What each kind of white space is in the file, by the steps between FIND's indents; left out where they disagree. */
function readUnits(known: ReadonlyMap<string, string>): Map<string, Unit> {
  const units = new Map<string, Unit>();
  const unclear = new Set<string>();
  for (const [find, file] of known) {
    const shorter = longestStart(
      find,
      [...known.keys()].filter((other) => other !== find),
    );
    const step = find.slice(shorter?.length);
    if (shorter === undefined || runsOf(step).length !== 1) continue;
    const start = known.get(shorter)!;
    const unit = { find: step.length, file: file.startsWith(start) ? file.slice(start.length) : '' };
    const char = step[0]!;
    if (runsOf(unit.file).length !== 1 || !isSameUnit(unit, units.get(char) ?? unit)) unclear.add(char);
    units.set(char, unit);
  }
  for (const char of unclear) units.delete(char);
  return units;
}

function isSameUnit(one: Unit, other: Unit): boolean {
  return one.file[0] === other.file[0] && one.find * other.file.length === other.find * one.file.length;
}

/** The stretches of one character. */
function runsOf(text: string): string[] {
  return text.match(/(.)\1*/gs) ?? [];
}

/** The longest of these texts that `text` begins with. */
function longestStart(text: string, starts: Iterable<string>): string | undefined {
  const [longest] = [...starts]
    .filter((start) => text.startsWith(start))
    .sort((one, other) => other.length - one.length);
  return longest;
}
