import { endBefore, foldCode, looseContent } from './lines.js';
import type { EditMiss } from './miss.js';
import { BLANK_LINE, type KnownLine, LineCursor, scanLines, Vocabulary } from './scan.js';

/** How many characters of one file may be searched for lines that are like a FIND. */
const SIMILAR_BUDGET = 200_000_000;
/** More lines than these are scanned each time: their index would take more memory than it is worth. */
const MOST_LINES = 2 ** 21;
const HASHES = 2 ** 32;

/**
 * One version of a file's text, and what several FINDs in it share: an index of its lines, built for the second search,
 * the misses that are known, and how much has been spent on showing similar lines.
 */
export class FileText {
  private scans = 0;
  private index: LineIndex | undefined;
  private spent = 0;
  private readonly misses = new Map<string, EditMiss>();
  private shownAs: { show: (text: string) => string; file: FileText } | undefined;

  constructor(readonly text: string) {}

  /** As `scanLines`, without reading all of the text again. */
  scan(vocabulary: Vocabulary): KnownLine[] {
    this.scans++;
    if (this.scans > 1 && this.index === undefined) this.index = LineIndex.build(this.text);
    return this.index?.find(vocabulary) ?? scanLines(this.text, vocabulary);
  }

  /** Where a line starts, 1-based; undefined where that has to be counted. */
  startOfLine(line: number): number | undefined {
    return this.index?.startOfLine(line);
  }

  /** Whether all of the text may be searched once more for similar lines. */
  spendOnSimilar(): boolean {
    this.spent += this.text.length;
    return this.spent <= SIMILAR_BUDGET;
  }

  /** A FIND that missed misses again, for the same reason. */
  missOf(find: string, replace: string): EditMiss | undefined {
    return this.misses.get(missKey(find, replace));
  }

  keepMiss(find: string, replace: string, miss: EditMiss): void {
    this.misses.set(missKey(find, replace), miss);
  }

  /** The file as it may be shown; itself where nothing in it is masked. */
  shown(show: (text: string) => string): FileText {
    if (this.shownAs?.show !== show) {
      const text = show(this.text);
      this.shownAs = { show, file: text === this.text ? this : new FileText(text) };
    }
    return this.shownAs.file;
  }
}

/** The files that a plan edits, each in the version that was edited last. */
export class FileTexts {
  private readonly files = new Map<string, FileText>();

  open(path: string, text: string): FileText {
    const known = this.files.get(path);
    if (known?.text === text) return known;
    const file = new FileText(text);
    this.files.set(path, file);
    return file;
  }
}

/** The lines of a text, ordered by a hash of their loose content. */
class LineIndex {
  private constructor(
    private readonly text: string,
    private readonly starts: Int32Array,
    private readonly newlines: Int32Array,
    /** Where each line's content starts and ends: the same for a blank line. */
    private readonly from: Int32Array,
    private readonly to: Int32Array,
    /** The hash and the index of each line that is not blank, as one number, ascending. */
    private readonly keys: Float64Array,
  ) {}

  static build(text: string): LineIndex | undefined {
    const count = countLines(text);
    if (count > MOST_LINES) return undefined;
    const [starts, newlines, from, to] = Array.from({ length: 4 }, () => new Int32Array(count)) as [
      Int32Array,
      Int32Array,
      Int32Array,
      Int32Array,
    ];
    const keys = new Float64Array(count);
    let inked = 0;
    const line = new LineCursor(text);
    for (let index = 0; line.next(); index++) {
      starts[index] = line.start;
      newlines[index] = line.newline;
      from[index] = line.from;
      to[index] = line.to;
      if (line.from < line.to) keys[inked++] = hashBetween(text, line.from, line.to) * MOST_LINES + index;
    }
    return new LineIndex(text, starts, newlines, from, to, keys.slice(0, inked).sort());
  }

  startOfLine(line: number): number {
    return this.starts[line - 1] ?? this.text.length;
  }

  find(vocabulary: Vocabulary): KnownLine[] {
    const { text, from, to } = this;
    const known: KnownLine[] = [];
    for (const index of this.candidates(vocabulary)) {
      const id = vocabulary.idBetween(text, from[index]!, to[index]!);
      if (id === undefined) continue;
      known.push(this.lineAt(index, id));
      for (let next = index + 1; next < from.length && from[next] === to[next]; next++) {
        known.push(this.lineAt(next, BLANK_LINE));
      }
    }
    return known;
  }

  private candidates(vocabulary: Vocabulary): Int32Array {
    const found: number[] = [];
    const hashes = new Set(vocabulary.contents.map((content) => hashBetween(content, 0, content.length)));
    for (const hash of hashes) {
      for (let at = this.firstOf(hash); at < this.keys.length; at++) {
        const index = this.keys[at]! - hash * MOST_LINES;
        if (index >= MOST_LINES) break;
        found.push(index);
      }
    }
    return Int32Array.from(found).sort();
  }

  private firstOf(hash: number): number {
    let [low, high] = [0, this.keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.keys[middle]! < hash * MOST_LINES) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private lineAt(index: number, id: number): KnownLine {
    const start = this.starts[index]!;
    return { number: index + 1, start, end: endBefore(this.text, start, this.newlines[index]!), id };
  }
}

function missKey(find: string, replace: string): string {
  return `${find.length} ${find}${replace}`;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function hashBetween(text: string, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + foldCode(text.charCodeAt(at))) | 0;
  return hash < 0 ? hash + HASHES : hash;
}

/**
 * The longest lines of each pattern, and where the file has them. They are looked for before all others:
 * short lines stand everywhere and say little.
 */
export interface Anchors {
  /** The file's lines with the content of an anchor. */
  lines: readonly KnownLine[];
  /** The id that such a line has; undefined for a line that is no anchor. */
  idOf: (line: string) => number | undefined;
  /** Whether every anchor among these lines of a pattern is somewhere in the file. */
  areAllSeen: (core: readonly string[]) => boolean;
}

const PER_PATTERN = 4;

export function findAnchors(file: FileText, patterns: ReadonlyArray<readonly string[]>): Anchors {
  const vocabulary = new Vocabulary(patterns.flatMap(pickLongest));
  const lines = file.scan(vocabulary).filter(({ id }) => id !== BLANK_LINE);
  const seen = new Set(lines.map(({ id }) => id));
  const idOf = (line: string): number | undefined => vocabulary.idOf(line);
  const isSeen = (id: number | undefined): boolean => id === undefined || id === BLANK_LINE || seen.has(id);
  return { lines, idOf, areAllSeen: (core) => core.every((line) => isSeen(idOf(line))) };
}

function pickLongest(core: readonly string[]): string[] {
  return [...new Set(core.map(looseContent))]
    .sort((one, other) => other.length - one.length)
    .slice(0, PER_PATTERN);
}
