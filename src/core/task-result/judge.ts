import { matchTask } from '../task-plan/checkboxes.js';
import type { Task, TaskPlan } from '../task-plan/types.js';
import { listWords, quoteExcerpt } from '../text.js';
import type { Tree } from '../tree.js';
import { openResultLog, type ResultIssueLog } from './fields.js';
import { type FileFindings, judgeFiles, judgeNulls, judgeStatus } from './rules.js';
import type {
  Check,
  ResultDraft,
  ResultIssue,
  ResultIssueCode,
  ResultRead,
  ResultTaskMatch,
  Verdict,
  VerdictName,
} from './types.js';

/** The context that a result is judged in. */
export interface ResultSubject {
  plan: TaskPlan;
  /** As people know it: `03-01-PLAN.md`. */
  planName: string;
  /** The project after the work. */
  tree: Tree;
  /** The position of the task that was given to the executor: a result about another is INVALID. */
  expectedIndex?: number | undefined;
  /** The files that were actually changed, from the root. */
  filesChanged?: readonly string[] | undefined;
}

/** Whether a result is valid, and every rule that it breaks. Asks the tree only whether files exist. */
export function judgeResult(read: ResultRead, about: ResultSubject): Verdict {
  const { draft } = read;
  const openLog = () => openResultLog(read.lineOf);
  const [schema, status, name, files] = [openLog(), openLog(), openLog(), openLog()];
  const match = draft?.taskName === undefined ? null : findTask(draft.taskName, read, about, name);
  const task = match?.task;
  if (draft) {
    judgeNulls(draft, task, schema);
    judgeStatus(draft, task, status);
  }
  const seen = draft?.filesModified ? judgeFiles(draft.filesModified, task, about, files) : null;
  const groups = {
    schema: [...read.issues, ...schema.list()],
    status: status.list(),
    task: name.list(),
    files: files.list(),
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
    log.add('task-unknown', field, `${planName} has no task ${quoteExcerpt(written)}.`, hint);
    return null;
  }
  if ('ambiguous' in found) {
    const say = ({ name, line }: Task) => `${quoteExcerpt(name)} at line ${line}`;
    const message = `${quoteExcerpt(written)} matches ${found.ambiguous.length} tasks of ${planName}.`;
    const hint = `Write the full name of the intended task, or give each task a unique name: ${listWords(found.ambiguous, { say })}.`;
    log.add('task-ambiguous', field, message, hint);
    return null;
  }
  const { task, match, sameWords } = found;
  if (expectedIndex !== undefined && task !== asked) {
    const given = asked ? quoteExcerpt(asked.name) : `task ${expectedIndex}`;
    const message = `The result is about ${quoteExcerpt(task.name)}, but the task was ${given}.`;
    const way = asked
      ? `Do that task, report on it alone, and write task_name: ${quoteExcerpt(asked.name)}`
      : undefined;
    log.add('task-not-asked', field, message, way);
    return { task, match };
  }
  const hint = `Write task_name: ${quoteExcerpt(task.name)}`;
  if (match === 'folded')
    log.add('task-folded', field, `${quoteExcerpt(written)} was read as ${quoteExcerpt(task.name)}.`, hint);
  else if (match === 'number' && !sameWords)
    log.add(
      'task-words-differ',
      field,
      `${quoteExcerpt(written)} has the number of ${quoteExcerpt(task.name)} but other words.`,
      hint,
    );
  return { task, match };
}

/** If the name matches several tasks, the expected one is meant. */
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
  const names = listWords(tasks, { say: ({ name }) => quoteExcerpt(name) });
  return `Write task_name exactly as in the task file: ${names}.`;
}

/** The input of the check lines. */
interface Judged {
  draft: ResultDraft | null;
  match: ResultTaskMatch | null;
  seen: FileFindings | null;
  planName: string;
}

type Groups = Readonly<Record<Check['rule'], readonly ResultIssue[]>>;

/** A warning in two or three words, after what is correct. */
const NOTES: Partial<Record<ResultIssueCode, string>> = {
  'result-wrapped': 'extracted from the text around it',
  'text-unquoted': 'strings without quotes',
  'text-escaped': 'backslashes in double quotes',
  'text-ignored': 'words that YAML does not read',
  'field-unknown': 'unknown fields',
  'metadata-missing': 'metadata missing',
  'metadata-invalid': 'metadata ignored',
  'error-empty': 'error is empty',
  'evidence-empty': 'no evidence',
  'done-but-blocked': 'done_criteria_met=true',
  unverified: 'unverified',
  'command-differs': 'not the <verify> command',
  vacuous: 'no test ran',
  'task-folded': 'spelled differently',
  'task-words-differ': 'found by its number, other words',
};

function listChecks(groups: Groups, judged: Judged): Check[] {
  return [
    checkSchema(groups.schema),
    checkStatus(groups.status, judged),
    checkTask(groups.task, judged),
    checkFiles(groups.files, judged),
  ];
}

function checkSchema(issues: readonly ResultIssue[]): Check {
  const state = stateOf(issues);
  if (state !== 'failed') {
    return {
      rule: 'schema',
      state,
      said: `Schema complete: all required fields are present${notesOf(issues)}`,
    };
  }
  const errors = issues.filter(({ severity }) => severity === 'error');
  const said = listWords(errors, { say: describeFieldFault, most: 3 });
  return { rule: 'schema', state, said: `Schema incomplete: ${said}` };
}

function describeFieldFault(issue: ResultIssue): string {
  const { code, field } = issue;
  if (field === undefined) return sentence(issue).replace(/^The /, 'the ');
  if (code === 'field-missing') return `${field} is missing`;
  return code === 'status-unknown' ? 'status is not a status' : `${field} has the wrong type`;
}

function sentence({ message }: ResultIssue): string {
  return message.replace(/\.$/, '');
}

function checkStatus(issues: readonly ResultIssue[], { draft }: Judged): Check {
  const rule = 'status';
  if (!draft?.status)
    return { rule, state: 'not-checked', said: `Status not checked: ${missing('status', draft)}` };
  const state = stateOf(issues);
  const facts = STATUS_FACTS[draft.status](draft);
  if (state === 'failed') return { rule, state, said: `Status inconsistent: ${draft.status} with ${facts}` };
  if (facts.includes(UNREAD))
    return { rule, state: 'not-checked', said: `Status not checked: ${draft.status} with ${facts}` };
  return { rule, state, said: `Status consistent: ${draft.status} with ${facts}${notesOf(issues)}` };
}

const UNREAD = '(unread)';

const shown = (value: number | boolean | null | undefined) => (value === undefined ? UNREAD : String(value));
const errorOf = ({ error }: ResultDraft) =>
  error === undefined ? `error=${UNREAD}` : error === null ? 'error=null' : 'an error';
const doneOf = ({ doneCriteriaMet }: ResultDraft) => `done_criteria_met=${shown(doneCriteriaMet)}`;

const STATUS_FACTS = {
  success: (draft: ResultDraft) => {
    const facts = [`exit_code=${shown(draft.exitCode)}`, doneOf(draft)];
    return listWords(draft.error === null ? facts : [...facts, errorOf(draft)]);
  },
  failure: (draft: ResultDraft) => listWords([errorOf(draft), doneOf(draft)]),
  blocked: (draft: ResultDraft) => {
    const { filesModified: files, command } = draft;
    const listed = files === undefined ? `files ${UNREAD}` : files.length === 0 ? 'no files' : 'files';
    const ran = command === undefined ? `command=${UNREAD}` : command === null ? 'no command' : 'a command';
    return listWords([errorOf(draft), listed, ran]);
  },
};

function checkTask(issues: readonly ResultIssue[], { draft, match, planName }: Judged): Check {
  const rule = 'task';
  const state = stateOf(issues);
  if (match && state !== 'failed') {
    const said = `Task name match: found ${quoteExcerpt(match.task.name)} in ${planName}${notesOf(issues)}`;
    return { rule, state, said };
  }
  if (draft?.taskName === undefined)
    return { rule, state: 'not-checked', said: `Task name not checked: ${missing('task_name', draft)}` };
  return { rule, state: 'failed', said: `Task name match: ${issues.map(sentence).join('; ')}` };
}

function checkFiles(issues: readonly ResultIssue[], { draft, seen }: Judged): Check {
  const rule = 'files';
  if (!seen || !draft?.filesModified)
    return { rule, state: 'not-checked', said: `Files not checked: ${missing('files_modified', draft)}` };
  const { existing, missing: gone, elsewhere, unplanned, unclaimed, unchanged } = seen;
  const count = existing.length > MOST_NAMES ? `${existing.length} files exist: ${nameFiles(existing)}` : '';
  const parts = [
    count || (existing.length > 0 && `${nameFiles(existing)} ${existing.length === 1 ? 'exists' : 'exist'}`),
    gone.length > 0 && `${nameFiles(gone)} ${gone.length === 1 ? 'does' : 'do'} not exist`,
    elsewhere.length > 0 && `${nameFiles(elsewhere)} not checked`,
    unplanned.length > 0 && `${nameFiles(unplanned)} not in <files>`,
    unclaimed.length > 0 && `${nameFiles(unclaimed)} changed but not listed`,
    unchanged.length > 0 && `${nameFiles(unchanged)} not changed`,
  ].filter((part) => part !== false);
  return { rule, state: stateOf(issues), said: `Files exist: ${parts.join('; ') || 'none listed'}` };
}

const MOST_NAMES = 3;

function nameFiles(files: readonly string[]): string {
  const say = (file: string) => (/^[!-~]{1,120}$/.test(file) ? file : quoteExcerpt(file));
  return listWords(files, { say, most: MOST_NAMES });
}

function missing(field: string, draft: ResultDraft | null): string {
  return draft ? `no valid ${field}` : 'the result cannot be read';
}

function stateOf(issues: readonly ResultIssue[]): 'passed' | 'warned' | 'failed' {
  if (issues.some(({ severity }) => severity === 'error')) return 'failed';
  return issues.some(({ severity }) => severity === 'warning') ? 'warned' : 'passed';
}

function notesOf(issues: readonly ResultIssue[]): string {
  const notes = new Set(issues.flatMap(({ code }) => NOTES[code] ?? []));
  return notes.size === 0 ? '' : `; ${[...notes].join(', ')}`;
}
