import { firstLineStart, fold, isBlank, lineEndings, looseContent, splitLines } from './lines.js';
import type { FoundEdit } from './match.js';
import type { IndentShift } from './tiers.js';

export type AppliedEdit = { status: 'applied'; text: string } | { status: 'refused'; reason: string };

interface OutputLine {
  content: string;
  /** Stands between this line and the next one; the last line's is left out. */
  ending: string;
}

/**
 * Puts REPLACE in the place of the matched span; nothing else changes. Lines that REPLACE has in common
 * with FIND keep the file's form: its indent, trailing white space, quotes and line ending.
 */
export function applyEdit(text: string, match: FoundEdit, find: string, replace: string): AppliedEdit {
  const span = text.slice(match.start, match.end);
  const fileLines = splitLines(span);
  const findLines = dropEdges(splitLines(find), match.dropped);
  const replaceLines = dropEdges(splitLines(replace), match.dropped);
  if (!isSameRegion(fileLines, findLines)) {
    return refuse('the text has changed since FIND was matched in it');
  }
  const unshiftable = replaceLines.find((line) => !canShift(line, match.shift));
  if (unshiftable !== undefined) return refuse(describeUnshiftable(unshiftable, match.shift));

  const ending = chooseEnding(span, text, replace);
  const lines = rewriteLines(findLines, replaceLines, fileLines, lineEndings(span), match.shift, ending);
  const written = lines.map((line, index) =>
    index < lines.length - 1 ? line.content + line.ending : line.content,
  );
  return { status: 'applied', text: splice(text, match, written.join(''), ending) };
}

function refuse(reason: string): AppliedEdit {
  return { status: 'refused', reason };
}

/** REPLACE loses as many blank lines as FIND did on that side, or as many as it has. */
function dropEdges(lines: string[], dropped: FoundEdit['dropped']): string[] {
  let from = 0;
  while (from < dropped.top && from < lines.length && isBlank(lines[from]!)) from++;
  let to = lines.length;
  while (lines.length - to < dropped.bottom && to > from && isBlank(lines[to - 1]!)) to--;
  return lines.slice(from, to);
}

function isSameRegion(fileLines: readonly string[], findLines: readonly string[]): boolean {
  return (
    fileLines.length === findLines.length &&
    fileLines.every((line, index) => looseContent(line) === looseContent(findLines[index]!))
  );
}

function canShift(line: string, shift: IndentShift): boolean {
  return shift.op !== 'remove' || isBlank(line) || fold(line).startsWith(fold(shift.prefix));
}

function describeUnshiftable(line: string, shift: IndentShift): string {
  const width = shift.op === 'none' ? 0 : shift.prefix.length;
  return (
    `FIND is indented ${width} ${width === 1 ? 'character' : 'characters'} deeper than the file, ` +
    `but this line of REPLACE has no such indent to take away: ${line.slice(0, 200)}`
  );
}

function shiftLine(line: string, shift: IndentShift): string {
  if (shift.op === 'none' || isBlank(line)) return line;
  return shift.op === 'add' ? shift.prefix + line : line.slice(shift.prefix.length);
}

/** The span's own kind of line ending, else the file's, else REPLACE's. */
function chooseEnding(span: string, text: string, replace: string): string {
  if (!replace.includes('\n') && !span.includes('\n')) return '\n';
  return commonEnding(span) ?? commonEnding(text) ?? commonEnding(replace) ?? '\n';
}

/** The ending that most lines have; the first one where both are as frequent. */
function commonEnding(text: string): string | undefined {
  const endings = lineEndings(text);
  const crlf = endings.filter((ending) => ending === '\r\n').length;
  if (crlf * 2 === endings.length) return endings[0];
  return crlf * 2 > endings.length ? '\r\n' : '\n';
}

function rewriteLines(
  findLines: readonly string[],
  replaceLines: readonly string[],
  fileLines: readonly string[],
  fileEndings: readonly string[],
  shift: IndentShift,
  ending: string,
): OutputLine[] {
  const shorter = Math.min(findLines.length, replaceLines.length);
  let head = 0;
  while (head < shorter && findLines[head] === replaceLines[head]) head++;
  let tail = 0;
  while (tail < shorter - head && findLines.at(-1 - tail) === replaceLines.at(-1 - tail)) tail++;

  const keep = (index: number): OutputLine => ({
    content: fileLines[index]!,
    ending: fileEndings[index] ?? ending,
  });
  const forms = readForms(findLines, fileLines);
  const toTail = findLines.length - replaceLines.length;
  return replaceLines.map((line, index) => {
    if (index < head) return keep(index);
    if (index >= replaceLines.length - tail) return keep(index + toTail);
    return { content: forms.get(line) ?? shiftLine(line, shift), ending };
  });
}

/** The file's form of each of FIND's lines, where the file has only one. */
function readForms(findLines: readonly string[], fileLines: readonly string[]): Map<string, string> {
  const forms = new Map<string, string>();
  const many = new Set<string>();
  findLines.forEach((line, index) => {
    const form = fileLines[index]!;
    if ((forms.get(line) ?? form) !== form) many.add(line);
    forms.set(line, form);
  });
  for (const line of many) forms.delete(line);
  return forms;
}

/** A span may hold the file's byte order mark or its final newline; both stay all the same. */
function splice(text: string, { start, end }: FoundEdit, written: string, ending: string): string {
  const mark = text.slice(start, Math.max(start, firstLineStart(text)));
  const before = text.slice(0, start) + (written.startsWith(mark) ? '' : mark);
  const result = before + written + text.slice(end);
  const isCut = text.endsWith('\n') && result.length > firstLineStart(text) && !result.endsWith('\n');
  return isCut ? result + ending : result;
}
