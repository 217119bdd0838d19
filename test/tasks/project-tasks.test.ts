import { expect, test } from 'vitest';
import { resolveTask } from '../../src/tasks/plans/change-task.js';
import { nextTasks, readLastResult, readProjectTasks } from '../../src/tasks/plans/tasks.js';
import { blocked, failure, LOGS, PLAN, resultText, TestProject } from './project.js';

const OTHER = '.planning/phases/03/03-02-PLAN.md';
const OTHER_TEXT = '---\nwave: 2\ndepends_on: [1]\n---\n- [ ] Task 1: Write it\n- [ ] Task 2: Read it\n';

test('facts say how tasks stand, as what is shown of them does', async () => {
  const project = new TestProject({ [OTHER]: OTHER_TEXT });
  await project.submit(resultText());
  await project.submit(blocked({ task_name: '"Task 1: Write it"' }), { plan: OTHER });
  await resolveTask(project.project, '03-02:2', 'abort');
  const { plans, unreadable } = readProjectTasks(project.project);
  expect(unreadable).toEqual([]);
  expect(plans.map(({ found, needs, isOver }) => [found.path, needs, isOver])).toEqual([
    [PLAN, [], false],
    [OTHER, ['03-01'], false],
  ]);
  const standing = plans.flatMap(({ tasks }) => tasks.map((task) => [task.id, task.condition.status]));
  expect(Object.fromEntries(standing)).toEqual({
    '03-01:1': 'completed',
    '03-01:2': 'pending',
    '03-01:3': 'pending',
    '03-02:1': 'blocked',
    '03-02:2': 'failed',
  });
  expect(plans[1]!.tasks[1]!.condition).toMatchObject({
    aborted: true,
    resolutions: [{ decision: 'abort' }],
  });
  expect(nextTasks(project.project).next.map(({ id }) => id)).toEqual(['03-01:2']);
});

test('what came of a task last', async () => {
  const project = new TestProject();
  const last = (index: number) => {
    const [plan] = readProjectTasks(project.project).plans;
    return readLastResult(project.project, plan!.found, index);
  };
  expect(last(1)).toBeNull();
  await project.submit(failure({ error: '"First."' }));
  await project.submit(failure({ error: '"Then 03-02."', metadata: '{attempt: 2}' }));
  expect(last(1)).toMatchObject({ status: 'failure', error: 'Then 03-02.', evidence: 'It is there.' });
  expect(last(1)!.log).toContain(`${LOGS}/executions/`);
  expect(last(2)).toBeNull();
});
