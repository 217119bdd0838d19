import { type Lines, lineText, splitLines } from '../markdown/lines.js';
import { parseYaml, type UnreadWords } from '../yaml.js';
import { completeDraft, readDraft } from './fields.js';
import { describe, type FieldPath, openResultLog, type ResultIssue, resultIssue } from './issues.js';
import { locateResult } from './locate.js';
import type { ResultRead } from './types.js';
import { reportUnread, restoreTexts } from './unquoted.js';

/** In bytes of UTF-8. */
export const RESULT_LIMIT = 10 * 1024 * 1024;

/** Some 40,000 listed files; texts count as one each, however long. */
const MOST_TOKENS = 250_000;

/** A judged result is captured right after, and its text does not change in between. */
let lastRead: { text: string; read: ResultRead } | undefined;

/** The result that a text holds, as far as the text alone can tell. Linear in its length. */
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
  return resultIssue('result-empty', 'There is no result: the text is empty.', { line: 1, hint: SHAPE });
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

/** YAML misses a closing quote only at the end of the text: the fault is where it was opened. */
function faultyLine(lines: Lines, reason: string, at: number): number {
  const quote = /Missing closing (["'])quote/.exec(reason)?.[1];
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
  if (reason.includes('expand into too much')) return 'Write the values out, without anchors and aliases.';
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
