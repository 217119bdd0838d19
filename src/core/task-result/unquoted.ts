import { firstInk, isBlank, type Lines, lineText, splitLines } from '../markdown/lines.js';
import { quoteExcerpt } from '../text.js';
import type { UnreadWords } from '../yaml.js';
import { type FieldPath, fieldName, type ResultIssueLog } from './issues.js';
import { isRuleLine, readResultLine } from './locate.js';
import { quoteText } from './write.js';

// A text without quotes loses words to YAML where it holds ` #` or starts with `&`, `*` or `!`. What was written is
// put in quotes before YAML sees it, so that a reader gets all of it. In double quotes the backslash of a path is lost:
// which one was meant cannot be known, so it is only named.

export interface Restored {
  /** The same lines, with quotes around the texts that need them. */
  yaml: string;
  texts: readonly RestoredText[];
  escaped: readonly EscapedText[];
  /** Whether a line, from 1, belongs to the value of a text. */
  isText(line: number): boolean;
}

interface RestoredText {
  path: FieldPath;
  text: string;
  /** What YAML would not have taken for text. */
  lost: string;
}

interface EscapedText {
  path: FieldPath;
  /** `\n`, as it is written in `"C:\new"`. */
  sequence: string;
}

const TEXTS = new Set(['task_name', 'evidence', 'error', 'command', 'output_summary', 'executor_id']);
const NEVER_NULL = new Set(['task_name', 'evidence']);

/** `first`: the line, from 0, at which the result starts. */
export function restoreTexts(yaml: string, first = 0): Restored {
  if (!/[#&*!\\]/.test(yaml)) return { yaml, texts: [], escaped: [], isText: () => false };
  const lines = splitLines(yaml);
  const entries = listTexts(lines, first);
  const texts: RestoredText[] = [];
  const escaped: EscapedText[] = [];
  const edited = editEntries(lines, entries, ({ path }, written) => {
    const sequence = findEscape(path, written);
    if (sequence !== undefined) escaped.push({ path, sequence });
    const lost = findLost(path, written);
    if (lost === undefined) return undefined;
    texts.push({ path, text: written, lost });
    return written;
  });
  return { yaml: edited, texts, escaped, isText: (line) => isWithin(lines, entries, line - 1) };
}

function isWithin(lines: Lines, entries: readonly Entry[], line: number): boolean {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.line <= line) low = middle + 1;
    else high = middle;
  }
  const entry = entries[low - 1];
  return entry !== undefined && lines.starts[line]! < entry.end;
}

/** Puts what `choose` gives in quotes, in place of what is written; undefined leaves it. Lines keep their numbers. */
export function editEntries(
  lines: Lines,
  entries: readonly Entry[],
  choose: (entry: Entry, written: string) => string | undefined,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const entry of entries) {
    const source = lines.text.slice(entry.from, entry.to);
    const text = choose(entry, dedent(source));
    if (text === undefined) continue;
    parts.push(lines.text.slice(at, entry.from), ` ${quoteText(text)}`, source.replace(/[^\n]/g, ''));
    at = entry.to;
  }
  return parts.join('') + lines.text.slice(at);
}

/** The entries whose value is a text. A remark after a path is not part of it. */
function listTexts(lines: Lines, first = 0): Entry[] {
  return listEntries(lines, first).flatMap((entry) => {
    if (!isPath(entry.path)) return isTextField(entry.path) ? [entry] : [];
    const length = lines.text.slice(entry.from, entry.end).search(/\s#|$/);
    return [{ ...entry, to: entry.from + length }];
  });
}

export function isTextField(path: FieldPath): boolean {
  return isPath(path) || TEXTS.has(String(path.at(-1)));
}

function isPath(path: FieldPath): boolean {
  return path[0] === 'files_modified' && path.length === 2;
}

/** What of a text YAML would not give back; undefined where it gives back all, or where quotes say what is text. */
function findLost(path: FieldPath, written: string): string | undefined {
  const core = written.replace(/^(?:#[^\n]*(?:\n|$))+/, '');
  if (/^["'|>[{]/.test(core)) return undefined;
  const mark = /^[&*!][^\s,[\]{}]*/.exec(core)?.[0];
  if (mark !== undefined) return mark;
  const comment = /(?<=^|\s)#.*/s.exec(written)?.[0];
  return comment === undefined || isRemark(path, written) ? undefined : comment;
}

/**
 * An escape in double quotes in the place of a path's backslash: after a drive, or anywhere in a listed path. Those
 * of characters that no text has, such as the backspace in `"\bword"`, count everywhere.
 */
function findEscape(path: FieldPath, written: string): string | undefined {
  if (!written.startsWith('"')) return undefined;
  const plain = written.replaceAll('\\\\', '//');
  if (isPath(path)) return /\\[0abefnrtv]/.exec(plain)?.[0];
  return /(?<=\b[A-Za-z]:)\\[0abefnrtv]|\\[0abfv]/.exec(plain)?.[0];
}

/** After null, and where there is nothing else, unless it is written like `#12`. */
function isRemark(path: FieldPath, written: string): boolean {
  if (NEVER_NULL.has(String(path.at(-1)))) return false;
  const value = written.replace(/(^|\s)#[^\n]*/g, '').trim();
  return /^(?:~|null)$/i.test(value) || (value === '' && !/^#\S/.test(written));
}

/** Without the indent that its lines share, and without blank space around it. */
function dedent(source: string): string {
  const [first = '', ...rest] = source.trimEnd().split(/\r?\n/);
  const indentOf = (line: string) => line.search(/\S|$/);
  const shared = rest.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, indentOf(line))),
    Number.POSITIVE_INFINITY,
  );
  return [first, ...rest.map((line) => line.slice(Math.min(shared, indentOf(line))).trimEnd())]
    .join('\n')
    .trim();
}

/** Names the texts that were restored, and all that YAML still does not read but comments on lines of their own. */
export function reportUnread(
  restored: Restored,
  unread: readonly UnreadWords[],
  firstLine: number,
  log: ResultIssueLog,
): void {
  for (const { path, text, lost } of restored.texts) {
    const message = `${fieldName(path)} is not in quotes, so YAML would drop ${quoteExcerpt(lost)}; the whole text was kept.`;
    log.add('text-unquoted', path, message, `Put it in quotes: ${quoteExcerpt(text)}`);
  }
  for (const { path, sequence } of restored.escaped) {
    const message = `${fieldName(path)} is in double quotes, where YAML reads ${sequence} as one character.`;
    log.add('text-escaped', path, message, 'If you mean a backslash, use single quotes or write it twice.');
  }
  for (const { line, text, alone } of unread) {
    if (alone && !restored.isText(line)) continue;
    log.add(
      'text-ignored',
      line + firstLine - 1,
      `YAML ignores ${quoteExcerpt(text)}.`,
      'If it is part of the value, put the whole value in quotes.',
    );
  }
}

/** A field as its lines show it, whether or not they are YAML. */
export interface Entry {
  path: FieldPath;
  /** The line of its key or dash, from 0. */
  line: number;
  /** Offsets of its value, from after the colon or the dash. */
  from: number;
  to: number;
  /** Offset of the end of the last line under it. */
  end: number;
}

const KEY = /^[ \t]*(["']?)([\w.-]{1,60})\1[ \t]*:(?=[ \t]|$)/;
const ITEM = /^[ \t]*-(?=[ \t]|$)/;

/** The fields of a result in block style, those of its mappings and the items of its lists included. */
export function listEntries(lines: Lines, first = 0): Entry[] {
  return split(lines, first, lines.count, KEY, []).flatMap((entry) => {
    if (/[^\s]/.test(lines.text.slice(entry.from, lines.ends[entry.line]!).replace(/[ \t]#.*/, '')))
      return [entry];
    const last = lastLine(lines, entry);
    const inside = (form: RegExp) => split(lines, entry.line + 1, last + 1, form, entry.path);
    if (entry.path[0] === 'files_modified') return inside(ITEM);
    if (entry.path[0] === 'verification' || entry.path[0] === 'metadata') return inside(KEY);
    return [entry];
  });
}

function lastLine(lines: Lines, { line, end }: Entry): number {
  let last = line;
  while (last + 1 < lines.count && lines.starts[last + 1]! < end) last++;
  return last;
}

/** The entries at the indent of the first, up to a line that is indented less. */
function split(lines: Lines, from: number, to: number, form: RegExp, above: FieldPath): Entry[] {
  const entries: Entry[] = [];
  let margin = -1;
  for (let line = from; line < to; line++) {
    if (isBlank(lines, line)) continue;
    const indent = firstInk(lines, line) - lines.starts[line]!;
    const found = margin === -1 || indent === margin ? form.exec(lineText(lines, line)) : null;
    const isComment = isRuleLine(readResultLine(lines, line));
    if (found && !isComment) {
      margin = indent;
      const start = lines.starts[line]! + found[0].length;
      const path = [...above, form === ITEM ? entries.length : found[2]!];
      entries.push({ path, line, from: start, to: lines.ends[line]!, end: lines.ends[line]! });
    } else if (margin !== -1 && indent < margin && !isComment) {
      break;
    } else if (entries.length > 0 && !(isComment && indent <= margin)) {
      const entry = entries.at(-1)!;
      entry.to = entry.end = lines.ends[line]!;
    }
  }
  return entries;
}
