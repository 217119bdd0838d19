import { expect, test } from 'vitest';
import { createHumanExecutor } from '../../../src/orchestrate/executors/create-executor.js';
import { assignmentIn, openTestSite } from './site.js';

test('a person gets the task, and is waited for', async () => {
  const { folder, site } = openTestSite();
  const handed: string[] = [];
  let submit = () => {};
  const human = createHumanExecutor({
    onAssigned: ({ taskId, prompt }) => handed.push(`${taskId} ${prompt}`),
    submitted: () =>
      new Promise((resolve) => {
        submit = resolve;
      }),
  });
  const running = human.run(assignmentIn(folder, { timeoutMs: null }), site);
  expect(handed).toEqual(['03-01:2 Do it.\n']);
  submit();
  expect(await running).toMatchObject({
    status: 'submitted',
    usage: { inputTokens: null, outputTokens: null, costUsd: null },
  });
});

test('nobody waits any more', async () => {
  const { folder, site, stop } = openTestSite();
  const handed: string[] = [];
  const human = createHumanExecutor({
    onAssigned: ({ taskId }) => handed.push(taskId),
    submitted: (_, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  const running = human.run(assignmentIn(folder), site);
  stop.abort();
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect(await human.run(assignmentIn(folder), site)).toMatchObject({ status: 'cancelled' });
  expect(handed).toHaveLength(1);
});

test('it does not throw where it cannot be waited for', async () => {
  const { folder, site } = openTestSite();
  const human = createHumanExecutor({
    onAssigned() {},
    submitted: () => Promise.reject(new Error('no such plan')),
  });
  expect(await human.run(assignmentIn(folder), site)).toMatchObject({
    status: 'crashed',
    reason: expect.stringContaining('no such plan'),
  });
});
