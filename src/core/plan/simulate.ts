import { countUnits } from '../text.js';
import { realPathIn, type Tree } from '../tree.js';
import { applyEdit } from './edit/apply.js';
import { findElision } from './edit/elision.js';
import { type EditTier, type FileText, FileTexts, findEditIn, isWholeFile } from './edit/match.js';
import { describeMiss, type EditMiss, explainMiss } from './edit/miss.js';
import type { PlanIssueCode } from './issues.js';
import type { CreateAction, EditAction, EditPair, ReadAction } from './types.js';

/** Why an action fails on a tree. */
interface Problem {
  code: PlanIssueCode;
  message: string;
  line: number;
  hint?: string;
}

/** The effect of an action on a tree. */
export type Simulated =
  | {
      status: 'written';
      /** The file's real path in the tree. */
      path: string;
      /** Null if there was no file. */
      before: string | null;
      after: string;
      /** How each FIND was found. */
      tiers: EditTier[];
    }
  /** What a READ returns, and what comes before it in the file. */
  | { status: 'text'; text: string; before: string }
  /** The tree cannot list folders. */
  | { status: 'folder' }
  | WillFail;

interface WillFail {
  status: 'will-fail';
  /** The file's real path in the tree. */
  path: string;
  problems: Problem[];
  /** The text with those changes made that can be; null if there is nothing to change. */
  after: string | null;
}

type FileRead = Extract<Simulated, { status: 'text' }> | WillFail;

/** Masks secrets in a file's text before it is shown. */
export type Shown = (text: string) => string;

export function simulateCreate(action: CreateAction, tree: Tree): Simulated {
  const { path, content, overwrite, line } = action;
  const real = realPathIn(tree, path);
  const willFail = (code: PlanIssueCode, message: string, hint?: string): WillFail => ({
    status: 'will-fail',
    path: real,
    problems: [problem(code, message, line, hint)],
    after: content,
  });
  const there = tree.stat(real);
  const blocker = fileAbove(real, tree);
  if (blocker !== undefined) {
    const what = tree.stat(blocker)?.kind === 'file' ? 'is a file, not a folder' : 'is not a usable folder';
    return willFail('file-refused', `${path} cannot be created: ${blocker} ${what}.`);
  }
  if (there && there.kind !== 'file') {
    const what = there.kind === 'folder' ? 'a folder' : 'something that is not a file';
    return willFail('file-refused', `${path} cannot be created: there is ${what} of that name.`);
  }
  const old = there && tree.text(real);
  const isThere = old?.status === 'text' && old.text === content;
  if (there && !overwrite && !isThere) {
    const hint = 'Use EDIT to change it, or add "- **Overwrite:** true" to replace it.';
    return willFail('file-exists', `${path} already exists.`, hint);
  }
  // In a new file, `// ...` alone may be a comment.
  const elision = findElision(content, path, knows(old?.status === 'text' ? old.text : ''));
  if (elision && (elision.isCertain || old)) {
    const message = `The content leaves lines out: "${elision.text}" would be written into ${path} as it is.`;
    return willFail('elision', message, 'Write the whole file. To change parts of a file, use EDIT.');
  }
  if (!old) return { status: 'written', path: real, before: null, after: content, tiers: [] };
  if (old.status !== 'text') {
    const why = old.status === 'refused' ? old.reason : 'cannot be read';
    return willFail('file-refused', `${path} cannot be replaced: it ${why}.`);
  }
  return { status: 'written', path: real, before: old.text, after: content, tiers: [] };
}

/** `files` are the files of the plan, so that its edits share what they find out. */
export function simulateEdit(
  action: EditAction,
  tree: Tree,
  show: Shown = asItIs,
  files = new FileTexts(),
): Simulated {
  const { path, edits, line } = action;
  const real = realPathIn(tree, path);
  const read = readFile(path, line, tree, 'Use CREATE for a new file.');
  if (read.status === 'will-fail') return read;
  const tiers: EditTier[] = [];
  const problems: Problem[] = [];
  let text = read.text;
  for (const pair of edits) {
    const result = applyPair(path, files.open(real, text), pair, show);
    if (result.status === 'will-fail') {
      problems.push(result.problem);
    } else {
      text = result.text;
      tiers.push(result.tier);
    }
  }
  if (problems.length > 0) return { status: 'will-fail', path: real, problems, after: text };
  return { status: 'written', path: real, before: read.text, after: text, tiers };
}

export function simulateRead(
  { resource, lines, line }: ReadAction,
  tree: Tree,
): Exclude<Simulated, { status: 'written' }> {
  const isFolder = tree.stat(realPathIn(tree, resource.target))?.kind === 'folder';
  if (isFolder && !lines) return { status: 'folder' };
  const read = readFile(resource.target, line, tree);
  if (read.status === 'will-fail' || !lines) return read;
  const count = countLines(read.text);
  if (lines.from <= count) return sliceLines(read.text, lines.from, lines.to);
  const message = `${resource.target} has ${countUnits(count, 'line')}; line ${lines.from} is past its end.`;
  const path = realPathIn(tree, resource.target);
  return { status: 'will-fail', path, problems: [problem('lines-outside', message, line)], after: null };
}

function readFile(path: string, line: number, tree: Tree, whenMissing?: string): FileRead {
  const real = realPathIn(tree, path);
  const read = tree.text(real);
  if (read.status === 'text') return { ...read, before: '' };
  const found =
    read.status === 'missing'
      ? missingFile(path, line, tree, whenMissing)
      : problem('file-refused', `${path} ${read.reason}.`, line);
  return { status: 'will-fail', path: real, problems: [found], after: null };
}

/** What models add to the path of a file: the folders of a diff, and lines. */
const ADDITIONS = [/^[ab]\//, /:\d+(?:[-:]\d+)?$/, /#L\d+(?:-L?\d+)?$/];

function missingFile(path: string, line: number, tree: Tree, hint: string | undefined): Problem {
  const meant = ADDITIONS.map((addition) => path.replace(addition, '')).find(
    (other) => other !== path && tree.stat(realPathIn(tree, other))?.kind === 'file',
  );
  if (meant !== undefined) {
    const message = `${path} does not exist. Did you mean ${meant}?`;
    return problem('file-missing', message, line, `Write [${meant}](/${meant}).`);
  }
  const name = /\s/.test(path) ? `"${path}"` : path;
  if (!/[*?]|\{.*,.*\}/.test(path)) return problem('file-missing', `${name} does not exist.`, line, hint);
  const folder = path.slice(0, path.search(/[*?{]/)).replace(/[^/]*$/, '') || './';
  const message = `${path} is a pattern, and no file has that name; an action takes one path.`;
  return problem('file-missing', message, line, `A READ of ${folder} lists the files there.`);
}

type PairResult =
  | { status: 'text'; text: string; tier: EditTier }
  | { status: 'will-fail'; problem: Problem };

function applyPair(path: string, file: FileText, { find, replace, line }: EditPair, show: Shown): PairResult {
  const { text } = file;
  const willFail = (code: PlanIssueCode, message: string, hint?: string): PairResult => ({
    status: 'will-fail',
    problem: problem(code, message, line, hint),
  });
  if (find === '') return willFail('find-empty', 'FIND is empty.');
  if (isWholeFile(text, find)) {
    const hint =
      'EDIT is for surgical changes: quote only the lines that change, or use CREATE with "- **Overwrite:** true".';
    return willFail('find-whole-file', `FIND is the whole of ${path}.`, hint);
  }
  const match = findEditIn(file, find, replace);
  if (match.status === 'ambiguous') {
    const places = match.lines.join(', ') + (match.count > match.lines.length ? ' …' : '');
    const hint = 'Quote more of the lines around it, so that it is unique.';
    const what = find.trim() === '' ? 'FIND has only white space, which' : 'FIND';
    return willFail('find-ambiguous', `${what} is in ${path} ${match.count} times (lines ${places}).`, hint);
  }
  if (match.status === 'missing') {
    const message = `FIND is not in ${path}${explainMiss(match.miss, show(find))}.`;
    return willFail('find-missing', message, describeShown(file, find, replace, match.miss, show));
  }
  const elision = findElision(replace, path, knows(`${text}\n${find}`));
  if (elision) {
    const message = `REPLACE leaves lines out: "${elision.text}" would be written into ${path} as it is.`;
    const hint = 'Write every line, or use pairs that cover only the lines that change.';
    return willFail('elision', message, hint);
  }
  const applied = applyEdit(text, match, find, replace);
  if (applied.status === 'applied') return { status: 'text', text: applied.text, tier: match.tier };
  const message = `FIND is in ${path} at line ${match.line}, but REPLACE cannot be applied there: ${applied.reason}.`;
  return willFail('find-missing', message);
}

/** The closest lines as they may be shown: where something in the file is masked, they are looked for again. */
function describeShown(file: FileText, find: string, replace: string, miss: EditMiss, show: Shown): string {
  const [shown, shownFind] = [file.shown(show), show(find)];
  if (shown === file && shownFind === find) return describeMiss(miss);
  const match = findEditIn(shown, shownFind, show(replace));
  if (match.status === 'missing') return describeMiss(match.miss);
  return 'FIND differs from the file in a secret, which is not shown. Choose lines without secrets.';
}

/** Whether a text has a line, white space at its ends aside. */
function knows(text: string): (line: string) => boolean {
  let lines: Set<string> | undefined;
  return (line) => {
    lines ??= new Set(text.split('\n').map((each) => each.trim()));
    return lines.has(line);
  };
}

function asItIs(text: string): string {
  return text;
}

/** The nearest parent of `path` that is a file. */
function fileAbove(path: string, tree: Tree): string | undefined {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const parent = path.slice(0, slash);
    const stat = tree.stat(parent);
    if (stat) return stat.kind === 'folder' ? undefined : parent;
  }
  return undefined;
}

function countLines(text: string): number {
  if (text === '') return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    count++;
  return count;
}

/** Lines `from` to `to`, 1-based and inclusive, or as many as there are. */
function sliceLines(text: string, from: number, to: number): FileRead {
  let start = 0;
  for (let line = 1; line < from; line++) start = text.indexOf('\n', start) + 1;
  let end = start;
  for (let line = from; line <= to && end < text.length; line++) {
    const newline = text.indexOf('\n', end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return { status: 'text', text: text.slice(start, end), before: text.slice(0, start) };
}

function problem(code: PlanIssueCode, message: string, line: number, hint?: string): Problem {
  return { code, message, line, ...(hint === undefined ? {} : { hint }) };
}
