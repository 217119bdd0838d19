import type { Task } from '../task-plan/types.js';
import type { FieldPath, ResultIssue } from './issues.js';

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
  /** Null where it is missing or makes no sense. */
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
  /** Every field that could be read; null where there is no mapping at all. */
  fields: Readonly<Record<string, unknown>> | null;
  /** The fields of a result, each as far as it is of its type; null where there is no mapping at all. */
  draft: ResultDraft | null;
  /** Null when something required is missing or of the wrong type: the issues say what. */
  result: TaskResult | null;
  /** What the schema says of it; more comes with the verdict. */
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
  /** The task that it speaks of, if only its name can be read; null where there is none, or more than one. */
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
