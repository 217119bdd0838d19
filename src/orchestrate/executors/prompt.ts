import { fenceFor } from '../../core/markdown/fence.js';
import { findSentinel } from '../../core/redact/sentinel.js';
import { parseTaskPlan } from '../../core/task-plan/parse.js';
import type { TaskPlan } from '../../core/task-plan/types.js';
import type { Tree } from '../../core/tree.js';
import type { GraphTask } from '../graph/types.js';
import { type ContextFiles, gatherContextFiles } from './context-files.js';
import type { ExecutorFailure } from './failure.js';
import { describeResult } from './result-contract.js';
import { describeFailures } from './tell-failures.js';

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
