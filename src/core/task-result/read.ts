import { firstInk, isBlank, type Lines, lineText, splitLines } from '../markdown/lines.js';
import { quoteExcerpt } from '../text.js';
import { parseYaml, type UnreadWords } from '../yaml.js';
import {
  completeDraft,
  describe,
  fieldName,
  openResultLog,
  type ResultIssueLog,
  readDraft,
} from './fields.js';
import { isRuleLine, locateResult, readResultLine } from './locate.js';
import { type FieldPath, type ResultIssue, type ResultRead, resultIssue } from './types.js';
import { quoteText } from './write.js';

/** In bytes of UTF-8. */
export const RESULT_LIMIT = 10 * 1024 * 1024;

/** Some 40,000 listed files; texts count as one each, however long. */
const MOST_TOKENS = 250_000;

/** A judged result is captured right after, and its text does not change in between. */
let lastRead: { text: string; read: ResultRead } | undefined;

/** Reads the result in a text, without knowledge of the plan. Linear in its length. */
export function readResult(text: string): ResultRead {
  if (lastRead?.text !== text) lastRead = { text, read: readAnew(text) };
  return lastRead.read;
}

function readAnew(text: string): ResultRead {
  if (isTooLarge(text)) {
    const hint = 'Send a summary, and keep long output in a file.';
    return refuse(resultIssue('result-too-large', 'The result is larger than 10 MB.', { line: 1, hint }));
  }
  if (!/\S/.test(text)) return refuse(nothing());
  const lines = splitLines(text);
  const place = locateResult(lines);
  if (place.status === 'ambiguous') {
    const [first, second] = [place.first + 1, place.second + 1];
    const message = `The text contains two different results, at line ${first} and at line ${second}.`;
    const hint = 'Send one result, and nothing else.';
    return refuse(resultIssue('result-ambiguous', message, { line: second, hint }));
  }
  const { from, to, wrapped } = place;
  const yaml = text.slice(
    lines.starts[from] ?? text.length,
    to < lines.count ? lines.starts[to] : text.length,
  );
  return { ...readYaml(yaml, from + 1, wrapped ? [wrapping(lines, from, to)] : []), wrapped };
}

function readYaml(yaml: string, firstLine: number, before: ResultIssue[]): Omit<ResultRead, 'wrapped'> {
  const refused = (issue: ResultIssue) => refuse(issue, { yaml, firstLine, issues: [...before, issue] });
  const restored = restoreTexts(yaml);
  const unread: UnreadWords[] = [];
  const onUnread = (words: UnreadWords) => void unread.push(words);
  const read = parseYaml(restored.yaml, { mostTokens: MOST_TOKENS, onUnread });
  if (read.status === 'refused') {
    const lines = splitLines(yaml);
    const at = faultyLine(lines, read.reason, read.line - 1);
    const hint = hintFor(read.reason, lineText(lines, Math.min(at, lines.count - 1)));
    return refused(notYaml(read.reason, at + firstLine, hint));
  }
  const lineOf = (path: FieldPath) => read.lineOf(path) + firstLine - 1;
  const { value } = read;
  if (value === null) return refused(nothing());
  if (typeof value !== 'object' || Array.isArray(value)) {
    return refused(notMapping(value, lineOf([])));
  }
  const fields = value as Record<string, unknown>;
  const log = openResultLog(lineOf);
  reportUnread(restored, unread, firstLine, log);
  const { draft, result, issues } = readFields(fields, lineOf);
  return { yaml, firstLine, fields, draft, result, issues: [...before, ...log.list(), ...issues], lineOf };
}

/** The same for a result that is a part of some other YAML; `lineOf` takes paths from the result on. */
export function readFields(
  fields: Readonly<Record<string, unknown>>,
  lineOf: (path: FieldPath) => number,
): Pick<ResultRead, 'draft' | 'result' | 'issues'> {
  const log = openResultLog(lineOf);
  const draft = readDraft(fields, log);
  return { draft, result: completeDraft(draft), issues: log.list() };
}

function refuse(issue: ResultIssue, found: Partial<ResultRead> = {}): ResultRead {
  const line = issue.line ?? 1;
  return {
    yaml: '',
    firstLine: 1,
    wrapped: false,
    fields: null,
    draft: null,
    result: null,
    issues: [issue],
    lineOf: () => line,
    ...found,
  };
}

const SHAPE = 'Send one YAML mapping that starts with "status:", with nothing around it.';

function nothing(): ResultIssue {
  return resultIssue('result-empty', 'The result is empty.', { line: 1, hint: SHAPE });
}

function notYaml(reason: string, line: number, hint = SHAPE): ResultIssue {
  return resultIssue('result-not-yaml', `The result ${reason}.`, { line, hint });
}

function notMapping(value: unknown, line: number): ResultIssue {
  const message = `The result is ${describe(value)}, not a mapping of fields.`;
  return resultIssue('result-not-mapping', message, { line, hint: SHAPE });
}

function wrapping(lines: Lines, from: number, to: number): ResultIssue {
  const where = `lines ${from + 1} to ${to} of ${lines.count}`;
  return resultIssue('result-wrapped', `The result was extracted from the text around it: ${where}.`, {
    line: from + 1,
    hint: 'Send the YAML alone, without a fence and without words before or after it.',
  });
}

/** YAML notices a missing closing quote only at the end of the text; the fault is where the quote was opened. */
function faultyLine(lines: Lines, reason: string, at: number): number {
  const quote = /a closing (["']) is missing/.exec(reason)?.[1];
  if (!quote) return at;
  for (let line = Math.min(at, lines.count - 1); line >= 0; line--) {
    if (leavesQuoteOpen(lineText(lines, line), quote)) return line;
  }
  return at;
}

function isTooLarge(text: string): boolean {
  if (text.length > RESULT_LIMIT) return true;
  if (text.length * 3 <= RESULT_LIMIT) return false;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Half of a pair has two of its four bytes.
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  return bytes > RESULT_LIMIT;
}

const LONGEST_SUGGESTION = 200;

const SPECIAL = new Set('@`%*&![]{}|>,?');

/** How to fix the line at which YAML stopped; undefined if the line gives no clue. */
function hintFor(reason: string, line: string): string | undefined {
  if (reason.includes('several documents')) return 'Send one result at a time, without "---" between two.';
  if (reason.includes('occurs twice')) return 'Keep one of the two lines.';
  if (reason.includes('too deeply') || reason.includes('too many values'))
    return 'A result is flat: see the schema for its fields.';
  if (reason.includes('expand to too much')) return 'Write the values out, without anchors and aliases.';
  const ink = line.search(/[^ \t]/);
  if (ink === -1) return undefined;
  if (line.slice(0, ink).includes('\t')) return 'Indent with spaces: YAML allows no tabs there.';
  const { head, value } = splitLine(line.slice(ink));
  if (head === '')
    return 'Write a string of several lines under "evidence: |", each line indented by two spaces.';
  if (value === '') return undefined;
  const first = value[0]!;
  if (first === '"' || first === "'") return hintForQuotes(head, value, first);
  if (SPECIAL.has(first))
    return `Put the value in quotes, because it starts with ${first}: ${suggest(head, value)}`;
  if (value.startsWith('- ')) return 'Start a list on the next line, or put the value in quotes.';
  if (value.includes(': ') || value.endsWith(':'))
    return `Put the value in quotes, because it contains a colon: ${suggest(head, value)}`;
  return 'Indent fields of one level alike; write a string of several lines under "key: |", indented.';
}

/** Whether the value on a line starts with the quote and does not end with it. */
function leavesQuoteOpen(line: string, quote: string): boolean {
  const { head, value } = splitLine(line.trimStart());
  return head !== '' && value[0] === quote && (value.length === 1 || !value.endsWith(quote));
}

function hintForQuotes(head: string, value: string, quote: string): string {
  const closed = value.length > 1 && value.endsWith(quote);
  if (!closed) return `Close the quote at the end of the value: ${suggest(head, value.slice(1))}`;
  if (quote === '"' && value.includes('\\'))
    return 'In double quotes write a backslash as \\\\ and a quote as \\"; in single quotes a backslash is itself.';
  return `Inside the quotes write a quote as ${quote === '"' ? '\\"' : "''"}: ${suggest(head, value.slice(1, -1))}`;
}

function suggest(head: string, value: string): string {
  if (value.length > LONGEST_SUGGESTION) return `${head}"…"`;
  return `${head}${JSON.stringify(value)}`;
}

/** `head` is `task_name: ` or `- `, and `value` the text after it. */
function splitLine(line: string): { head: string; value: string } {
  const { head } = /^(?<head>(?:- +)?(?:["']?[\w.-]{1,60}["']? ?:(?: +|$))?)/.exec(line)!.groups!;
  return { head: head!, value: line.slice(head!.length).trimEnd() };
}

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
  /** The part that YAML would have dropped. */
  lost: string;
}

interface EscapedText {
  path: FieldPath;
  /** `\n`, as written in `"C:\new"`. */
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

/** Replaces each entry by the quoted text that `choose` returns; undefined keeps it. Lines keep their numbers. */
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

/** The part of a text that YAML would drop; undefined if none, or if the text is quoted. */
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

/** After null, and if there is nothing else, unless it is written like `#12`. */
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
function reportUnread(
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
interface Entry {
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
