import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveTask, startTask } from '../../src/tasks/plans/change-task.js';
import { findPlan, listPlans, listProject, nextTasks, showTask } from '../../src/tasks/plans/tasks.js';
import { describeState } from '../../src/tasks/state.js';
import { LOGS, PLAN, resultText, TestProject } from './project.js';

const A = '.planning/a/04-01-PLAN.md';
const B = '.planning/b/04-01-PLAN.md';
const TEXT = '<tasks>\n<task>\n<name>Task 1: Create the agent</name>\n</task>\n</tasks>\n';
const twoOfOneId = (more: Record<string, string> = {}) => new TestProject({ [A]: TEXT, [B]: TEXT, ...more });

test('two plans with one id: nothing is captured, started or resolved, and both are named', async () => {
  const project = twoOfOneId();
  const said = new RegExp(`${A} and ${B} .*04-01.*another id`);
  await expect(project.submit(resultText(), { plan: A })).rejects.toThrow(said);
  await expect(project.submit(resultText(), { plan: B })).rejects.toThrow(/both have the id 04-01/);
  await expect(startTask(project.project, `${A}:1`)).rejects.toThrow(said);
  await expect(startTask(project.project, '04-01:1')).rejects.toThrow(said);
  await expect(resolveTask(project.project, `${B}:1`, 'skip')).rejects.toThrow(/both have the id 04-01/);
  expect(() => findPlan(project.project, '04-01')).toThrow(said);
  expect(existsSync(join(project.root, LOGS))).toBe(false);
  expect(project.read(A)).toBe(TEXT);
});

test('by whatever the id is: the name, or the frontmatter', async () => {
  const project = new TestProject({
    '.planning/04-01-PLAN.md': TEXT,
    '.planning/other-PLAN.md': `---\nphase: "04"\nplan: "01"\n---\n${TEXT}`,
  });
  for (const plan of ['.planning/04-01-PLAN.md', '.planning/other-PLAN.md', './.planning//04-01-PLAN.md'])
    await expect(project.submit(resultText(), { plan })).rejects.toThrow(/both have the id 04-01/);
});

test('they can be looked at, and other plans go on', async () => {
  const project = twoOfOneId();
  expect(listPlans(project.project).map(({ id }) => id)).toEqual(['03-01', '04-01', '04-01']);
  expect(listProject(project.project, A).plans[0]!).toMatchObject({
    plan: { path: A },
    tasks: [{ ready: false }],
  });
  expect(showTask(project.project, `${B}:1`).planPath).toBe(B);
  expect(nextTasks(project.project).next.map(({ id }) => id)).toEqual(['03-01:1']);
  expect(nextTasks(project.project, A).waiting).toMatchObject([{ id: '04-01:1', on: ['a unique id'] }]);
  expect(await project.submit(resultText())).toMatchObject({ status: 'applied' });
});

test('a path is one path, however it is written', async () => {
  const project = new TestProject();
  const plan = './.planning//phases/03/../03/03-01-PLAN.md';
  expect(await project.submit(resultText(), { plan })).toMatchObject({
    status: 'applied',
    plan: { id: '03-01' },
  });
});

test('STATE.md counts the record of an id once', async () => {
  const done = TEXT.replace('<task>', '<task status="completed">');
  const project = new TestProject({ [A]: TEXT });
  await project.submit(resultText({ metadata: '{duration_ms: 120000}' }), { plan: A });
  const alone = describeState(project.project);
  const both = new TestProject({
    [A]: project.read(A),
    [B]: done,
    '.ultraplan/logs/summary/plan-04-01.json': project.read('.ultraplan/logs/summary/plan-04-01.json'),
    '.ultraplan/logs/summary/project.json': project.read('.ultraplan/logs/summary/project.json'),
  });
  const { updated } = describeState(both.project);
  const rowOf = (text: string) => /^\| (?:Phase )?4\b.*$/m.exec(text)?.[0];
  expect(rowOf(alone.updated)).toContain('2');
  // Two plans, both over: the time is that of the one record.
  expect(rowOf(updated)?.split('|').slice(3)).toEqual(rowOf(alone.updated)?.split('|').slice(3));
});

describe('a plan that cannot be read', () => {
  const OTHER = '.planning/phases/03/03-02-PLAN.md';
  const ONE_TASK = '<tasks>\n<task>\n<name>Task 1: Create the agent</name>\n</task>\n</tasks>\n';

  function withUnreadable(): TestProject {
    const project = new TestProject({ [PLAN]: ONE_TASK });
    writeFileSync(
      join(project.root, OTHER),
      Buffer.from('<task><name>Task 1: caf\xe9</name></task>\n', 'latin1'),
    );
    symlinkSync('/etc/hosts', join(project.root, '.planning/phases/04-01-PLAN.md'));
    symlinkSync('nowhere', join(project.root, '.planning/phases/notes-PLAN.md'));
    return project;
  }

  test('is named with the reason, whatever plan is asked for', () => {
    const { project } = withUnreadable();
    for (const named of [undefined, '03-01']) {
      const { plans, unreadable } = listProject(project, named);
      expect(plans.map(({ plan }) => plan.id)).toEqual(['03-01']);
      expect(unreadable.map(({ path }) => path)).toEqual([
        OTHER,
        '.planning/phases/04-01-PLAN.md',
        '.planning/phases/notes-PLAN.md',
      ]);
      for (const { reason } of unreadable) expect(reason).toMatch(/^[a-z].*[^.]$/);
    }
    expect(() => findPlan(project, '03-02')).toThrow(`${OTHER} is not`);
  });

  test('holds back what STATE.md would say of everything, and is told', async () => {
    const project = withUnreadable();
    await project.submit(resultText());
    const { fields, issues } = describeState(project.project);
    expect(fields.status).toBe('In progress');
    expect(fields.progress).toContain('25%');
    expect(fields.byPhase.map(({ phase, plans }) => [phase, plans])).toEqual([
      ['3', '1/2'],
      ['4', '0/1'],
    ]);
    expect(issues.map(({ code }) => code)).toEqual(Array(3).fill('plan-unreadable'));
    expect(issues[0]!.message).toContain(OTHER);
    expect(project.read('STATE.md')).toContain('Status: In progress');
  });

  test('of another phase does not hold back this one', async () => {
    const project = new TestProject({ [PLAN]: ONE_TASK });
    symlinkSync('nowhere', join(project.root, '.planning/phases/04-01-PLAN.md'));
    await project.submit(resultText());
    expect(describeState(project.project).fields.status).toBe('Phase complete');
  });
});
