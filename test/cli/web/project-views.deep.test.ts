import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Run } from '../../../src/core/report/record.js';
import type {
  Inbox,
  MetricResults,
  MetricsView,
  RunView,
  SessionView,
  TaskBoard,
  TaskDetail,
} from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';
import { PageClient, startServer } from './page-client.js';

const TASK_FILE = `---
phase: 1
plan: 1
wave: 1
---

<task type="auto">
  <name>Task 1: Say hello</name>
  <files>hello.txt</files>
  <action>Write hello.txt.</action>
  <verify>test -e hello.txt</verify>
  <done>There is a hello.txt.</done>
</task>

<task type="auto">
  <name>Task 2: Say goodbye</name>
  <files>bye.txt</files>
  <action>Write bye.txt.</action>
  <verify>test -e bye.txt</verify>
  <done>There is a bye.txt.</done>
</task>
`;

/** It claims success, and does nothing. */
const LIAR = `cat > /dev/null; cat <<'END'
status: success
task_name: "Task 1: Say hello"
files_modified: [hello.txt]
verification: {command: "test -e hello.txt", exit_code: 0, output_summary: ""}
done_criteria_met: true
evidence: "It is there."
error: null
metadata: {duration_ms: 5, attempt: 1, executor_id: liar}
END
`;

test('tasks: the claim of an executor next to what was found, and its question answered on the page', async () => {
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': TASK_FILE,
    '.teddy/config.yaml': `executors: {liar: {command: "sh ./liar.sh"}}\n`,
    'liar.sh': LIAR,
  });
  teddy(['trust', '--yes'], { cwd });
  const words = ['orchestrate', '--yes', '--executor', 'liar', '--max-attempts', '1', '--isolation', 'none'];
  expect(teddy(words, { cwd })).toMatchObject({ exit: 1 });
  const page = await PageClient.open(await startServer(cwd));
  const { questions } = await page.get<Inbox>('/api/inbox');
  expect(questions).toMatchObject([
    { kind: 'task', id: 'task:01-01:1', title: 'Task 1: Say hello', question: { why: 'attempts-exhausted' } },
  ]);
  const board = await page.get<TaskBoard>('/api/tasks');
  expect(board).toMatchObject({
    active: false,
    phases: [
      {
        phase: '1',
        waves: [
          {
            wave: 1,
            tasks: [
              {
                id: '01-01:1',
                question: 'task:01-01:1',
                attempts: [{ executor: 'liar', claimed: 'success', effective: 'failure' }],
              },
              { id: '01-01:2', question: null, dependsOn: ['01-01:1'], attempts: [] },
            ],
          },
        ],
      },
    ],
    timeline: [{ task: '01-01:1', ok: false }],
    criticalPath: ['01-01:1'],
  });
  expect(await page.get<TaskDetail>(`/api/tasks/${encodeURIComponent('01-01:1')}`)).toEqual({
    attempts: [
      {
        attempt: 1,
        filesClaimed: ['hello.txt'],
        filesChanged: null,
        lastOutput: expect.stringContaining('task_name: "Task 1: Say hello"'),
      },
    ],
  });
  await expect(page.get('/api/tasks/none')).rejects.toThrow('404');
  const metrics = await page.get<MetricsView>('/api/metrics');
  expect(metrics).toMatchObject({ executors: [{ name: 'liar', falseClaims: 1 }], firstAttemptRate: 0 });
  const { results } = await page.get<MetricResults>('/api/metrics/results');
  expect(results).toMatchObject([
    { task: '01-01:1', attempt: 1, executor: 'liar', claimed: 'success', status: 'failure' },
  ]);
  expect(readFileSync(join(cwd, results[0]!.log!), 'utf8')).toContain('Say hello');
  const [{ id, hash }] = questions as [Inbox['questions'][number]];
  const path = `/api/questions/${encodeURIComponent(id)}`;
  expect(await page.post(path, { hash, decision: 'reply', text: 'rm -rf /' })).toMatchObject({ status: 400 });
  expect(await page.post(path, { hash: 'x', decision: 'reply', text: 'skip' })).toMatchObject({
    status: 409,
  });
  expect(await page.post(path, { hash, decision: 'reply', text: 'skip' })).toMatchObject({ status: 200 });
  expect(await page.get('/api/inbox')).toMatchObject({ questions: [] });
  expect(readFileSync(join(cwd, '.planning/01-01-PLAN.md'), 'utf8')).toContain('skipped');
});

const workerOf = (file: string, claimed: string) =>
  `cat > /dev/null; echo x > ${file}; cat <<END
status: success
task_name: "$TEDDY_TASK_NAME"
files_modified: ${claimed}
verification: {command: "test -e $TEDDY_TASK_ID", exit_code: 0, output_summary: ""}
done_criteria_met: true
evidence: "It is there."
error: null
metadata: {duration_ms: 5, attempt: 1, executor_id: worker}
END
`;

test('tasks: the files that are claimed next to those that git names; the timeline has the last run alone', async () => {
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': TASK_FILE,
    '.teddy/config.yaml': 'executors: {worker: {command: "sh ./worker.sh"}}\n',
    'worker.sh': workerOf('other.txt', '[hello.txt, other.txt]'),
  });
  const git = (...words: string[]) => execFileSync('git', words, { cwd, stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'all');
  teddy(['trust', '--yes'], { cwd });
  const words = ['orchestrate', '--yes', '--executor', 'worker', '--max-attempts', '1', '--unconfined'];
  expect(teddy(words, { cwd })).toMatchObject({ exit: 1 });
  const page = await PageClient.open(await startServer(cwd));
  const detail = (id: string) => page.get<TaskDetail>(`/api/tasks/${encodeURIComponent(id)}`);
  expect((await detail('01-01:1')).attempts).toMatchObject([
    { filesClaimed: ['hello.txt', 'other.txt'], filesChanged: ['other.txt'] },
  ]);
  const attempted = async () =>
    (await page.get<TaskBoard>('/api/tasks')).timeline.map(({ task, attempt }) => [task, attempt]);
  expect(await attempted()).toEqual([['01-01:1', 1]]);

  expect(teddy(['task', 'resolve', '01-01:1', 'retry'], { cwd })).toMatchObject({ exit: 0 });
  const file = '$([ "$TEDDY_TASK_INDEX" = 1 ] && echo hello.txt || echo bye.txt)';
  writeFileSync(join(cwd, 'worker.sh'), workerOf(file, `[${file}]`));
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qam', 'honest');
  expect(teddy(words, { cwd })).toMatchObject({ exit: 0 });
  expect(await attempted()).toEqual([
    ['01-01:1', 2],
    ['01-01:2', 1],
  ]);
  expect((await page.get<TaskBoard>('/api/tasks')).criticalPath).toEqual(['01-01:1', '01-01:2']);
  expect((await detail('01-01:1')).attempts).toMatchObject([
    { filesClaimed: ['hello.txt', 'other.txt'], filesChanged: ['other.txt'] },
    { filesClaimed: ['hello.txt'], filesChanged: ['hello.txt'] },
  ]);
});

test('a run for a task names the files of the task', async () => {
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': TASK_FILE,
    'plan.md': planOf('Greet', createAction('hello.txt'), createAction('other.txt')),
    '.git/HEAD': '',
  });
  const execute = (env: Record<string, string>) =>
    JSON.parse(teddy(['execute', 'plan.md', '--yes', '--json', '--no-copy'], { cwd, env }).stdout) as Run;
  const own = execute({ TEDDY_TASK_ID: '01-01:1' });
  expect(own.task).toBe('01-01:1');
  const page = await PageClient.open(await startServer(cwd));
  const filesOf = async ({ id }: Run) => (await page.get<RunView>(`/api/runs/${id}`)).taskFiles;
  expect(await filesOf(own)).toEqual(['hello.txt']);
  expect(await filesOf(execute({ TEDDY_TASK_ID: '07-07:7' }))).toBeNull();
  const other = execute({ TEDDY_TASK_ID: 'no task\n' });
  expect(other).not.toHaveProperty('task');
  expect(await filesOf(other)).toBeNull();
});

test('sessions: turns as a conversation, with the difference between their plans', async () => {
  const cwd = makeFolder({
    'one.md': planOf('First steps', createAction('a.txt')),
    'two.md': planOf('Second steps', createAction('b.txt')),
    '.git/HEAD': '',
  });
  expect(teddy(['new', 'walk'], { cwd })).toMatchObject({ exit: 0 });
  for (const file of ['one.md', 'two.md'])
    expect(teddy(['execute', file, '--session', 'walk', '--yes', '--no-copy'], { cwd })).toMatchObject({
      exit: 0,
    });
  const page = await PageClient.open(await startServer(cwd));
  expect(await page.get('/api/sessions')).toMatchObject([{ name: 'walk', turns: 3 }]);
  const view = await page.get<SessionView>('/api/sessions/walk');
  expect(view).toMatchObject({
    canSend: false,
    conversation: [
      { turn: 'walk/01', planTitle: 'First steps', planDiff: null, overall: 'Completed' },
      { turn: 'walk/02', planTitle: 'Second steps', overall: 'Completed' },
      { turn: 'walk/03', planTitle: null, run: null },
    ],
  });
  expect(view.conversation[1]!.planDiff).toContain('-# First steps\n+# Second steps\n');
});
