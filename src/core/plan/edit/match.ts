/**
 * Finds the one place of FIND in a file's text, or the reason why there is none. The
 * checks and the run both ask here, so that they cannot disagree. Nothing is matched by similarity, and
 * no function of the edit matcher throws, whatever the strings.
 */
import { describeRegion, findClosest } from './closest.js';
import {
  findCutWord,
  findOccurrences,
  firstLineStart,
  isInIndent,
  lineEndings,
  lineNumberAt,
  lineStartAt,
  type Occurrences,
  splitTextLines,
} from './lines.js';
import { type EditMiss, findCause } from './miss.js';
import { type Anchors, findAnchors } from './scan.js';
import {
  type EditPlace,
  type LinePattern,
  type LineTier,
  readPattern,
  searchTiers,
  type WindowSearch,
} from './tiers.js';

export type EditTier = 'exact' | LineTier;

export interface FoundEdit extends EditPlace {
  status: 'found';
  tier: EditTier;
}

interface AmbiguousEdit {
  status: 'ambiguous';
  tier: EditTier;
  count: number;
  /** 1-based first line of each of the first ten places. */
  lines: number[];
}

export type EditMatch = FoundEdit | AmbiguousEdit | { status: 'missing'; miss: EditMiss };

/** How many characters of one file may be searched for lines that are like a FIND. */
const SIMILAR_BUDGET = 200_000_000;

/** One version of a file's text, and what several FINDs in it share: the masked text, and a budget for similar lines. */
export class FileText {
  private spent = 0;
  private shownAs: { show: (text: string) => string; file: FileText } | undefined;

  /** `original` is the text before the plan changed it. */
  constructor(
    readonly text: string,
    readonly original = text,
  ) {}

  /** Whether all of the text may be searched once more for similar lines. */
  spendOnSimilar(): boolean {
    this.spent += this.text.length;
    return this.spent <= SIMILAR_BUDGET;
  }

  /** The file as it may be shown; itself where nothing in it is masked. */
  shown(show: (text: string) => string): FileText {
    if (this.shownAs?.show !== show) {
      const text = show(this.text);
      this.shownAs = { show, file: text === this.text ? this : new FileText(text, show(this.original)) };
    }
    return this.shownAs.file;
  }
}

/** The files that a plan edits, each in its latest version. */
export class FileTexts {
  private readonly files = new Map<string, FileText>();

  open(path: string, text: string): FileText {
    const known = this.files.get(path);
    if (known?.text === text) return known;
    const file = new FileText(text, known?.original);
    this.files.set(path, file);
    return file;
  }
}

function isEditedBefore({ text, original }: FileText, find: string): boolean {
  return original !== text && findOccurrences(original, find).count > 0;
}

/** `replace` only serves to tell whether the edit is already applied. */
export function findEdit(text: string, find: string, replace = ''): EditMatch {
  return findEditIn(new FileText(text), find, replace);
}

/** The same in a file that several edits have in common. */
export function findEditIn(file: FileText, find: string, replace: string): EditMatch {
  const { text } = file;
  if (find === '') return { status: 'missing', miss: { reason: 'empty', alreadyApplied: false } };

  const exact = findOccurrences(text, find);
  if (exact.count > 1) return describeRepeated(text, exact);
  const word = exact.count === 1 ? findCutWord(text, exact.offsets[0]!, find.length) : undefined;
  if (exact.count === 1 && !word) return describeExact(text, exact.offsets[0]!, find);

  const pattern = readPattern(find);
  if (pattern.core.length === 0) {
    return { status: 'missing', miss: { reason: 'empty', alreadyApplied: false } };
  }
  const anchors = findAnchors(text, [pattern.core, readPattern(replace).core]);
  const search = word ? undefined : searchLines(text, pattern, anchors);
  if (search) return describeWindows(search);

  const appliedAt = findApplied(text, find, replace, anchors);
  const alreadyApplied = appliedAt !== undefined;
  if (word) return { status: 'missing', miss: { reason: 'inside-word', alreadyApplied, word } };
  const closest = alreadyApplied
    ? { closest: describeRegion(text, appliedAt, pattern.core) }
    : findClosest(text, pattern.core, anchors, () => file.spendOnSimilar());
  const cause = findCause(text, pattern.core) ?? (isEditedBefore(file, find) ? 'earlier-edit' : undefined);
  const miss: EditMiss = { reason: 'not-found', alreadyApplied, ...closest, ...(cause && { cause }) };
  return { status: 'missing', miss };
}

/** Whether FIND is all of the file, disregarding byte order mark, final newline and kind of line ending. */
export function isWholeFile(text: string, find: string): boolean {
  const whole = normaliseFile(find);
  const longest = 2 * whole.length + '\ufeff\r\n'.length;
  return text.length <= longest && normaliseFile(text) === whole;
}

function normaliseFile(text: string): string {
  const lines = text.slice(firstLineStart(text)).replaceAll('\r\n', '\n');
  return lines.endsWith('\n') ? lines.slice(0, -1) : lines;
}

function describeRepeated(text: string, { count, offsets }: Occurrences): AmbiguousEdit {
  return { status: 'ambiguous', tier: 'exact', count, lines: offsets.map((at) => lineNumberAt(text, at)) };
}

/**
 * A span never starts in the middle of a line ending, or a stray CR would be left or doubled; nor in the middle of
 * an indent of which FIND has a part: REPLACE is then written with all of it.
 */
function describeExact(text: string, offset: number, find: string): FoundEdit {
  const cutsEnding = offset > 0 && text.startsWith('\r\n', offset - 1);
  const cutsIndent = /^[^\S\n]+\S/.test(find) && isInIndent(text, offset);
  const line = lineNumberAt(text, offset);
  const inner = lineEndings(find).length - (find.endsWith('\n') ? 1 : 0);
  return {
    status: 'found',
    tier: cutsEnding ? 'line-endings' : cutsIndent ? 'leading-space' : 'exact',
    start: cutsEnding ? offset - 1 : cutsIndent ? lineStartAt(text, offset) : offset,
    end: offset + find.length,
    line,
    endLine: line + inner,
    dropped: { top: 0, bottom: 0 },
  };
}

function describeWindows({ tier, count, windows }: WindowSearch): EditMatch {
  if (count > 1) return { status: 'ambiguous', tier, count, lines: windows.map(({ line }) => line) };
  return { status: 'found', tier, ...windows[0]! };
}

/** If a long line of FIND is not in the file, the others need not be searched. */
function searchLines(text: string, pattern: LinePattern, anchors: Anchors): WindowSearch | undefined {
  return anchors.areAllSeen(pattern.core) ? searchTiers(text, pattern) : undefined;
}

/** The line where REPLACE is, once. A REPLACE that is a part of FIND would be in the file without the edit, so it proves nothing. */
function findApplied(text: string, find: string, replace: string, anchors: Anchors): number | undefined {
  const pattern = readPattern(replace);
  if (pattern.core.length === 0 || holdsLines(find, pattern.core)) return undefined;
  const exact = findOccurrences(text, replace);
  if (exact.count === 0) {
    const search = searchLines(text, pattern, anchors);
    return search?.count === 1 ? search.windows[0]!.line : undefined;
  }
  const [at] = exact.offsets;
  const isWhole = exact.count === 1 && !findCutWord(text, at!, replace.length);
  return isWhole ? lineNumberAt(text, at!) : undefined;
}

function holdsLines(find: string, lines: readonly string[]): boolean {
  return findOccurrences(splitTextLines(find).join('\n'), lines.join('\n').trim()).count > 0;
}
