import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redactorFor } from '../../src/config/redactor.js';
import { TIP_LIMITS } from '../../src/core/report/markdown.js';
import { findRun, listRuns } from '../../src/runs/run-list.js';
import { chooseUndo, redoRun, undoRun } from '../../src/runs/undo-run.js';
import { resolveTask, startTask } from '../../src/tasks/plans/change-task.js';
import {
  changeTasks,
  type TaskChangeOptions,
  type TaskChangeRequest,
} from '../../src/tasks/plans/edit-tasks.js';
import { listProject } from '../../src/tasks/plans/tasks.js';
import { blocked, failure, PLAN, PLAN_TEXT, resultText, TestProject } from './project.js';

const OPTIONS: TaskChangeOptions = { redactor: redactorFor(null, {}), tip: TIP_LIMITS, keep: 50 };
const LOCK = '.ultraplan/state/lock';

const NEW = {
  kind: 'add',
  plan: '03-01',
  files: ['a.ts'],
  verify: 'npm test',
  action: null,
  done: null,
  after: [],
} as const;

const change = ({ project }: TestProject, request: TaskChangeRequest, options = OPTIONS) =>
  changeTasks(project, request, options);
const add = (
  name: string,
  more: Partial<Extract<TaskChangeRequest, { kind: 'add' }>> = {},
): TaskChangeRequest => ({ ...NEW, name, ...more });
const names = ({ project }: TestProject) =>
  listProject(project, '03-01').plans[0]!.tasks.map(({ id, name }) => `${id} ${name}`);

describe('as a run', () => {
  test('each change is recorded, undone in turn, and redone', async () => {
    const project = new TestProject();
    const texts = [PLAN_TEXT];
    for (const request of [
      add('Log it'),
      { kind: 'move', id: '03-01:4', to: 1 },
      { kind: 'edit', id: '03-01:1', verify: 'npm run log' },
      { kind: 'remove', id: '03-01:2' },
    ] as const) {
      await change(project, request);
      texts.push(project.read(PLAN));
    }
    expect(new Set(texts).size).toBe(5);
    const { workspace } = project.project;
    expect(listRuns(workspace).map(({ title, overall }) => `${title}: ${overall}`)).toEqual([
      'Remove task 03-01:2: Completed',
      'Edit task 03-01:1: Completed',
      'Move task 03-01:4 to 03-01:1: Completed',
      'Add task 03-01:4: Completed',
    ]);
    const last = findRun(workspace, undefined);
    expect(last).toMatchObject({
      run: { kind: 'tasks', actions: [{ type: 'EDIT', outcome: { status: 'success' } }] },
    });
    for (const text of texts.slice(0, -1).toReversed()) {
      await undoLast(project);
      expect(project.read(PLAN)).toBe(text);
    }
    await redoRun(workspace);
    expect(project.read(PLAN)).toBe(texts[1]);
  });

  test('secrets in a name reach no record', async () => {
    const project = new TestProject();
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const { run } = await change(project, add(`Use ${secret}`));
    expect(project.read(PLAN)).toContain(secret);
    expect(project.read(`.teddy/runs/${run}/run.json`)).not.toContain(secret);
    expect(project.read(`.teddy/runs/${run}/report.md`)).not.toContain(secret);
  });

  test('STATE.md changes in the same run if it was up to date; another one stays', async () => {
    const project = new TestProject();
    await project.submit(resultText());
    const current = project.read('STATE.md');
    await change(project, add('Log it'));
    expect(current).toContain('33%');
    expect(project.read('STATE.md')).toBe(
      current.replace(/Progress: .*/, 'Progress: [#####░░░░░░░░░░░░░░░] 25%'),
    );
    await undoLast(project);
    expect(project.read('STATE.md')).toBe(current);

    const old = current.replace(/Progress: .*/, 'Progress: 10%');
    writeFileSync(join(project.root, 'STATE.md'), old);
    const { notes } = await change(project, add('Log it'));
    expect(notes).toEqual(['STATE.md was not up to date before. To update it: teddy state --write']);
    expect(project.read('STATE.md')).toBe(old);
  });

  test('ids in STATE.md are renumbered', async () => {
    const project = new TestProject({
      'STATE.md': '# State\n\nSee 03-01:2, 03-01:23, 13-01:2 and (03-01:3).\n',
    });
    await change(project, { kind: 'move', id: '03-01:3', to: 2 });
    expect(project.read('STATE.md')).toBe('# State\n\nSee 03-01:3, 03-01:23, 13-01:2 and (03-01:2).\n');
  });
});

async function undoLast({ project: { workspace } }: TestProject): Promise<void> {
  const chosen = await chooseUndo(workspace, undefined);
  if (chosen.status === 'missing') throw new Error(chosen.reason);
  await undoRun(workspace, chosen.run);
}

describe('what has a history keeps its id', () => {
  test('a task with results is neither moved, removed nor renamed, and nothing moves across it', async () => {
    const project = new TestProject();
    await project.submit(failure());
    const text = project.read(PLAN);
    await expect(change(project, { kind: 'remove', id: '03-01:1' })).rejects.toThrow(
      /has results, so it cannot be removed/,
    );
    await expect(change(project, { kind: 'move', id: '03-01:1', to: 2 })).rejects.toThrow(
      /has results, so it cannot be moved/,
    );
    await expect(change(project, { kind: 'edit', id: '03-01:1', name: 'Other' })).rejects.toThrow(
      /cannot be renamed/,
    );
    await expect(change(project, { kind: 'move', id: '03-01:2', to: 1 })).rejects.toThrow(
      /would become 03-01:2/,
    );
    expect(project.read(PLAN)).toBe(text);
    expect(listRuns(project.project.workspace)).toEqual([]);
    await change(project, { kind: 'edit', id: '03-01:1', verify: 'npm run other' });
    await change(project, { kind: 'move', id: '03-01:3', to: 2 });
    expect(listProject(project.project, '03-01').plans[0]!.tasks.map(({ status }) => status)).toEqual([
      'failed',
      'pending',
      'pending',
    ]);
  });

  test('nor one that somebody works on', async () => {
    const project = new TestProject();
    await startTask(project.project, '03-01:1');
    await expect(change(project, { kind: 'remove', id: '03-01:1' })).rejects.toThrow(/is in progress/);
    await expect(change(project, add('Between', { after: ['03-01:1'] }))).resolves.toMatchObject({
      id: '03-01:2',
    });
  });

  test('nor one that a blocked task waits for', async () => {
    const parallel = PLAN_TEXT.replace('plan: 01\n', 'plan: 01\nparallel: true\n');
    const project = new TestProject({ [PLAN]: parallel });
    await project.submit(blocked({ error: '"Task 3 must come first."' }));
    await expect(change(project, { kind: 'move', id: '03-01:3', to: 2 })).rejects.toThrow(
      /blocked task of .* waits for/,
    );
  });

  test('a decision follows the name of its task', async () => {
    const project = new TestProject();
    await resolveTask(project.project, '03-01:3', 'skip');
    await change(project, { kind: 'move', id: '03-01:3', to: 1 });
    expect(listProject(project.project, '03-01').plans[0]!.tasks[0]).toMatchObject({
      status: 'skipped',
      name: 'Task 3: Look at it',
    });
  });
});

test('while teddy orchestrate runs, no id changes', async () => {
  const project = new TestProject({ [LOCK]: '' });
  const held = project.project.workspace.hold(LOCK)!;
  try {
    await expect(change(project, { kind: 'remove', id: '03-01:3' })).rejects.toThrow(
      /teddy orchestrate is working/,
    );
    await expect(change(project, { kind: 'move', id: '03-01:3', to: 1 })).rejects.toThrow(/must not change/);
    expect((await change(project, add('Log it'))).notes.join()).toContain('at its next start');
  } finally {
    held.release();
  }
  await change(project, { kind: 'move', id: '03-01:3', to: 1 });
});

test('those that depend on a removed task are named first, and can keep it', async () => {
  const project = new TestProject();
  const refuse = { ...OPTIONS, approve: () => Promise.reject(new Error('kept')) };
  await expect(change(project, { kind: 'remove', id: '03-01:2' }, refuse)).rejects.toThrow('kept');
  expect(project.read(PLAN)).toBe(PLAN_TEXT);
  const named: string[] = [];
  const approve = async (_: unknown, dependents: readonly { id: string }[]) =>
    void named.push(...dependents.map(({ id }) => id));
  await change(project, { kind: 'remove', id: '03-01:2' }, { ...OPTIONS, approve });
  expect(named).toEqual(['03-01:3']);
  expect(names(project)).toEqual(['03-01:1 Task 1: Create the agent', '03-01:2 Task 3: Look at it']);
  await change(project, { kind: 'remove', id: '03-01:2' }, refuse);
});

test('ids that are not there are refused before anything is recorded', async () => {
  const project = new TestProject();
  await expect(change(project, add('A', { after: ['04-01:1'] }))).rejects.toThrow(/is not a task of/);
  await expect(change(project, add('A', { after: ['9'] }))).rejects.toThrow(/has no task 9/);
  await expect(change(project, { kind: 'move', id: '03-01:1', to: 1 })).rejects.toThrow(
    /already is like that/,
  );
  await expect(change(project, { kind: 'edit', id: '03-01:9', verify: 'x' })).rejects.toThrow(/no task 9/);
  expect(listRuns(project.project.workspace)).toEqual([]);
});
