import { looseContent } from './lines.js';
import { BLANK_LINE, type KnownLine, scanLines, Vocabulary } from './scan.js';

/** How many characters of one file may be searched for lines that are like a FIND. */
const SIMILAR_BUDGET = 200_000_000;

/** One version of a file's text, and what several FINDs in it share: the masked text, and a budget for similar lines. */
export class FileText {
  private spent = 0;
  private shownAs: { show: (text: string) => string; file: FileText } | undefined;

  constructor(readonly text: string) {}

  /** Whether all of the text may be searched once more for similar lines. */
  spendOnSimilar(): boolean {
    this.spent += this.text.length;
    return this.spent <= SIMILAR_BUDGET;
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

/**
 * The longest lines of each pattern, and where the file has them. They are looked for before all others:
 * short lines are everywhere and say little.
 */
export interface Anchors {
  /** The file's lines with the content of an anchor. */
  lines: readonly KnownLine[];
  /** The id that such a line has; undefined for any other line. */
  idOf: (line: string) => number | undefined;
  /** Whether every anchor among these lines of a pattern is somewhere in the file. */
  areAllSeen: (core: readonly string[]) => boolean;
}

const PER_PATTERN = 4;

export function findAnchors({ text }: FileText, patterns: ReadonlyArray<readonly string[]>): Anchors {
  const vocabulary = new Vocabulary(patterns.flatMap(pickLongest));
  const lines = scanLines(text, vocabulary).filter(({ id }) => id !== BLANK_LINE);
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
