import type { FileText } from './file-text.js';
import { looseContent } from './lines.js';
import { BLANK_LINE, type KnownLine, Vocabulary } from './scan.js';

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
