import { fenceFor } from '../../core/markdown/lines.js';
import { readRootPath } from '../../core/path.js';
import { findSentinel } from '../../core/redact/values.js';
import type { TaskPlan } from '../../core/task-plan/types.js';
import { cutText } from '../../core/text.js';
import type { Tree } from '../../core/tree.js';
import type { ExecutorFailure, FailureKind } from '../events.js';
import type { GraphTask } from '../graph/types.js';
import { type AttemptJournal, countedFailures } from '../journal.js';
import type { ProjectState } from '../project-state.js';

export interface PromptSubject {
  task: GraphTask;
  /** Of the earlier attempts, in order. */
  failures: readonly ExecutorFailure[];
  /** The user's instruction. */
  fix: string | null;
  attempt: number;
  /** How many more may follow this one before the user is asked. */
  attemptsLeft: number;
  isolation: 'worktree' | 'none';
  /** The folder in which the work is done. */
  tree: Tree;
  /** The parts of the task file that concern all its tasks. */
  plan: Pick<TaskPlan, 'objective' | 'context'>;
  /** Secrets become masks. */
  mask(text: string): string;
}

/** What the prompt of an attempt depends on, besides the attempt itself. */
export interface PromptContext {
  journal: Pick<AttemptJournal, 'of'>;
  state: ProjectState;
  limits: { maxAttempts: number };
  isolation: { kind: 'worktree' | 'none' };
  mask(text: string): string;
}

/** The prompt of one attempt: what the executor gets, and what `teddy task brief` shows. `tree`: where the work is done. */
export function writePrompt(
  { task, number, decisions }: { task: GraphTask; number: number; decisions: number },
  tree: Tree,
  { journal, state, limits, isolation, mask }: PromptContext,
): string {
  const history = journal.of(task.id);
  const failures = history.ended.flatMap(({ failure }) => failure ?? []);
  return renderExecutorPrompt({
    task,
    plan: state.planOf(task)?.plan ?? { objective: null, context: null },
    failures: failures.length > 0 ? failures : state.earlierFailure(task),
    fix: state.instruction(task.id),
    attempt: number,
    attemptsLeft: limits.maxAttempts - countedFailures(history, decisions).length - 1,
    isolation: isolation.kind,
    tree,
    mask,
  });
}

/** One above every attempt that counted. */
export function nextAttemptNumber(
  { id }: GraphTask,
  { journal, state }: Pick<PromptContext, 'journal' | 'state'>,
): number {
  const ended = journal.of(id).ended.filter(({ outcome }) => outcome !== 'cut-off');
  return Math.max(state.lastAttempt(id), 0, ...ended.map(({ attempt }) => attempt)) + 1;
}

/**
 * The prompt for one attempt. On a retry, the user's instruction comes first, then the failures; what to print comes
 * last, under the heading `## The result`.
 */
export function renderExecutorPrompt(subject: PromptSubject): string {
  const { task, plan, tree, mask } = subject;
  const parts = [
    describeFailures(subject),
    describeTask(task, subject),
    describePlan(plan),
    describeVerify(task),
    describeContext(gatherContextFiles(task, plan.context, tree, mask)),
    describeRules(subject),
  ];
  const text = mask(parts.filter((part) => part !== '').join('\n'));
  const masks = findSentinel(text) === undefined ? '' : `\n${MASKED}`;
  return `${text}${masks}\n${mask(describeResult(task, subject.attempt))}`;
}

const MASKED =
  '`[masked:xxxxxxxx]` replaces a secret that is not shown to you. Never write it into a file: leave such lines unchanged.\n';

function describeTask({ id, name, plan, task }: GraphTask, subject: PromptSubject): string {
  return `# ${name}

Do task ${id} of \`${plan.path}\`. ${countAttempts(subject)} No one
answers questions: if something is unclear, decide, and state your decision in the evidence. The task, as written:

${fence(task.source, 'xml')}
`;
}

function countAttempts({ attempt, attemptsLeft }: PromptSubject): string {
  const which = attempt === 1 ? 'the first attempt' : `attempt ${attempt}`;
  if (attemptsLeft > 0) return `This is ${which}; ${attemptsLeft} more may follow.`;
  return `This is ${which}, the last one before the user is asked.`;
}

function describePlan({ objective, context }: Pick<TaskPlan, 'objective' | 'context'>): string {
  return [
    ...(objective === null ? [] : [`The objective of the whole task file:\n\n${fence(objective)}\n`]),
    ...(context === null ? [] : [`Its context:\n\n${fence(context)}\n`]),
  ].join('\n');
}

function describeVerify({ task }: GraphTask): string {
  const { verify } = task;
  if (verify === null) {
    return `## Verification

The task names no way to verify it. Find one, use it, and report what you did and what you saw.
`;
  }
  if (verify.command === null) {
    return `## Verification

Verify the task as follows, and report what you did and what you saw:

${fence(verify.text)}
`;
  }
  return `## Verification

After you finish, teddy runs this command, and the task counts as done only if it succeeds. Run it yourself first, and
report the exit code that you saw:

${fence(verify.command, 'sh')}
`;
}

function describeContext({ shown, leftOut }: ContextFiles): string {
  if (shown.length === 0 && leftOut.length === 0) return '';
  const files = shown.map(({ path, text, cut }) => {
    const note =
      cut === 0 ? '' : `\nThe last ${cut} characters of ${path} are not shown. Read them in the file.\n`;
    return `### ${path}\n\n${fence(text)}\n${note}`;
  });
  const rest = leftOut.map((sentence) => `- ${sentence}\n`).join('');
  return [
    '## Files\n\nTheir current content in your folder.\n',
    ...files,
    ...(rest === '' ? [] : [`Named by the task, but not shown:\n\n${rest}`]),
  ].join('\n');
}

function describeRules({ task, isolation }: PromptSubject): string {
  const place =
    isolation === 'worktree'
      ? 'The current folder is your own git worktree. You may commit or not: what you leave there lands if the verification passes. Do not switch branches, and do not push.'
      : 'The current folder is the project itself, and others may be working in it. Change only what this task is about, and do not commit.';
  return `## Rules

- Work only inside the current folder. ${place}
- Do not change \`${task.plan.path}\`, any other PLAN.md, STATE.md, \`.teddy\` or \`.ultraplan\`: teddy records your result there.
- Do not submit the result with \`teddy result submit\`. Print it.
- Stop every process that you started before you finish.
- Claim only what you have done and seen. A reported failure is worth more than a false success.
`;
}

function fence(text: string, language = ''): string {
  const marks = fenceFor(text, '`', 3);
  return `${marks}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${marks}`;
}

const KINDS: Readonly<Record<FailureKind, string>> = {
  reported: 'reported as failed',
  invalid: 'the output was not a valid result',
  verification: 'the verification failed',
  vacuous: 'the verification passed without running any test',
  conflict: 'the changes conflicted with other work that landed first',
  crash: 'it ended without a result',
  'rate-limit': 'the service refused it (rate limit)',
  'time-out': 'it took too long',
};

/** The oldest failures matter least. */
const MOST_FAILURES = 5;
const MOST_FILES = 50;
const LONGEST_REASON = 8000;
const LONGEST_EVIDENCE = 4000;

/** The user's instruction and the failures so far; empty if there are none. */
function describeFailures({ failures, fix, mask }: PromptSubject): string {
  const last = failures.slice(-MOST_FAILURES);
  const earlier = failures.length - last.length;
  return [
    ...(fix === null
      ? []
      : [`# Instruction from the user\n\nThis takes precedence over everything else:\n\n${quote(fix)}`]),
    ...(failures.length === 0 ? [] : ['# Earlier attempts\n', LEAD]),
    ...(earlier === 0 ? [] : [`${earlier} older attempts are not listed.\n`]),
    ...last.map((failure) => describeFailure(failure, mask)),
  ].join('\n');
}

const LEAD = `This task was attempted before and is not done. The changes of those attempts are not in your folder, unless you find
them there. Find out why they failed, and do something different.
`;

function describeFailure(failure: ExecutorFailure, mask: PromptSubject['mask']): string {
  const { attempt, kind, reason, evidence, filesChanged } = failure;
  return [
    `## Attempt ${attempt}: ${KINDS[kind]}\n`,
    quote(cut(mask(reason), LONGEST_REASON)),
    ...(evidence === null
      ? []
      : [`What it did, in its own words:\n\n${quote(cut(mask(evidence), LONGEST_EVIDENCE))}`]),
    ...(filesChanged === null ? [] : [`${describeFiles(filesChanged)}\n`]),
  ].join('\n');
}

function describeFiles(files: readonly string[]): string {
  if (files.length === 0) return 'It changed no files.';
  const more = files.length - MOST_FILES;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `It changed ${files.slice(0, MOST_FILES).join(', ')}${rest}.`;
}

function quote(text: string): string {
  return `${fence(text.trimEnd())}\n`;
}

/** Keeps both ends: the cause is usually in one of them. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const [head, tail] = [text.slice(0, most / 2), text.slice(-most / 2)].map(dropHalves);
  return `${head}\n… ${text.length - most} characters omitted …\n${tail}`;
}

/** Removes characters that were cut in two. */
function dropHalves(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/** The part of a task's context that can be shown. */
interface ContextFiles {
  shown: ShownFile[];
  /** Sentences about what is not shown; each names its path. */
  leftOut: string[];
}

interface ShownFile {
  path: string;
  text: string;
  /** How many characters at the end are not shown. */
  cut: number;
}

/** In characters. */
const OF_ONE = 50_000;
const OF_ALL = 200_000;

/**
 * The files that a task must read first, its own existing files, and those that `<context>` refers to with `@`. What does
 * not fit is left out and listed.
 */
function gatherContextFiles(
  task: GraphTask,
  context: string | null,
  tree: Tree,
  mask: (text: string) => string,
): ContextFiles {
  const files: ContextFiles = { shown: [], leftOut: [] };
  let room = OF_ALL;
  for (const { written, required } of wantedFiles(task, context)) {
    const name = readRootPath(written);
    if (name.status !== 'ok') {
      files.leftOut.push(`${written} ${name.reason}.`);
      continue;
    }
    const { path } = name;
    const read = tree.text(path);
    if (read.status === 'missing') {
      if (required) files.leftOut.push(`${path} does not exist.`);
    } else if (read.status === 'refused') {
      files.leftOut.push(`${path} ${read.reason}.`);
    } else {
      const whole = mask(read.text);
      const most = Math.min(OF_ONE, room);
      if (most < whole.length && most < OF_ONE) {
        files.leftOut.push(`${path} has ${whole.length} characters, more than fits here.`);
        continue;
      }
      const text = cutText(whole, most);
      files.shown.push({ path, text, cut: whole.length - text.length });
      room -= text.length;
    }
  }
  return files;
}

interface WantedFile {
  written: string;
  /** The task expects it to exist. */
  required: boolean;
}

/** Each once, most useful first. */
function wantedFiles({ task, files }: GraphTask, context: string | null): WantedFile[] {
  const all = [
    ...task.readFirst.map(({ path }) => ({ written: path, required: true })),
    ...files.map((path) => ({ written: path, required: false })),
    ...findReferences(context ?? '').map((path) => ({ written: path, required: true })),
  ].map((file) => ({ ...file, written: file.written.replace(/^@/, '') }));
  const seen = new Map<string, WantedFile>();
  for (const file of all) {
    const read = readRootPath(file.written);
    const key = read.status === 'ok' ? read.path : file.written;
    if (key !== '.' && !seen.has(key)) seen.set(key, file);
  }
  return [...seen.values()];
}

/** `@src/a.ts` at the start of a word; not `you@example.org`. */
function findReferences(context: string): string[] {
  return [...context.matchAll(/(?<![^\s([`"'])@([^\s`"'<>()[\]]{1,500})/g)].flatMap(([, path]) => {
    const bare = path!.replace(/[.,;:!?]{1,20}$/, '');
    return bare === '' ? [] : [bare];
  });
}

/** What to print, with an example of each status for this task. Every example is a valid result. */
function describeResult(task: GraphTask, attempt: number): string {
  return `## The result

When you have finished, print one YAML mapping to standard output, as the last thing, with no other text and no fence
around it. These fields are required, except metadata:

- status: \`success\`, \`failure\` (you tried, and it is not done) or \`blocked\` (it cannot be started).
- task_name: ${quoted(task.name)}, exactly as here.
- files_modified: every file that you created, changed or deleted, as paths from the project root; \`[]\` if none.
- verification: the command that you ran, its exit code, and one line about its output.
- done_criteria_met: \`true\` only if everything that the task asks for is done; required for a success, \`false\` otherwise.
- evidence: what you did and how you know that it is done, in your own words.
- error: \`null\` for a success; otherwise what went wrong or what is missing. If it is blocked by another task, name that task.

A success, with your own facts:

${writeExample(task, attempt, 'success')}

A failure:

${writeExample(task, attempt, 'failure')}

Blocked: you changed nothing and ran nothing:

${writeExample(task, attempt, 'blocked')}
`;
}

const WORDS = {
  success: {
    evidence: 'What I did, and what shows that it is done.',
    error: 'null',
    summary: 'What the command printed, in one line',
    exitCode: 0,
  },
  failure: {
    evidence: 'What I tried, and how far I got.',
    error: '"What went wrong, and what I would try next"',
    summary: 'The error that the command printed',
    exitCode: 1,
  },
  blocked: {
    evidence: 'Where I looked, and what is missing.',
    error: '"What is missing, and which task must be done first"',
    summary: null,
    exitCode: null,
  },
} as const;

function writeExample(task: GraphTask, attempt: number, status: keyof typeof WORDS): string {
  const { evidence, error, summary, exitCode } = WORDS[status];
  const files = status === 'blocked' ? [] : exampleFiles(task);
  const command = status === 'blocked' ? null : (task.task.verify?.command ?? null);
  const example = [
    `status: ${status}`,
    `task_name: ${quoted(task.name)}`,
    ...(files.length === 0
      ? ['files_modified: []']
      : ['files_modified:', ...files.map((file) => `  - ${quoted(file)}`)]),
    'verification:',
    `  command: ${command === null ? 'null' : quoted(command)}`,
    `  exit_code: ${exitCode ?? 'null'}`,
    `  output_summary: ${summary === null ? 'null' : quoted(summary)}`,
    `done_criteria_met: ${status === 'success'}`,
    'evidence: |',
    `  ${evidence}`,
    `error: ${error}`,
    'metadata:',
    `  attempt: ${attempt}`,
  ].join('\n');
  const marks = fenceFor(example, '`', 3);
  return `${marks}yaml\n${example}\n${marks}`;
}

/** The task's own files are the most likely ones. */
function exampleFiles({ files }: GraphTask): readonly string[] {
  return files.length > 0 ? files.slice(0, 3) : ['path/to/file'];
}

/** As a YAML string, whatever it contains. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
