import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveTask, startTask } from '../../src/tasks/plans/change-task.js';
import { describeState, writeState } from '../../src/tasks/state.js';
import { blocked, PLAN, resultText, TestProject } from './project.js';

const TASK = '03-01:1';
const ENTRY = '- 03-01:1 (2026-01-26): The database is missing.';

test.each(['retry', 'skip', 'abort', 'fix: another way'])(
  'a task that is resolved (%s) is no blocker any more',
  async (answer) => {
    const project = new TestProject();
    await project.submit(blocked());
    expect(project.read('STATE.md')).toContain(ENTRY);
    expect(project.read('STATE.md')).toContain('Status: Blocked');
    await resolveTask(project.project, TASK, answer);
    expect(project.read('STATE.md')).not.toContain(TASK);
    expect(project.read('STATE.md')).toContain('Status: In progress');
    expect(project.read('STATE.md')).toContain('Nobody touches this sentence.');
    const { text, updated } = describeState(project.project);
    expect(updated).toBe(text);
  },
);

test('another that is blocked still is', async () => {
  const project = new TestProject({ '.planning/04-01-PLAN.md': '<task><name>Task 1: A</name></task>\n' });
  await project.submit(blocked());
  await project.submit(blocked({ task_name: '"Task 2: Add the protocol"' }));
  await resolveTask(project.project, TASK, 'retry');
  expect(project.read('STATE.md')).toContain('Status: Blocked');
  expect(project.read('STATE.md')).toContain('- 03-01:2 (2026-01-26)');
  await resolveTask(project.project, '04-01:1', 'skip');
  expect(project.read('STATE.md')).toContain('Status: Blocked');
});

test('a block that a plan of checkboxes cannot show is in STATE.md all the same', async () => {
  const project = new TestProject({ [PLAN]: '- [ ] Task 1: Create the agent\n- [ ] Task 2: B\n' });
  await project.submit(blocked());
  expect(project.read('STATE.md')).toContain('Status: Blocked');
  const before = describeState(project.project);
  expect(before.updated).toBe(before.text);
  await resolveTask(project.project, TASK, 'retry');
  expect(project.read('STATE.md')).toContain('Status: In progress');
});

test('a decision makes no STATE.md where there is none', async () => {
  const project = new TestProject();
  rmSync(join(project.root, 'STATE.md'));
  await resolveTask(project.project, TASK, 'skip');
  expect(describeState(project.project).exists).toBe(false);
});

test('nothing has begun: Ready to execute, until something has', async () => {
  const project = new TestProject();
  expect(describeState(project.project).fields.status).toBe('Ready to execute');
  await startTask(project.project, TASK);
  expect(describeState(project.project).fields.status).toBe('In progress');
  await resolveTask(project.project, TASK, 'retry');
  expect(describeState(project.project).fields.status).toBe('Ready to execute');
  await project.submit(resultText());
  expect(describeState(project.project).fields.status).toBe('In progress');
  expect((await writeState(project.project)).changed).toBe(false);
});
