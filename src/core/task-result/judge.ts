import { matchTask } from '../task-plan/match.js';
import type { Task, TaskPlan } from '../task-plan/types.js';
import type { Tree } from '../tree.js';
import { listChecks } from './checks.js';
import { type ResultDraft, readDraft } from './fields.js';
import { judgeFiles } from './file-rules.js';
import { ResultIssueLog } from './issue-log.js';
import { judgeNulls, judgeStatus } from './status-rules.js';
import type { ResultIssue, ResultRead, ResultTaskMatch, Verdict, VerdictName } from './types.js';
import { listWords, quoteValue } from './wording.js';

/** What a result speaks of. */
export interface ResultSubject {
  plan: TaskPlan;
  /** As people know it: `03-01-PLAN.md`. */
  planName: string;
  /** The project after the work. */
  tree: Tree;
  /** The position of the task that was given to the executor: a result about another is INVALID. */
  expectedIndex?: number;
  /** What the work really changed, as paths from the root. */
  filesChanged?: readonly string[];
}

/** Whether a result is to be processed, and every rule that it breaks. Asks the tree only whether files exist. */
export function judgeResult(read: ResultRead, about: ResultSubject): Verdict {
  const draft: ResultDraft | null = read.fields && readDraft(read.fields);
  const [schema, status, name, files] = [0, 1, 2, 3].map(() => new ResultIssueLog(read.lineOf)) as [
    ResultIssueLog,
    ResultIssueLog,
    ResultIssueLog,
    ResultIssueLog,
  ];
  const match = draft?.taskName === undefined ? null : findTask(draft.taskName, read, about, name);
  const task = match?.task;
  if (draft) {
    judgeNulls(draft, task, schema);
    judgeStatus(draft, task, status);
  }
  const seen = draft?.filesModified ? judgeFiles(draft.filesModified, task, about, files) : null;
  const groups = {
    schema: [...read.issues, ...schema.issues],
    status: status.issues,
    task: name.issues,
    files: files.issues,
  };
  const issues = Object.values(groups).flat();
  return {
    verdict: nameVerdict(issues),
    issues,
    result: read.result,
    match,
    checks: listChecks(groups, { draft, match, seen, planName: about.planName }),
  };
}

function nameVerdict(issues: readonly ResultIssue[]): VerdictName {
  if (issues.some(({ severity }) => severity === 'error')) return 'INVALID';
  return issues.some(({ severity }) => severity === 'warning') ? 'VALID_WITH_WARNINGS' : 'VALID';
}

function findTask(
  written: string,
  read: ResultRead,
  about: ResultSubject,
  log: ResultIssueLog,
): ResultTaskMatch | null {
  const { plan, planName, expectedIndex } = about;
  const asked = expectedIndex === undefined ? undefined : plan.tasks[expectedIndex - 1];
  const found = chooseAsked(matchTask(plan, written) ?? matchCut(plan, written, read), asked);
  const field = ['task_name'];
  if (found === undefined) {
    const hint = nameTasks(plan.tasks, planName);
    log.add('task-unknown', field, `${planName} has no task ${quoteValue(written)}.`, hint);
    return null;
  }
  if ('ambiguous' in found) {
    const message = `${quoteValue(written)} fits ${found.ambiguous.length} tasks of ${planName}.`;
    const where = listWords(found.ambiguous, ({ name, line }) => `${quoteValue(name)} at line ${line}`);
    const hint = `Write the whole name of the one that is meant, or give each task of the plan its own: ${where}.`;
    log.add('task-ambiguous', field, message, hint);
    return null;
  }
  const { task, match, sameWords } = found;
  if (expectedIndex !== undefined && task !== asked) {
    const given = asked ? quoteValue(asked.name) : `task ${expectedIndex}`;
    const message = `The result is about ${quoteValue(task.name)}, and what was asked for is ${given}.`;
    const way = asked
      ? `Do that task, report on it alone, and write task_name: ${quoteValue(asked.name)}`
      : undefined;
    log.add('task-not-asked', field, message, way);
    return { task, match };
  }
  const hint = `Write task_name: ${quoteValue(task.name)}`;
  if (match === 'folded')
    log.add('task-folded', field, `${quoteValue(written)} was taken for ${quoteValue(task.name)}.`, hint);
  else if (match === 'number' && !sameWords)
    log.add(
      'task-words-differ',
      field,
      `${quoteValue(written)} has the number of ${quoteValue(task.name)}, and other words.`,
      hint,
    );
  return { task, match };
}

/** Of several that a name fits, the one that was asked for is meant. */
function chooseAsked(
  found: ReturnType<typeof matchTask>,
  asked: Task | undefined,
): ReturnType<typeof matchTask> {
  if (!asked || !found || !('ambiguous' in found) || !found.ambiguous.includes(asked)) return found;
  return { task: asked, match: 'exact', sameWords: true };
}

/** What follows a name without quotes may be a comment after all. */
function matchCut(plan: TaskPlan, written: string, { issues }: ResultRead): ReturnType<typeof matchTask> {
  const isUnquoted = issues.some(({ code, field }) => code === 'text-unquoted' && field === 'task_name');
  return isUnquoted ? matchTask(plan, written.replace(/\s#.*$/s, '').trimEnd()) : undefined;
}

function nameTasks(tasks: readonly Task[], planName: string): string {
  if (tasks.length === 0) return `${planName} has no tasks.`;
  return `Write task_name as the plan has it: ${listWords(tasks, ({ name }) => quoteValue(name))}.`;
}
