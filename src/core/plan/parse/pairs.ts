import { type Block, type Fence, fenceText } from '../../markdown/blocks.js';
import { type Lines, lineText } from '../../markdown/lines.js';
import { shorten } from '../../text.js';
import { readEditLabel } from '../grammar.js';
import {
  type PlanIssueLog,
  planLine,
  reportMasked,
  reportStray,
  reportUnclosed,
  reportUnexpected,
} from '../issues.js';
import type { EditPair } from '../types.js';
import type { ActionOutline } from './outline.js';

type Piece = { kind: 'FIND' | 'REPLACE'; line: number } | { kind: 'fence'; fence: Fence };

const LABELLED = 'Write "`FIND:`" and a fenced block, then "`REPLACE:`" and a fenced block.';

/** The FIND and REPLACE blocks of an EDIT, in the order in which they are applied. `path` is the file's. */
export function parsePairs(
  lines: Lines,
  outline: ActionOutline,
  body: readonly Block[],
  path: string,
  log: PlanIssueLog,
): EditPair[] {
  if (reportUnfencedForm(lines, body, log)) return [];
  const pieces = body.flatMap((block) => toPieces(lines, block, log));
  const pairs: EditPair[] = [];
  let find: { text: string | undefined; line: number } | undefined;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!;
    if (piece.kind === 'fence') {
      pairs.push(...readUnlabelled(lines, piece.fence, path, log));
      continue;
    }
    const line = planLine(piece.line);
    const next = pieces[i + 1];
    const text = next?.kind === 'fence' ? halfText(lines, next.fence) : undefined;
    if (text === undefined) {
      log.add('block-missing', `Expected a fenced block after this ${piece.kind} label.`, { line });
    } else {
      i++;
      if (piece.kind === 'REPLACE' && next?.kind === 'fence') {
        reportMasked(text, planLine(next.fence.at + 1), log);
      }
    }
    if (piece.kind === 'FIND') {
      if (find) reportLoneFind(find.line, log);
      find = { text, line };
    } else if (!find) {
      log.add('replace-without-find', 'This REPLACE has no FIND before it.', {
        line,
        hint: 'Write the FIND first, then its REPLACE.',
      });
    } else {
      if (text !== undefined && find.text !== undefined)
        pairs.push(checkPair({ find: find.text, replace: text, line: find.line }, log));
      find = undefined;
    }
  }
  if (find) reportLoneFind(find.line, log);
  if (pieces.length === 0) {
    log.add('block-missing', 'EDIT needs at least one pair of FIND and REPLACE.', {
      line: planLine(outline.heading.at),
      hint: LABELLED,
    });
  }
  return pairs;
}

function toPieces(lines: Lines, block: Block, log: PlanIssueLog): Piece[] {
  if (block.type === 'fence') {
    reportUnclosed(block, lines, log);
    return [{ kind: 'fence', fence: block }];
  }
  const pieces: Piece[] = [];
  for (let line = block.at; line < block.end; line++) {
    const label = readEditLabel(lineText(lines, line));
    if (!label) {
      if (block.type !== 'rule' && lineText(lines, line).trim() !== '') reportStray(lines, line, log);
      continue;
    }
    if (!label.strict) {
      log.add('label-style', `Read "${lineText(lines, line).trim()}" as the label ${label.side}.`, {
        line: planLine(line),
        hint: `The format writes "\`${label.side}:\`".`,
      });
    }
    pieces.push({ kind: label.side, line });
  }
  return pieces;
}

/** Without a fence, Markdown does not keep the lines of a diff together. */
function reportUnfencedForm(lines: Lines, body: readonly Block[], log: PlanIssueLog): boolean {
  for (const block of body) {
    for (let line = block.at; block.type === 'text' && line < block.end; line++) {
      const text = lineText(lines, line).trim();
      if (!isEditFormLine(text) && !HALF_ON_LINE.test(text)) continue;
      log.add('edit-invalid', `"${shorten(text, 60)}" is not in a fenced block.`, {
        line: planLine(line),
        hint: LABELLED,
      });
      return true;
    }
  }
  return false;
}

/** `FIND: return sum;` */
const HALF_ON_LINE = /^[`*_]{0,3}(?:FIND|REPLACE)[`*_]{0,3}:[`*_]{0,3}\s+[^\s`*_]/;

/** A block without a label could be anything: only a form that says itself what it replaces is read. */
function readUnlabelled(lines: Lines, fence: Fence, path: string, log: PlanIssueLog): EditPair[] {
  const text = fenceText(lines, fence);
  const form = readEditForm(text, fence.mark.info);
  const labels = text.split('\n').flatMap((line, at) => (readEditLabel(line) ? [{ line, at }] : []));
  if (!form && labels.length > 1) {
    const [{ line, at }] = labels as [(typeof labels)[number]];
    log.add('edit-invalid', `The label "${line.trim()}" is inside the block.`, {
      line: planLine(fence.at + 1 + at),
      hint: LABELLED,
    });
    return [];
  }
  if (!form) {
    reportUnexpected(fence, 'here: a block of an EDIT follows a "`FIND:`" or "`REPLACE:`" label', log);
    return [];
  }
  const first = fence.at + 1;
  const refuse = (line: number, reason: string): EditPair[] => {
    log.add('edit-invalid', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`, {
      line: planLine(first + line),
      hint: LABELLED,
    });
    return [];
  };
  if (form.status === 'refused') return refuse(form.line, form.reason);
  const end = lineText(lines, fence.end - 1);
  if (form.name === 'a diff' && fence.closed && fence.mark.indent === 0 && end.startsWith(' '))
    return refuse(fence.end - 1 - first, `the diff ends at "${end}", which looks like one of its own lines`);
  const other = form.paths.find((named) => path !== '' && !isSameFile(named.path, path));
  if (other) return refuse(other.line, `the block is about "${other.path}", and File Path is ${path}`);
  const count = form.pairs.length;
  const message = `Read ${form.name} as ${count} FIND/REPLACE ${count === 1 ? 'pair' : 'pairs'}.`;
  log.add('edit-style', message, { line: planLine(fence.at), hint: LABELLED });
  return form.pairs.map(({ find, replace, line }) => {
    reportMasked(replace, planLine(first + line), log);
    return checkPair({ find, replace, line: planLine(first + line) }, log);
  });
}

function isSameFile(named: string, path: string): boolean {
  return named.replace(/^[`*"']+|[`*"':]+$/g, '').replace(/^(?:\.?\/)+/, '') === path;
}

/** The newline before the closing fence is part of neither half. */
function halfText(lines: Lines, fence: Fence): string {
  const text = fenceText(lines, fence);
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function reportLoneFind(line: number, log: PlanIssueLog): void {
  log.add('find-without-replace', 'This FIND has no REPLACE after it.', {
    line,
    hint: 'After the block of the FIND write "`REPLACE:`" and its block; an empty block deletes the text.',
  });
}

function checkPair(pair: EditPair, log: PlanIssueLog): EditPair {
  if (pair.find === '') {
    log.add('find-empty', 'This FIND is empty.', {
      line: pair.line,
      hint: 'Copy the text to replace, exactly as it is in the file.',
    });
  } else if (pair.find === pair.replace) {
    log.add('find-equals-replace', 'FIND and REPLACE are the same: this edit would change nothing.', {
      line: pair.line,
    });
  }
  return pair;
}

// What models write in an EDIT instead of labelled FIND and REPLACE blocks: SEARCH/REPLACE blocks between conflict
// markers, and unified diffs. Each change that can be read exactly becomes a pair; nothing else does.

/** A pair of texts, and the line of the block that it starts at, counted from 0. */
interface FormPair {
  find: string;
  replace: string;
  line: number;
}

type EditForm =
  | { status: 'pairs'; name: 'SEARCH/REPLACE blocks' | 'a diff'; pairs: FormPair[]; paths: FormPath[] }
  /** `line` is a line of the block; `reason` a clause that quotes it. */
  | { status: 'refused'; reason: string; line: number };

/** A file that the block names. */
interface FormPath {
  path: string;
  line: number;
}

/** Reads a block of an EDIT that has no label; undefined if it has neither form. */
function readEditForm(text: string, info: string): EditForm | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.some((line) => SEARCH.test(line))) return readSearchReplace(lines);
  const isDiff = isDiffInfo(info) || lines.some((line) => HUNK.test(line) || PATCHED_FILE.test(line));
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
const GIT_HEADER =
  /^(?:diff --git |index [0-9a-f]+\.\.|(?:old|new) mode |similarity index |=== |\*\*\* (?:Begin Patch|End Patch|End of File)\s*$)/;
const WHOLE_FILE =
  /^(?:(?:new file mode|deleted file mode|rename from|rename to|copy from|copy to) |\*\*\* (?:Add File|Delete File|Move to): )/;
/** How apply_patch names the file, and the line that a hunk is below. */
const PATCHED_FILE = /^\*\*\* Update File: (.+)$/;
const PATCH_HUNK = /^@@ /;

/** Line numbers of hunks are not used: each hunk must be in the file once, by its lines. */
function readDiff(lines: readonly string[]): EditForm {
  const hunks: { old: string[]; new: string[]; line: number; changes: number }[] = [];
  const paths: FormPath[] = [];
  const isPatch = lines.some((line) => PATCHED_FILE.test(line));
  const startsHunk = (line: string) => HUNK.test(line) || (isPatch && PATCH_HUNK.test(line));
  const hasHunks = lines.some(startsHunk);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const patched = PATCHED_FILE.exec(line)?.[1];
    if (WHOLE_FILE.test(line)) return refuse(at, `"${quote(line)}" is about a whole file`);
    if (GIT_HEADER.test(line)) continue;
    if (isFileHeader(lines, at, hasHunks)) {
      const named = [line, lines[at + 1]!].map((each, i) => ({ path: each.slice(4), line: at + i }));
      const none = named.find(({ path }) => path.trim() === '/dev/null');
      if (none) return refuse(none.line, '"/dev/null" stands for a file that is created or deleted');
      paths.push(...named.map(({ path, line: row }) => ({ path: headerPath(path), line: row })));
      at++;
    } else if (patched !== undefined) {
      paths.push({ path: patched.trim(), line: at });
    } else if (startsHunk(line)) {
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
