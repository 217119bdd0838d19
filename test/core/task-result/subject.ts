import type { Task, TaskPlan } from '../../../src/core/task-plan/types.js';
import type { ResultSubject } from '../../../src/core/task-result/judge.js';
import { RESULT_EXAMPLE } from '../../../src/core/task-result/write.js';
import { MemoryTree } from '../../../src/core/tree.js';

export function makeTask(index: number, name: string, more: Partial<Task> = {}): Task {
  return {
    index,
    isElement: true,
    line: index,
    name,
    named: true,
    type: 'auto',
    tdd: false,
    id: null,
    gate: null,
    status: 'pending',
    completedAt: null,
    files: [],
    readFirst: [],
    action: null,
    behavior: null,
    verify: { text: 'npm test', command: 'npm test', commands: ['npm test'], hint: null },
    acceptanceCriteria: null,
    done: null,
    dependsOn: null,
    dependsOnUnknown: [],
    dependsOnItself: [],
    checkbox: null,
    source: `<task><name>${name}</name></task>`,
    ...more,
  };
}

export function makePlan(...tasks: Task[]): TaskPlan {
  return {
    text: '',
    tasks,
    criteria: [],
    objective: null,
    context: null,
    verification: null,
    successCriteria: null,
    output: null,
    issues: [],
  };
}

const EXAMPLE_FILES = ['src/server/port.ts', 'test/server/port.test.ts'];

/** The task of `RESULT_EXAMPLE`, between others. */
const PLAN = makePlan(
  makeTask(1, 'Task 1: Start the server'),
  makeTask(2, 'Task 2: Check the port of the server', {
    files: EXAMPLE_FILES.map((path) => ({ path, note: null })),
    verify: {
      text: 'npm test -- port',
      command: 'npm test -- port',
      commands: ['npm test -- port'],
      hint: null,
    },
  }),
  makeTask(3, 'Task 3: Look at the log', {
    verify: { text: 'The log reads well.', command: null, commands: [], hint: 'Write a command.' },
  }),
  makeTask(4, 'Task 4: Name things', { verify: null }),
  makeTask(5, 'Tidy up'),
  makeTask(6, 'Tidy up'),
);

export const SUBJECT: ResultSubject = {
  plan: PLAN,
  planName: '03-01-PLAN.md',
  tree: new MemoryTree({ 'src/server/port.ts': '', 'test/server/port.test.ts': '', 'docs/port.md': '' }),
};

export const LINES = RESULT_EXAMPLE.trimEnd().split('\n');

/** The example with lines replaced, by their number: null takes one out, several are put in its place. */
export function change(edits: Record<number, string | null>): string {
  const lines = LINES.flatMap((line, at) => {
    const edit = edits[at + 1];
    return edit === null ? [] : [edit ?? line];
  });
  return `${lines.join('\n')}\n`;
}
