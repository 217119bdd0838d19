import { error, type Issue, type IssueMeaning, info, issueMaker, warning } from '../issue.js';
import type { Task } from '../task-plan/types.js';

export type ResultStatus = 'success' | 'failure' | 'blocked';

/**
 * What an executor returned, once every required field is there and of its type. Whether the nulls in `verification`
 * are in order depends on the status and the task: the verdict says so.
 */
export interface TaskResult {
  status: ResultStatus;
  taskName: string;
  filesModified: string[];
  verification: { command: string | null; exitCode: number | null; outputSummary: string | null };
  doneCriteriaMet: boolean;
  evidence: string;
  error: string | null;
  /** Null if it is missing or makes no sense. */
  metadata: { durationMs: number | null; attempt: number | null; executorId: string | null };
}

type FlatResult = Omit<TaskResult, 'verification' | 'metadata'> & TaskResult['verification'];

/** A result of which each field is undefined unless it is of its type. */
export type ResultDraft = { [key in keyof FlatResult]: FlatResult[key] | undefined } & Pick<
  TaskResult,
  'metadata'
>;

/** A text that should hold one result. */
export interface ResultRead {
  /**
   * The YAML itself, whole lines of the text: all of it but a byte order mark and the marks around a document, or what
   * was found in a fence or between other words.
   */
  yaml: string;
  /** 1-based line of the text at which it starts. */
  firstLine: number;
  /** It was in a fence or had text around it. */
  wrapped: boolean;
  /** Every field that could be read; null if there is no mapping at all. */
  fields: Readonly<Record<string, unknown>> | null;
  /** The fields of a result, each as far as it is of its type; null if there is no mapping at all. */
  draft: ResultDraft | null;
  /** Null when something required is missing or of the wrong type: the issues say what. */
  result: TaskResult | null;
  /** Issues with the schema; the verdict adds more. */
  issues: ResultIssue[];
  /** 1-based line of the text at which a field is, or the last thing on the way to it that is there. */
  lineOf(path: FieldPath): number;
}

type MatchKind = 'exact' | 'number' | 'folded';

export interface ResultTaskMatch {
  task: Task;
  match: MatchKind;
}

export type VerdictName = 'VALID' | 'VALID_WITH_WARNINGS' | 'INVALID';

/** The judgement on a result: processed or rejected, with every rule that it broke. */
export interface Verdict {
  verdict: VerdictName;
  /** Of the schema first, then of status, task and files. */
  issues: ResultIssue[];
  /** Null when something required is missing or of the wrong type. */
  result: TaskResult | null;
  /** The task, if at least its name can be read; null if none matches, or several do. */
  match: ResultTaskMatch | null;
  /** The list that a person sees, one line for each group of rules. */
  checks: Check[];
}

export interface Check {
  rule: 'schema' | 'status' | 'task' | 'files';
  state: 'passed' | 'warned' | 'failed' | 'not-checked';
  /** A whole line without its mark: `Status consistent: success with exit_code=0 and done_criteria_met=true`. */
  said: string;
}

/** Every issue that a result can have. Errors make it INVALID. */
export const RESULT_ISSUES = {
  'result-empty': error('The result is empty.'),
  'result-too-large': error('The result is larger than 10 MB.'),
  'result-ambiguous': error('The text contains two different results, so neither is used.'),
  'result-not-yaml': error('It is not one valid YAML document.'),
  'result-not-mapping': error('It is not a mapping of `key: value` lines.'),
  'field-missing': error('A required field is missing.'),
  'field-type': error('A required field has the wrong type or no value.'),
  'status-unknown': error('`status` is neither success, failure nor blocked.'),

  'exit-code-not-zero': error('A success has an exit code other than 0.'),
  'done-not-met': error('A success has `done_criteria_met: false`.'),
  'error-not-null': error('A success has an `error`.'),
  'error-null': error('A failure or a blocked task has no `error`.'),
  'done-but-failed': error('A failure has `done_criteria_met: true`.'),
  'files-but-blocked': error('A blocked task lists files that it changed.'),
  'command-but-blocked': error('A blocked task names a verification command.'),

  'task-unknown': error('The task file has no task with this name.'),
  'task-ambiguous': error('More than one task of the file has this name.'),
  'task-not-asked': error('It is about another task than the executor was given.'),

  'result-wrapped': warning('The result was in a fence or between other words; it was extracted.'),
  'text-unquoted': warning('YAML would drop words of this string without quotes; all of it is kept.'),
  'text-escaped': warning(
    'In double quotes YAML reads a backslash and a letter as one character, as in `"C:\\new"`.',
  ),
  'text-ignored': warning('YAML does not read this as a value: a comment after one, an anchor or a tag.'),
  'field-unknown': warning('The schema has no such field; it is kept but not used.'),
  'metadata-missing': warning('Optional metadata is missing.'),
  'metadata-invalid': warning('Metadata has the wrong type or an impossible value; it is ignored.'),
  'error-empty': warning('The `error` of a failure or a blocked task is empty.'),
  'evidence-empty': warning('A success has no evidence.'),
  'done-but-blocked': warning('A blocked task has `done_criteria_met: true`.'),
  unverified: warning('The task has no command in `<verify>`, so the claim cannot be checked.'),
  'command-differs': warning('A success was verified with another command than in `<verify>`.'),
  vacuous: warning('The summary of a success says that no test ran.'),
  'task-folded': warning('The task was found only after folding case, spacing and punctuation.'),
  'task-words-differ': warning('The task was found by its number, but its words differ.'),
  'file-missing': warning('A listed file does not exist.'),
  'file-absolute': warning('A listed path starts at the root of a disk instead of the project.'),
  'file-outside': warning('A listed path leads out of the project.'),
  'file-invalid': warning('A listed path is not a valid path.'),
  'file-unplanned': warning('A listed or changed file is not among the `<files>` of the task.'),
  'file-unclaimed': warning('A file was changed but not listed.'),
  'file-unchanged': warning('A listed file was not changed.'),
  'file-repeated': info('A file is listed twice.'),
} as const satisfies Record<string, IssueMeaning>;

export type ResultIssueCode = keyof typeof RESULT_ISSUES;

/** `field` is where in the result: `verification.exit_code`, `files_modified[0]`; absent where it is about all of it. */
export type ResultIssue = Issue<ResultIssueCode> & { field?: string };

/** Path of a field: `['verification', 'exit_code']`, `['files_modified', 2]`. */
export type FieldPath = readonly (string | number)[];

export const resultIssue = issueMaker<ResultIssue>(RESULT_ISSUES);
