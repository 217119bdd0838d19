import { matchNames } from '../glob.js';
import { placeIn, readRootPath } from '../path.js';
import type { Task, TaskFile } from '../task-plan/types.js';
import { foldText, quoteExcerpt } from '../text.js';
import type { Tree } from '../tree.js';
import { describe, type ResultIssueLog } from './fields.js';
import type { ResultDraft, ResultIssueCode } from './types.js';
import { findNoTestsMessage } from './vacuous.js';

/** When `verification` may have nulls: nothing ran, or nothing can be run. */
export function judgeNulls(draft: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  if (!draft.status || draft.status === 'blocked' || !task?.verify?.command) return;
  const wanted = [
    [
      'command',
      draft.command,
      'a string',
      `Write the command that was run: ${quoteExcerpt(task.verify.command)}`,
    ],
    ['exit_code', draft.exitCode, 'a whole number', 'Run the command and write its exit code.'],
    ['output_summary', draft.outputSummary, 'a string', 'Summarise in one line what the command printed.'],
  ] as const;
  for (const [key, value, name, hint] of wanted) {
    if (value === null)
      log.add('field-type', ['verification', key], `verification.${key} is null, not ${name}.`, hint);
  }
}

/** The rules of each status, on the fields that could be read. */
export function judgeStatus(draft: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  if (draft.status === 'success') judgeSuccess(draft, task, log);
  if (draft.status === 'failure') judgeFailure(draft, log);
  if (draft.status === 'blocked') judgeBlocked(draft, log);
  if (draft.status && draft.status !== 'blocked' && task && !task.verify?.command) {
    const said = task.verify ? 'is not recognised as a command' : 'is missing';
    const message = `The <verify> of ${quoteExcerpt(task.name)} ${said}, so this ${draft.status} cannot be checked by running it.`;
    log.add(
      'unverified',
      ['verification'],
      message,
      'Describe in evidence what was checked and seen. To make it checkable, put a command into <verify><automated>…</automated></verify> of the task file.',
    );
  }
}

function judgeSuccess(draft: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  const { exitCode, doneCriteriaMet, error, evidence, outputSummary } = draft;
  if (typeof exitCode === 'number' && exitCode !== 0) {
    const message = `A success needs exit code 0; verification.exit_code is ${exitCode}.`;
    log.add(
      'exit-code-not-zero',
      ['verification', 'exit_code'],
      message,
      'Write status: failure, and the reason in error.',
    );
  }
  if (doneCriteriaMet === false) {
    const message = 'A success must meet its criteria; done_criteria_met is false.';
    log.add(
      'done-not-met',
      ['done_criteria_met'],
      message,
      'Write status: failure until all criteria are met.',
    );
  }
  if (typeof error === 'string') {
    const message = `A success must not have an error; error is ${describe(error)}.`;
    log.add('error-not-null', ['error'], message, 'Write error: null, without quotes.');
  }
  if (evidence?.trim() === '')
    log.add(
      'evidence-empty',
      ['evidence'],
      'evidence is empty.',
      'Describe what was done and how the criteria are met.',
    );
  judgeCommand(draft, task, log);
  if (outputSummary && findNoTestsMessage(outputSummary) !== null) {
    const message = `verification.output_summary says that no test ran: ${quoteExcerpt(outputSummary.trim())}.`;
    const hint = 'A command that passes without running a test proves nothing: check which tests it selects.';
    log.add('vacuous', ['verification', 'output_summary'], message, hint);
  }
}

function judgeCommand({ command }: ResultDraft, task: Task | undefined, log: ResultIssueLog): void {
  const planned = task?.verify?.command;
  if (!planned || typeof command !== 'string' || foldText(command) === foldText(planned)) return;
  const message = `verification.command is ${quoteExcerpt(command)}, but <verify> has ${quoteExcerpt(planned)}.`;
  log.add(
    'command-differs',
    ['verification', 'command'],
    message,
    'Run the command in <verify> and report that one.',
  );
}

function judgeFailure({ error, doneCriteriaMet }: ResultDraft, log: ResultIssueLog): void {
  requireError('failure', error, log);
  if (doneCriteriaMet === true) {
    const message = 'A failure cannot meet its criteria; done_criteria_met is true.';
    log.add('done-but-failed', ['done_criteria_met'], message, 'Write done_criteria_met: false.');
  }
}

function judgeBlocked(draft: ResultDraft, log: ResultIssueLog): void {
  const { error, filesModified, command, doneCriteriaMet } = draft;
  requireError('blocked result', error, log);
  const broken = (code: ResultIssueCode, path: string[], message: string, hint: string) =>
    log.add(code, path, `A blocked task must not ${message}.`, hint);
  if (filesModified && filesModified.length > 0) {
    const hint = 'Write files_modified: [], or status: failure if work was started.';
    broken(
      'files-but-blocked',
      ['files_modified'],
      `change files; files_modified lists ${filesModified.length}`,
      hint,
    );
  }
  if (typeof command === 'string') {
    const message = `run a verification; verification.command is ${describe(command)}`;
    broken(
      'command-but-blocked',
      ['verification', 'command'],
      message,
      'Write command: null, without quotes.',
    );
  }
  if (doneCriteriaMet === true) {
    const hint = 'Write done_criteria_met: false.';
    broken('done-but-blocked', ['done_criteria_met'], 'meet its criteria; done_criteria_met is true', hint);
  }
}

function requireError(what: string, error: string | null | undefined, log: ResultIssueLog): void {
  const hint = 'Describe in error what went wrong or what is missing, and name the task that it waits for.';
  if (error === null) log.add('error-null', ['error'], `A ${what} needs an error; error is null.`, hint);
  else if (error?.trim() === '') log.add('error-empty', ['error'], `The error of a ${what} is empty.`, hint);
}

/** The listed files, as written, grouped by what was found. */
export interface FileFindings {
  existing: string[];
  missing: string[];
  /** Not looked for, because they lead elsewhere. */
  elsewhere: string[];
  unplanned: string[];
  /** Compared with the real changes, if they are known. */
  unclaimed: string[];
  unchanged: string[];
}

export function judgeFiles(
  files: readonly string[],
  task: Task | undefined,
  { tree, filesChanged }: { tree: Tree; filesChanged?: readonly string[] | undefined },
  log: ResultIssueLog,
): FileFindings {
  const seen: FileFindings = {
    existing: [],
    missing: [],
    elsewhere: [],
    unplanned: [],
    unclaimed: [],
    unchanged: [],
  };
  const covers = task && coverOf(task.files, tree);
  const known = new Map<string, number>();
  const changed = filesChanged && withFolders(filesChanged);
  files.forEach((file, at) => {
    const field = ['files_modified', at];
    const path = readListed(file, field, log);
    if (path === undefined) {
      seen.elsewhere.push(file);
      return;
    }
    const before = known.get(path);
    if (before !== undefined) {
      log.add(
        'file-repeated',
        field,
        `${quoteExcerpt(file)} is listed twice, also as files_modified[${before}].`,
      );
      return;
    }
    known.set(path, at);
    // A changed file that does not exist was deleted, or is not in the project yet.
    if (tree.stat(path) || changed?.has(path)) {
      seen.existing.push(file);
    } else if (isAbsolute(file)) {
      seen.elsewhere.push(file);
      return;
    } else {
      seen.missing.push(file);
      const hint = 'List paths from the project root. A file that was deleted may stay in the list.';
      log.add('file-missing', field, `${quoteExcerpt(file)} does not exist.`, hint);
    }
    if (changed && !changed.has(path)) {
      seen.unchanged.push(file);
      const hint = 'List only files that were changed.';
      log.add('file-unchanged', field, `${quoteExcerpt(file)} is listed but was not changed.`, hint);
    }
    if (covers && !covers(path)) {
      seen.unplanned.push(file);
      const message = `${quoteExcerpt(file)} is not among the <files> of ${quoteExcerpt(task.name)}.`;
      log.add('file-unplanned', field, message, 'Explain in evidence why it had to change.');
    }
  });
  for (const path of filesChanged ?? [])
    if (!isUnder(known, path)) judgeUnclaimed(path, task, covers, seen, log);
  return seen;
}

function judgeUnclaimed(
  path: string,
  task: Task | undefined,
  covers: Covers | undefined,
  seen: FileFindings,
  log: ResultIssueLog,
): void {
  const field = ['files_modified'];
  seen.unclaimed.push(path);
  log.add(
    'file-unclaimed',
    field,
    `${quoteExcerpt(path)} was changed but is not listed.`,
    'List every file that was changed.',
  );
  if (!task || !covers || covers(path)) return;
  seen.unplanned.push(path);
  const message = `${quoteExcerpt(path)} was changed but is not among the <files> of ${quoteExcerpt(task.name)}.`;
  log.add('file-unplanned', field, message, 'Explain in evidence why it had to change.');
}

/** The paths and all their parent folders: listing a folder lists its content. */
function withFolders(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    let above = path;
    while (above !== '' && !all.has(above)) {
      all.add(above);
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
    }
  }
  return all;
}

function isUnder(listed: { has(path: string): boolean }, path: string): boolean {
  for (let above = path; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/'))))
    if (listed.has(above)) return true;
  return listed.has('.');
}

/** Its path from the root; undefined if it has none. */
function readListed(file: string, field: (string | number)[], log: ResultIssueLog): string | undefined {
  const read = readRootPath(file);
  const hint = 'Write the path from the project root, such as src/a.ts.';
  if (read.status === 'ok' && !isAbsolute(file)) return read.path;
  if (isAbsolute(file)) log.add('file-absolute', field, `${quoteExcerpt(file)} is an absolute path.`, hint);
  else if (read.status === 'outside')
    log.add('file-outside', field, `${quoteExcerpt(file)} ${read.reason}.`, hint);
  else if (read.status === 'invalid') {
    const name = file === '' ? `files_modified[${field[1]}]` : quoteExcerpt(file);
    log.add('file-invalid', field, `${name} ${file === '' ? `is ${describe(file)}` : read.reason}.`, hint);
  }
  return read.status === 'ok' ? read.path : undefined;
}

function isAbsolute(file: string): boolean {
  return file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file);
}

/** More than any plan has, and than any comparison takes; beyond it patterns cost more than a warning is worth. */
const MOST_PATTERNS = 500;
const MOST_STEPS = 100_000_000;

/** Whether a path is one of a task's files, in one of its folders, or matches one of its patterns. */
type Covers = (path: string) => boolean;

/** Undefined if the task names no file that can be read. */
export function coverOf(files: readonly TaskFile[], tree: Tree): Covers | undefined {
  const written = files.flatMap(({ path }) => spreadBraces(path));
  const paths = written.flatMap((path) => placeIn(tree, path) ?? []);
  if (paths.length === 0) return undefined;
  const exact = new Set(paths);
  const patterns = paths.filter((path) => /[*?]/.test(path));
  if (exact.has('.') || patterns.length > MOST_PATTERNS) return () => true;
  let left = MOST_STEPS;
  return (path) =>
    isUnder(exact, path) ||
    patterns.some((pattern) => {
      left -= pattern.length * path.length;
      return left < 0 || matchesPattern(pattern, path);
    });
}

/** `src/{a,b}.ts` is two paths. One pair of braces; others stay as they are. */
function spreadBraces(path: string): string[] {
  const open = path.indexOf('{');
  const close = path.indexOf('}', open);
  const inside = open === -1 || close === -1 ? '' : path.slice(open + 1, close);
  if (!inside.includes(',')) return [path];
  return inside.split(',').map((word) => `${path.slice(0, open)}${word.trim()}${path.slice(close + 1)}`);
}

/** `**` matches any number of folders, `*` any characters of a name, `?` one. What is under a match is covered too. */
function matchesPattern(pattern: string, path: string): boolean {
  const matchChar = (want: string, have: string) => want === '?' || want === have;
  const matchName = (want: string, have: string) =>
    matchNames(
      want.split('').map((char) => (char === '*' ? '**' : char)),
      have.split(''),
      matchChar,
    );
  return matchNames([...pattern.split('/'), '**'], path.split('/'), matchName);
}
