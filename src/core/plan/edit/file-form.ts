import {
  contentEndOf,
  contentStart,
  familyOf,
  fold,
  isBlankText,
  isFoldedSpace,
  leadingSpace,
  type Sides,
  splitTextLines,
} from './lines.js';

// The file's form of what is only in REPLACE: indents, quotes, dashes and spaces.

/** The shift from FIND's indent to the file's, if every line that is not blank has the same. */
export type IndentShift = { op: 'none' } | { op: 'add' | 'remove'; prefix: string };

export type ReadIndents =
  | { status: 'read'; indents: Indents }
  /** One indent of FIND is two in the file, at these indices of the lines. */
  | { status: 'conflict'; first: number; second: number };

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

  /** The usual step by which a line is deeper than the one above it. */
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

  /** Undefined if FIND does not show what the indent is in the file. */
  inFile(indent: string): string | undefined {
    const known = this.known.get(indent);
    if (known !== undefined) return known;
    const written = this.shift ? shiftIndent(indent, this.shift) : this.extended(indent);
    return written !== undefined && this.isPlausible(indent, written) ? written : undefined;
  }

  /** An indent that the file does not use is doubtful, unless it is one usual step deeper than one it uses. */
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

/** This many equal characters of FIND correspond to this text, also of equal characters, in the file. */
interface Unit {
  find: number;
  file: string;
}

/** The file's form of each kind of white space, by the steps between FIND's indents; none if they disagree. */
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

/** Two tabs for eight spaces are one for four. Two spaces for four do not define one, which may only align a line. */
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

/** The longest of these texts that `text` starts with. */
function longestStart(text: string, starts: Iterable<string>): string | undefined {
  const [longest] = [...starts]
    .filter((start) => text.startsWith(start))
    .sort((one, other) => other.length - one.length);
  return longest;
}

/**
 * The quotes, dashes and spaces of the file that differ from FIND's. REPLACE gets the file's if FIND shows which: a curly
 * quote never gets into code because FIND happened to have it too.
 */
export class Characters {
  private readonly images = new Map<string, Set<string>>();
  /** The families in which FIND and the file differ somewhere. */
  private readonly differing = new Set<string>();

  /** `removed` are the indices of FIND's lines that REPLACE does not keep. */
  constructor(
    findLines: readonly string[],
    fileLines: readonly string[],
    removed: { from: number; to: number },
    private readonly text: string,
  ) {
    for (const [index, line] of findLines.entries()) {
      const [find, file] = [contentOf(line), contentOf(fileLines[index]!)];
      const isRemoved = index >= removed.from && index < removed.to;
      for (let at = 0; at < find.length; at++) this.learn(find, file, at, isRemoved);
    }
  }

  /** A line of REPLACE in the file's characters; undefined if one of them could be several. */
  inFile(line: string): string | undefined {
    const start = contentStart(line, isFoldedSpace);
    const content = contentOf(line);
    let written = '';
    for (let at = 0; at < content.length; at++) {
      const char = this.charInFile(content, at);
      if (char === undefined) return undefined;
      written += char;
    }
    return line.slice(0, start) + written + line.slice(start + content.length);
  }

  private learn(find: string, file: string, at: number, isRemoved: boolean): void {
    const char = find[at]!;
    const family = familyOf(char);
    if (family === undefined) return;
    const image = file[at]!;
    if (image !== char) this.differing.add(family);
    for (const key of keysOf(find, at)) this.addImage(key, image);
    this.addImage(`file ${fold(char)}`, image);
    if (isRemoved) this.addImage(`removed ${char}`, image);
  }

  private addImage(key: string, image: string): void {
    const images = this.images.get(key) ?? new Set();
    this.images.set(key, images.add(image));
  }

  private charInFile(content: string, at: number): string | undefined {
    const char = content[at]!;
    const family = familyOf(char);
    if (family === undefined) return char;
    if (!this.differing.has(family)) return this.isForeign(char, family) ? undefined : char;
    for (const key of keysOf(content, at)) {
      const [image, another] = this.images.get(key) ?? [];
      if (another === undefined && image !== undefined) return image;
    }
    if (!this.images.has(char)) return this.isFileOwn(char) ? char : undefined;
    // Nearly every line has plain spaces: if the removed ones are plain, the new ones stay plain.
    const removed = this.images.get(`removed ${char}`);
    return char === ' ' && removed?.size === 1 && removed.has(' ') ? ' ' : undefined;
  }

  /** A curly quote that the file has nowhere. People do write dashes; quotes are made curly on the way. */
  private isForeign(char: string, family: string): boolean {
    return family === '"' && fold(char) !== char && !this.text.includes(char);
  }

  /** Whether REPLACE has it from the file: FIND has others for it throughout. */
  private isFileOwn(char: string): boolean {
    const images = this.images.get(`file ${fold(char)}`);
    return images?.size === 1 && images.has(char);
  }
}

/** A character alone, then with its side where that is clear: an opening quote has another form than a closing one. */
function keysOf(content: string, at: number): string[] {
  const char = content[at]!;
  const [before, after] = [content[at - 1] ?? ' ', content[at + 1] ?? ' '].map(inkOf) as [number, number];
  if (before === after) return [char];
  return [char, `${before < after ? 'opening' : 'closing'} ${char}`];
}

/** A quote opens towards a word and away from white space; other signs are in between. */
function inkOf(char: string): number {
  if (isFoldedSpace(char.charCodeAt(0))) return 0;
  return /[\p{L}\p{N}_]/u.test(char) ? 2 : 1;
}

function contentOf(line: string): string {
  const end = contentEndOf(line, isFoldedSpace);
  return line.slice(Math.min(end, contentStart(line, isFoldedSpace)), end);
}
