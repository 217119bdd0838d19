import { cutText } from '../../text.js';
import { Characters, FileIndents, readIndents } from './file-form.js';
import {
  countCommon,
  firstLineStart,
  isBlankText,
  isInIndent,
  leadingSpace,
  lineEndings,
  lineStartAt,
  looseContent,
  type Sides,
  splitTextLines,
  takeBlankLines,
} from './lines.js';
import type { EditTier, FoundEdit } from './match.js';

export type AppliedEdit = { status: 'applied'; text: string } | { status: 'refused'; reason: string };

const QUOTED = 200;
/** Tiers in which FIND has the file's indents and characters. */
const TIGHT_TIERS: ReadonlySet<EditTier> = new Set<EditTier>(['exact', 'line-endings', 'trailing-space']);

interface OutputLine {
  content: string;
  /** Between this line and the next one; the last line's is left out. */
  ending: string;
}

/**
 * Puts REPLACE in the place of the matched span; nothing else changes. Lines that REPLACE has in common
 * with FIND keep the file's form: its indent, trailing white space, quotes and line ending. The others
 * are written with the file's indents and characters, as far as FIND shows them.
 */
export function applyEdit(text: string, match: FoundEdit, find: string, replace: string): AppliedEdit {
  const span = text.slice(match.start, match.end);
  const fileLines = splitTextLines(span);
  const sides = takeBlankLines(
    {
      find: dropEdges(splitTextLines(find), match.dropped),
      replace: dropEdges(splitTextLines(replace), match.dropped),
    },
    fileLines,
  );
  if (!sides) return refuse('the file and FIND have different blank lines among the lines that change');
  if (!isSameRegion(fileLines, sides.find)) {
    return refuse('the text has changed since FIND was matched in it');
  }
  const doubt = findDoubt(text, match, sides, fileLines);
  if (doubt !== undefined) return refuse(doubt);
  const common = countCommon(sides.find, sides.replace, (one, other) => one === other);
  const form = readForm(text, match, sides, fileLines, common);
  if (form.status === 'refused') return form;

  const ending = chooseEnding(span, text, replace);
  const fileEndings = lineEndings(span);
  const keep = (index: number): OutputLine => ({
    content: fileLines[index]!,
    ending: fileEndings[index] ?? ending,
  });
  const toTail = sides.find.length - sides.replace.length;
  const lines: OutputLine[] = [];
  for (const [index, line] of sides.replace.entries()) {
    if (index < common.head) lines.push(keep(index));
    else if (index >= sides.replace.length - common.tail) lines.push(keep(index + toTail));
    else {
      const content = form.write(line);
      if (typeof content !== 'string') return content;
      lines.push({ content, ending });
    }
  }
  const written = lines.map((line, index) =>
    index < lines.length - 1 ? line.content + line.ending : line.content,
  );
  return { status: 'applied', text: splice(text, match, written.join(''), ending) };
}

function refuse(reason: string): Refused {
  return { status: 'refused', reason };
}

/** REPLACE loses as many blank lines as FIND did on that side, or as many as it has. */
function dropEdges(lines: string[], dropped: FoundEdit['dropped']): string[] {
  let from = 0;
  while (from < dropped.top && from < lines.length && isBlankText(lines[from]!)) from++;
  let to = lines.length;
  while (lines.length - to < dropped.bottom && to > from && isBlankText(lines[to - 1]!)) to--;
  return lines.slice(from, to);
}

function isSameRegion(fileLines: readonly string[], findLines: readonly string[]): boolean {
  return (
    fileLines.length === findLines.length &&
    fileLines.every((line, index) => looseContent(line) === looseContent(findLines[index]!))
  );
}

type Refused = Extract<AppliedEdit, { status: 'refused' }>;
type Form = { status: 'read'; write: (line: string) => string | Refused };

/** The file's form of what is only in REPLACE. */
function readForm(
  text: string,
  { tier, line: firstLine }: FoundEdit,
  sides: Sides,
  fileLines: readonly string[],
  { head, tail }: { head: number; tail: number },
): Form | Refused {
  const forms = readForms(sides.find, fileLines);
  if (TIGHT_TIERS.has(tier)) return { status: 'read', write: (line) => forms.get(line) ?? line };
  const read = readIndents(sides, fileLines, new FileIndents(text));
  if (read.status === 'conflict') {
    const [one, other] = [firstLine + read.first, firstLine + read.second];
    return refuse(`FIND indents lines ${one} and ${other} alike, but the file does not`);
  }
  const removed = { from: head, to: sides.find.length - tail };
  const characters = new Characters(sides.find, fileLines, removed, text);
  const write = (line: string): string | Refused => {
    const known = forms.get(line);
    if (known !== undefined || isBlankText(line)) return known ?? line;
    const indent = read.indents.inFile(leadingSpace(line));
    if (indent === undefined) {
      return refuse(`FIND does not show how the file indents this line of REPLACE: ${quote(line)}`);
    }
    const content = characters.inFile(line.slice(leadingSpace(line).length));
    if (content === undefined) {
      return refuse(
        `FIND does not show which quotes, dashes or spaces the file has in this line: ${quote(line)}`,
      );
    }
    return indent + content;
  };
  return { status: 'read', write };
}

/** Why REPLACE's indents may be wrong, where FIND lost an indent and shows no other. */
function findDoubt(
  text: string,
  { start, line: number }: FoundEdit,
  { find, replace }: Sides,
  fileLines: readonly string[],
): string | undefined {
  const [first, ...others] = [...find.keys()].filter((index) => !isBlankText(find[index]!));
  if (first === undefined) return undefined;
  const isCut = first === 0 && isInIndent(text, start);
  const lead = isCut ? text.slice(lineStartAt(text, start), start) : '';
  const indent = isCut ? '' : leadingSpace(find[first]!);
  const isShown = others.some((index) => leadingSpace(find[index]!) !== indent);

  const known = new Set(isCut ? find.slice(1) : find);
  const isNew = (index: number): boolean =>
    !known.has(replace[index] ?? '') && !isBlankText(replace[index] ?? '');
  const outer = replace.find(
    (line, index) =>
      index > 0 && isNew(index) && !line.startsWith(lead) && (!isShown || line === find[first]),
  );
  if (outer !== undefined) {
    return `FIND starts inside the indent of line ${number} and does not show how this line is indented: ${quote(outer)}`;
  }
  if (isShown || !(isCut || indent !== leadingSpace(fileLines[first]!))) return undefined;
  const placed = replace.map((line, index) => (index === 0 ? lead + line : line));
  const flat = placed.find((_, index) => (isNew(index) || isNew(index + 1)) && isFlatBlock(placed, index));
  return flat === undefined
    ? undefined
    : `REPLACE seems to have lost its indent after this line: ${quote(flat)}`;
}

const OPENER = /[{([:]\s*$/;
const CLOSER = /^\s*[})\]]/;

/** Whether a line opens a block and the next one is not deeper. */
function isFlatBlock(lines: readonly string[], index: number): boolean {
  const [line, next] = [lines[index]!, lines[index + 1] ?? ''];
  if (!OPENER.test(line) || isBlankText(next) || CLOSER.test(next)) return false;
  return leadingSpace(next).length <= leadingSpace(line).length;
}

function quote(line: string): string {
  return `"${cutText(line, QUOTED)}"`;
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

/** A span may include the file's byte order mark or its final newline; both stay. */
function splice(text: string, { start, end }: FoundEdit, written: string, ending: string): string {
  const mark = text.slice(start, Math.max(start, firstLineStart(text)));
  const before = text.slice(0, start) + (written.startsWith(mark) ? '' : mark);
  const result = before + written + text.slice(end);
  const isCut = text.endsWith('\n') && result.length > firstLineStart(text) && !result.endsWith('\n');
  return isCut ? result + ending : result;
}
