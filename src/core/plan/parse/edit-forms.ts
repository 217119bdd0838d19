// What models write in an EDIT instead of labelled FIND and REPLACE blocks: SEARCH/REPLACE blocks between conflict
// markers, and unified diffs. Each change that can be read exactly becomes a pair; nothing else does.

import { shorten } from '../../text.js';

/** A pair of texts, and the line of the block that it starts at, counted from 0. */
interface FormPair {
  find: string;
  replace: string;
  line: number;
}

export type EditForm =
  | { status: 'pairs'; name: 'SEARCH/REPLACE blocks' | 'a diff'; pairs: FormPair[]; paths: FormPath[] }
  /** `line` is a line of the block; `reason` a clause that quotes it. */
  | { status: 'refused'; reason: string; line: number };

/** A file that the block names. */
interface FormPath {
  path: string;
  line: number;
}

/** Reads a block of an EDIT that has no label; undefined where it has neither form. */
export function readEditForm(text: string, info: string): EditForm | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.some((line) => SEARCH.test(line))) return readSearchReplace(lines);
  const isDiff = isDiffInfo(info) || lines.some((line) => HUNK.test(line));
  return isDiff ? readDiff(lines) : undefined;
}

export function isDiffInfo(info: string): boolean {
  return /^(?:diff|patch|udiff)\b/i.test(info);
}

/** Whether a line marks the start of such a change. */
export function isEditFormLine(line: string): boolean {
  return SEARCH.test(line) || HUNK.test(line) || line.startsWith('diff --git ');
}

const SEARCH = /^<{5,9} ?(?:SEARCH|ORIGINAL|FIND|OLD)\s*$/;
const DIVIDER = /^={5,9}\s*$/;
const REPLACE = /^>{5,9} ?(?:REPLACE|UPDATED|NEW)\s*$/;

function readSearchReplace(lines: readonly string[]): EditForm {
  const pairs: FormPair[] = [];
  const paths: FormPath[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.trim() === '') continue;
    if (!SEARCH.test(line)) {
      // The only line that may be outside the markers is the file's path, right above them.
      if (!SEARCH.test(lines[at + 1] ?? ''))
        return refuse(at, `"${quote(line)}" is outside the SEARCH/REPLACE blocks`);
      paths.push({ path: line.trim(), line: at });
      continue;
    }
    const end = findLine(lines, at + 1, REPLACE);
    const next = findLine(lines, at + 1, SEARCH);
    if (end === -1 || (next !== -1 && next < end))
      return refuse(at, `"${line.trim()}" has no ">>>>>>> REPLACE" after it`);
    const divider = findLine(lines, at + 1, DIVIDER);
    if (divider === -1 || divider > end) return refuse(at, `"${line.trim()}" has no "=======" after it`);
    const second = findLine(lines, divider + 1, DIVIDER);
    if (second !== -1 && second < end)
      return refuse(
        second,
        `SEARCH ends at either of two lines with "=======", ${divider + 1} or ${second + 1} of the block`,
      );
    pairs.push({ find: join(lines, at + 1, divider), replace: join(lines, divider + 1, end), line: at });
    at = end;
  }
  return { status: 'pairs', name: 'SEARCH/REPLACE blocks', pairs, paths };
}

const HUNK = /^@@(?: .*)?@@|^@@\s*$/;
const GIT_HEADER = /^(?:diff --git |index [0-9a-f]+\.\.|(?:old|new) mode |similarity index |=== )/;
const WHOLE_FILE = /^(?:new file mode|deleted file mode|rename from|rename to|copy from|copy to) /;

/** Line numbers of hunks are not used: each hunk must be in the file once, by its lines. */
function readDiff(lines: readonly string[]): EditForm {
  const hunks: { old: string[]; new: string[]; line: number; changes: number }[] = [];
  const paths: FormPath[] = [];
  const hasHunks = lines.some((line) => HUNK.test(line));
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (WHOLE_FILE.test(line)) return refuse(at, `"${quote(line)}" is about a whole file`);
    if (GIT_HEADER.test(line)) continue;
    if (isFileHeader(lines, at, hasHunks)) {
      const named = [line, lines[at + 1]!].map((each, i) => ({ path: each.slice(4), line: at + i }));
      const none = named.find(({ path }) => path.trim() === '/dev/null');
      if (none) return refuse(none.line, '"/dev/null" stands for a file that is created or deleted');
      paths.push(...named.map(({ path, line: row }) => ({ path: headerPath(path), line: row })));
      at++;
    } else if (HUNK.test(line)) {
      hunks.push({ old: [], new: [], line: at, changes: 0 });
    } else if (!line.startsWith('\\ No newline')) {
      if (hunks.length === 0 && line.trim() === '') continue;
      if (hunks.length === 0 && !hasHunks) hunks.push({ old: [], new: [], line: at, changes: 0 });
      const hunk = hunks.at(-1);
      const sign = line === '' ? ' ' : line[0]!;
      if (!hunk || !' +-'.includes(sign))
        return refuse(at, `"${quote(line)}" starts with neither "+", "-" nor a space`);
      if (sign !== '+') hunk.old.push(line.slice(1));
      if (sign !== '-') hunk.new.push(line.slice(1));
      if (sign !== ' ') hunk.changes++;
    }
  }
  for (const hunk of hunks) {
    dropTrailingBlanks(hunk);
    if (hunk.changes === 0)
      return refuse(hunk.line, `the hunk at "${quote(lines[hunk.line]!)}" changes nothing`);
    if (hunk.old.length === 0)
      return refuse(
        hunk.line,
        `the hunk at "${quote(lines[hunk.line]!)}" has only new lines, so its place is not known`,
      );
  }
  if (hunks.length === 0) return refuse(0, 'the diff has no hunk');
  const pairs = hunks.map((hunk) => ({
    find: hunk.old.join('\n'),
    replace: hunk.new.join('\n'),
    line: hunk.line,
  }));
  return { status: 'pairs', name: 'a diff', pairs, paths };
}

/** `--- a/x` and `+++ b/x`. Where hunks are marked, one follows; a removed `-- x` has none behind it. */
function isFileHeader(lines: readonly string[], at: number, hasHunks: boolean): boolean {
  if (!lines[at]!.startsWith('--- ') || !lines[at + 1]?.startsWith('+++ ')) return false;
  return hasHunks ? HUNK.test(lines[at + 2] ?? '') : at === 0;
}

function headerPath(written: string): string {
  return written
    .split('\t', 1)[0]!
    .trim()
    .replace(/^[ab]\//, '');
}

/** An empty line at the end of a hunk divides it from the next one. */
function dropTrailingBlanks(hunk: { old: string[]; new: string[] }): void {
  while (hunk.old.length > 0 && hunk.old.at(-1) === '' && hunk.new.at(-1) === '') {
    hunk.old.pop();
    hunk.new.pop();
  }
}

function findLine(lines: readonly string[], from: number, pattern: RegExp): number {
  for (let at = from; at < lines.length; at++) if (pattern.test(lines[at]!)) return at;
  return -1;
}

function join(lines: readonly string[], from: number, to: number): string {
  return lines.slice(from, to).join('\n');
}

function quote(line: string): string {
  return shorten(line.trim(), 60);
}

function refuse(line: number, reason: string): EditForm {
  return { status: 'refused', reason, line };
}
