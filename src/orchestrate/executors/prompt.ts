import { fenceFor } from '../../core/markdown/lines.js';
import { readRootPath } from '../../core/path.js';
import { findSentinel } from '../../core/redact/sentinel.js';
import { parseTaskPlan } from '../../core/task-plan/parse.js';
import type { TaskPlan } from '../../core/task-plan/types.js';
import { cutText } from '../../core/text.js';
import type { Tree } from '../../core/tree.js';
import type { ExecutorFailure, FailureKind } from '../events.js';
import type { GraphTask } from '../graph/types.js';

export interface PromptSubject {
  task: GraphTask;
  /** Of attempts before this one, in their order. */
  failures: readonly ExecutorFailure[];
  /** What a person wants to be done otherwise. */
  fix: string | null;
  attempt: number;
  /** How many more may follow this one, before a person is asked. */
  attemptsLeft: number;
  isolation: 'worktree' | 'none';
  /** The folder in which the work is done. */
  tree: Tree;
  /** What the plan says for all its tasks; read from the tree where it is not given. */
  plan?: Pick<TaskPlan, 'objective' | 'context'>;
  /** Secrets become masks. */
  mask(text: string): string;
}

/**
 * All that an executor is told of one attempt. On a retry what a person says comes first, then what went wrong; what is to
 * be printed comes last, under the heading `## The result`.
 */
export function renderExecutorPrompt(subject: PromptSubject): string {
  const { task, tree, mask } = subject;
  const plan = subject.plan ?? readPlan(task, tree);
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
  '`[masked:xxxxxxxx]` stands for a secret that is not shown to you. Never write it into a file: leave such lines as they are.\n';

function readPlan({ plan }: GraphTask, tree: Tree): Pick<TaskPlan, 'objective' | 'context'> {
  const read = tree.text(plan.path);
  return read.status === 'text' ? parseTaskPlan(read.text) : { objective: null, context: null };
}

function describeTask({ id, name, plan, task }: GraphTask, subject: PromptSubject): string {
  return `# ${name}

You carry out one task of the plan \`${plan.path}\`: ${id}. ${countAttempts(subject)} Nobody
answers questions: where something is open, decide, and say so in the evidence. The task, as the plan has it:

${fence(task.source, 'xml')}
`;
}

function countAttempts({ attempt, attemptsLeft }: PromptSubject): string {
  const which = attempt === 1 ? 'the first attempt' : `attempt ${attempt}`;
  if (attemptsLeft > 0) return `This is ${which}; ${attemptsLeft} more may follow.`;
  return `This is ${which}. It is the last before a person is asked.`;
}

function describePlan({ objective, context }: Pick<TaskPlan, 'objective' | 'context'>): string {
  return [
    ...(objective === null ? [] : [`What the whole plan is for:\n\n${fence(objective)}\n`]),
    ...(context === null ? [] : [`Its context:\n\n${fence(context)}\n`]),
  ].join('\n');
}

function describeVerify({ task }: GraphTask): string {
  const { verify } = task;
  if (verify === null) {
    return `## Verification

The plan names no way to verify this task. Find one, use it, and report what you did and saw.
`;
  }
  if (verify.command === null) {
    return `## Verification

The plan says how this task is to be verified. Do that, and report what you did and saw:

${fence(verify.text)}
`;
  }
  return `## Verification

When you are done this command is run again, by somebody else, and only then the task counts as done. Run it yourself
before, and report the exit code that you saw:

${fence(verify.command, 'sh')}
`;
}

function describeContext({ shown, leftOut }: ContextFiles): string {
  if (shown.length === 0 && leftOut.length === 0) return '';
  const files = shown.map(({ path, text, cut }) => {
    const note =
      cut === 0 ? '' : `\nThe last ${cut} characters of ${path} are not shown here. Read them in the file.\n`;
    return `### ${path}\n\n${fence(text)}\n${note}`;
  });
  const rest = leftOut.map((sentence) => `- ${sentence}\n`).join('');
  return [
    '## Files\n\nAs they are now in your folder.\n',
    ...files,
    ...(rest === '' ? [] : [`Not shown here, though the plan names them:\n\n${rest}`]),
  ].join('\n');
}

function describeRules({ task, isolation }: PromptSubject): string {
  const place =
    isolation === 'worktree'
      ? 'The folder that you are in is a git worktree of your own. Commit in it or not: what you leave there is taken over, if the verification passes. Do not change its branch, and do not push.'
      : 'The folder that you are in is the project itself, and others may work in it. Change only what this task is about, and do not commit.';
  return `## Rules

- Work only inside the folder that you are in. ${place}
- Leave \`${task.plan.path}\`, every other PLAN.md, STATE.md, \`.teddy\` and \`.ultraplan\` as they are: your result is recorded there for you.
- Do not submit the result with \`teddy result submit\`. Print it.
- End what you started: nothing of yours goes on running once you are done.
- Claim nothing that you have not done or seen. A failure that is told is worth more than a success that does not hold.
`;
}

function fence(text: string, language = ''): string {
  const marks = fenceFor(text, '`', 3);
  return `${marks}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${marks}`;
}

const KINDS: Readonly<Record<FailureKind, string>> = {
  reported: 'whoever tried said that it failed',
  invalid: 'what was printed is no valid result',
  verification: 'the verification did not pass',
  vacuous: 'the verification passed without having checked anything',
  conflict: 'the changes did not go together with what others had changed meanwhile',
  crash: 'it ended without a result',
  'rate-limit': 'the service had no room for it',
  'time-out': 'it took too long',
};

/** The earliest say least about what to do now. */
const MOST_FAILURES = 5;
const MOST_FILES = 50;
const LONGEST_REASON = 8000;
const LONGEST_EVIDENCE = 4000;

/** What a person says, and then what went wrong before; empty where there is nothing to tell. */
function describeFailures({ failures, fix, mask }: PromptSubject): string {
  const last = failures.slice(-MOST_FAILURES);
  const earlier = failures.length - last.length;
  return [
    ...(fix === null
      ? []
      : [`# What a person wants to be done\n\nThis goes before all else:\n\n${quote(fix)}`]),
    ...(failures.length === 0 ? [] : ['# What went wrong before\n', LEAD]),
    ...(earlier === 0 ? [] : [`${earlier} earlier attempts are not told here.\n`]),
    ...last.map((failure) => describeFailure(failure, mask)),
  ].join('\n');
}

const LEAD = `This task was tried before, and it is not done. None of those changes is in your folder, unless you find it there.
Find out why it failed, and do not do the same again.
`;

function describeFailure(failure: ExecutorFailure, mask: PromptSubject['mask']): string {
  const { attempt, kind, reason, evidence, filesChanged } = failure;
  return [
    `## Attempt ${attempt}: ${KINDS[kind]}\n`,
    quote(cut(mask(reason), LONGEST_REASON)),
    ...(evidence === null
      ? []
      : [`What was tried, in its own words:\n\n${quote(cut(mask(evidence), LONGEST_EVIDENCE))}`]),
    ...(filesChanged === null ? [] : [`${describeFiles(filesChanged)}\n`]),
  ].join('\n');
}

function describeFiles(files: readonly string[]): string {
  if (files.length === 0) return 'It changed no file.';
  const more = files.length - MOST_FILES;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `It changed ${files.slice(0, MOST_FILES).join(', ')}${rest}.`;
}

function quote(text: string): string {
  return `${fence(text.trimEnd())}\n`;
}

/** Most is said at the beginning, and what failed last at the end. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const [head, tail] = [text.slice(0, most / 2), text.slice(-most / 2)].map(dropHalves);
  return `${head}\n… ${text.length - most} characters are left out here …\n${tail}`;
}

/** Where a character was cut in two. */
function dropHalves(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/** What of a task's context can be shown to whoever works on it. */
interface ContextFiles {
  shown: ShownFile[];
  /** Sentences on what is not there: each names its path. */
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
const MOST_LEFT_OUT = 50;

/**
 * The files that a task is to read first, those that it names as its own and that exist, and those that the plan's
 * `<context>` refers to with `@`. What does not fit is left out, and said.
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
      if (required) files.leftOut.push(`${path} is not there.`);
    } else if (read.status === 'refused') {
      files.leftOut.push(`${path} ${read.reason}.`);
    } else {
      const whole = mask(read.text);
      const most = Math.min(OF_ONE, room);
      if (most < whole.length && most < OF_ONE) {
        files.leftOut.push(`${path} has ${whole.length} characters, which is more than there is room for.`);
        continue;
      }
      const text = cutBehind(whole, most);
      files.shown.push({ path, text, cut: whole.length - text.length });
      room -= text.length;
    }
  }
  return { ...files, leftOut: shorten(files.leftOut) };
}

interface WantedFile {
  written: string;
  /** Whoever named it meant it to be there. */
  required: boolean;
}

/** Each once, in the order of what they are worth to the task. */
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

/** `@src/a.ts`, where it begins a word; `you@example.org` is none. */
function findReferences(context: string): string[] {
  return [...context.matchAll(/(?<![^\s([`"'])@([^\s`"'<>()[\]]{1,500})/g)].flatMap(([, path]) => {
    const bare = path!.replace(/[.,;:!?]{1,20}$/, '');
    return bare === '' ? [] : [bare];
  });
}

/** Between characters, and at the end of a line where there is one near. */
function cutBehind(text: string, most: number): string {
  if (text.length <= most) return text;
  const line = text.lastIndexOf('\n', most - 1);
  if (line > most / 2) return text.slice(0, line + 1);
  return cutText(text, most);
}

function shorten(sentences: string[]): string[] {
  if (sentences.length <= MOST_LEFT_OUT) return sentences;
  const more = sentences.length - MOST_LEFT_OUT;
  return [...sentences.slice(0, MOST_LEFT_OUT), `The same is so of ${more} more.`];
}

/** What an executor is to print, with an example of each status for its own task. Every example is a valid result. */
function describeResult(task: GraphTask, attempt: number): string {
  return `## The result

When you are done, print one YAML mapping on standard output as the last thing, with nothing before or behind it and no
fence around it. It has these fields, all but metadata required:

- status: \`success\`, \`failure\` (you tried, and it is not done) or \`blocked\` (it cannot be begun).
- task_name: ${quoted(task.name)}, as it stands here.
- files_modified: every file that you created, changed or deleted, as paths from the root; \`[]\` where there is none.
- verification: the command that you ran, its exit code, and a line on what it printed.
- done_criteria_met: \`true\` only where all that the task asks for is so; a success has it, the others do not.
- evidence: what you did, and how you know that it is done, in your own words.
- error: \`null\` for a success; else what went wrong, or what is missing, with the task that it waits for, by its name.

A success looks so, with your own facts in it:

${writeExample(task, attempt, 'success')}

A failure:

${writeExample(task, attempt, 'failure')}

Where it cannot be begun, nothing is changed and nothing is run:

${writeExample(task, attempt, 'blocked')}
`;
}

const WORDS = {
  success: {
    evidence: 'What I did, and what I saw that shows it is done.',
    error: 'null',
    summary: 'What the command printed, in a line',
    exitCode: 0,
  },
  failure: {
    evidence: 'What I tried, and how far it came.',
    error: '"What went wrong, and what I would try next"',
    summary: 'The error that the command printed',
    exitCode: 1,
  },
  blocked: {
    evidence: 'Where I looked, and what is not there.',
    error: '"What is missing, and which task has to be done first"',
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

/** The task's own are the likeliest. */
function exampleFiles({ files }: GraphTask): readonly string[] {
  return files.length > 0 ? files.slice(0, 3) : ['path/to/file'];
}

/** As YAML reads it, whatever stands in it. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
