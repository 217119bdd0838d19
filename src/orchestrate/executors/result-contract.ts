import { fenceFor } from '../../core/markdown/lines.js';
import type { GraphTask } from '../graph/types.js';

/** What an executor is to print, with an example of each status for its own task. Every example is a valid result. */
export function describeResult(task: GraphTask, attempt: number): string {
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
