import type { Sides } from './lines.js';
import { contentStart, isBlankText, isFoldedSpace, splitTextLines } from './lines.js';

/** What turns FIND's indent into the file's, where it is the same for every line that is not blank. */
export type IndentShift = { op: 'none' } | { op: 'add' | 'remove'; prefix: string };

export type ReadIndents =
  | { status: 'read'; indents: Indents }
  /** One indent of FIND is two in the file, at these indices of the lines. */
  | { status: 'conflict'; first: number; second: number };

export function leadingSpace(line: string): string {
  return line.slice(0, contentStart(line, isFoldedSpace));
}

export function shiftBetween(file: string, find: string): IndentShift | undefined {
  if (file === find) return { op: 'none' };
  if (file.endsWith(find)) return { op: 'add', prefix: file.slice(0, file.length - find.length) };
  if (find.endsWith(file)) return { op: 'remove', prefix: find.slice(0, find.length - file.length) };
  return undefined;
}

/** Pairs each indent of FIND with the file's; line by line, both have the same content. */
export function readIndents(
  { find: findLines, replace }: Sides,
  fileLines: readonly string[],
  file: FileIndents,
): ReadIndents {
  const known = new Map<string, string>();
  const firsts = new Map<string, number>();
  for (const [index, line] of findLines.entries()) {
    if (isBlankText(line)) continue;
    const [find, inFile] = [leadingSpace(line), leadingSpace(fileLines[index]!)];
    if ((known.get(find) ?? inFile) !== inFile) {
      return { status: 'conflict', first: firsts.get(find)!, second: index };
    }
    if (!known.has(find)) firsts.set(find, index);
    known.set(find, inFile);
  }
  return { status: 'read', indents: new Indents(known, replace, file) };
}

/** The indents that a file's lines have, read when they are first asked for. */
export class FileIndents {
  private readonly indents = new Set<string>();
  private readonly steps = new Map<string, number>();

  constructor(private readonly text: string) {}

  has(indent: string): boolean {
    this.read();
    return this.indents.has(indent);
  }

  /** What most lines that are deeper than the one above them have more than that one. */
  usualStep(): string | undefined {
    this.read();
    const [usual] = [...this.steps].sort(([, one], [, other]) => other - one);
    return usual?.[0];
  }

  private read(): void {
    if (this.indents.size > 0) return;
    let above = '';
    for (const line of splitTextLines(this.text)) {
      if (isBlankText(line)) continue;
      const indent = leadingSpace(line);
      this.indents.add(indent);
      const step = indent.startsWith(above) ? indent.slice(above.length) : '';
      if (step !== '') this.steps.set(step, (this.steps.get(step) ?? 0) + 1);
      above = indent;
    }
  }
}

/**
 * FIND's indents in the file's form. An indent that FIND does not have is shifted like all others, or else extended
 * from the nearest one, as far as FIND shows what a tab or a space of it is.
 */
class Indents {
  private readonly shift: IndentShift | undefined;
  private readonly units: ReadonlyMap<string, Unit>;

  constructor(
    private readonly known: ReadonlyMap<string, string>,
    private readonly replace: readonly string[],
    private readonly file: FileIndents,
  ) {
    const shifts = [...known].map(([find, inFile]) => shiftBetween(inFile, find));
    const [first = { op: 'none' }] = shifts;
    const isUniform = shifts.every((shift) => JSON.stringify(shift) === JSON.stringify(first));
    this.shift = isUniform ? first : undefined;
    this.units = isUniform ? new Map() : readUnits(known);
  }

  /** Undefined where FIND does not show what the indent is in the file. */
  inFile(indent: string): string | undefined {
    const known = this.known.get(indent);
    if (known !== undefined) return known;
    const written = this.shift ? shiftIndent(indent, this.shift) : this.extended(indent);
    return written !== undefined && this.isPlausible(indent, written) ? written : undefined;
  }

  /** What the file has nowhere is in doubt, unless it is one usual step deeper than what it has. */
  private isPlausible(indent: string, written: string): boolean {
    const { file, known, shift } = this;
    const seen = [...known.values()].join('');
    if (shift?.op === 'none') return [...indent].every((char) => seen.includes(char)) || file.has(written);
    if (shift && known.size === 1 && !this.hasUsualSteps()) return false;
    const step = file.usualStep() ?? '';
    return file.has(written) || (written.endsWith(step) && file.has(written.slice(0, -step.length)));
  }

  /** One indent shows a shift, and not how wide a level is: REPLACE's levels must then be as wide as the file's. */
  private hasUsualSteps(): boolean {
    const indents = [
      ...this.known.keys(),
      ...this.replace.filter((line) => !isBlankText(line)).map(leadingSpace),
    ];
    const widths = [...new Set(indents)].map(({ length }) => length).sort((one, other) => one - other);
    const steps = widths.slice(1).map((width, index) => width - widths[index]!);
    return Math.min(...steps) === this.file.usualStep()?.length;
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
      if (!unit || run.length % unit.find !== 0) return undefined;
      written += unit.file.repeat(run.length / unit.find);
    }
    return written;
  }
}

function shiftIndent(indent: string, shift: IndentShift): string | undefined {
  if (shift.op === 'none') return indent;
  if (shift.op === 'add') return shift.prefix + indent;
  return indent.startsWith(shift.prefix) ? indent.slice(shift.prefix.length) : undefined;
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
    const char = step[0]!;
    const unit = smallestUnit(step, file.startsWith(start) ? file.slice(start.length) : '');
    const other = units.get(char) ?? unit;
    if (runsOf(unit.file).length !== 1 || !isSameUnit(unit, other)) unclear.add(char);
    if (unit.find <= other.find) units.set(char, unit);
  }
  for (const char of unclear) units.delete(char);
  return units;
}

/** Two tabs for eight spaces are one for four. Two spaces for four say nothing about one: it may align a line. */
function smallestUnit(find: string, file: string): Unit {
  let parts = find[0] === file[0] ? 1 : Math.max(1, Math.min(find.length, file.length));
  while (parts > 1 && (find.length % parts !== 0 || file.length % parts !== 0)) parts--;
  return { find: find.length / parts, file: file.slice(0, file.length / parts) };
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
