import type { Issue } from '../core/issue.js';
import type { Task } from '../core/task-plan/types.js';
import type { ResultStatus } from '../core/task-result/types.js';
import { saysNoTestRan } from '../core/task-result/vacuous.js';
import type { Submission } from './types.js';

// What there is to say of a result that no rule forbids.

export interface Circumstances {
  task: Task;
  status: ResultStatus;
  late: boolean;
  waits: readonly string[];
  behind: readonly string[];
  /** Everything that it is behind is done. */
  isFree: boolean;
  submission: Submission;
}

export function noteCircumstances(circumstances: Circumstances): Issue[] {
  const { task, status, late, waits, behind, isFree, submission } = circumstances;
  const { verified, superseded, refused } = submission;
  const notes: Issue[] = [];
  const add = (code: string, message: string) => notes.push({ code, severity: 'warning', message });
  if (superseded)
    add(
      'result-superseded',
      `Nobody waited for this attempt at ${task.name} any more: it is logged and counted, and PLAN.md stays as it is.`,
    );
  else if (late)
    add('result-late', `A later attempt at ${task.name} was captured before: PLAN.md stays as it is.`);
  else if (task.status === 'completed' && status !== 'success')
    add('task-uncompleted', `${task.name} was completed, and is not any more.`);
  if (waits.length > 0 && status !== 'blocked')
    add('task-waited', `${task.name} was to wait for ${waits.join(', ')}.`);
  if (behind.length > 0) {
    const isOne = behind.length === 1;
    const what = isFree
      ? `says that it is blocked by ${behind.join(', ')}, which ${isOne ? 'is' : 'are'} done: it can be started again`
      : `is blocked by ${behind.join(', ')}, and is queued behind ${isOne ? 'it' : 'them'}`;
    add('task-queued', `${task.name} ${what}.`);
  }
  if (verified?.run.vacuous) {
    const said = saysNoTestRan(verified.run.outputSummary);
    add(
      'vacuous',
      `The verification passed, but no test ran${said === null ? '' : `: ${said.replace(/[.!]+$/, '')}`}. That proves nothing, so ${task.name} is not done.`,
    );
  }
  if (verified?.run.flaky)
    add('flaky', 'The verification failed, and passed when it was run again: it is flaky.');
  if (refused !== undefined) add('result-refused', refused);
  return notes;
}

/** `kept` is where the text is that changed nothing. */
export function keyReused(log: string, kept?: string): Issue {
  const message = `This key was given before to another text, which stands: ${log}.`;
  return {
    code: 'key-reused',
    severity: kept === undefined ? 'error' : 'warning',
    message: kept === undefined ? message : `${message} This one changed nothing and is kept in ${kept}.`,
    hint: 'Give each result a key of its own; a true retry says its attempt.',
  };
}

export function markedAgain(path: string): Issue {
  const message = `${path} did not show this result any more, and does so again.`;
  return { code: 'marked-again', severity: 'warning', message };
}
