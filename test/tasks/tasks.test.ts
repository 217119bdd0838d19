import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  getDailyMetrics,
  getMetricsOfTasks,
  getPlanMetrics,
  getProjectMetrics,
  getTaskMetrics,
} from '../../src/tasks/metrics/metrics.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import type { PlanRecord, SessionRecord } from '../../src/tasks/metrics/records.js';
import { resolveTask, startTask } from '../../src/tasks/plans/change-task.js';
import { findTaskById, listProject, nextTasks, showTask } from '../../src/tasks/plans/tasks.js';
import { blocked, failure, LOGS, PLAN, PLAN_TEXT, resultText, TestProject } from './project.js';

const TASK = '03-01:1';
const RESOLUTIONS = `${LOGS}/resolutions.jsonl`;

describe('startTask', () => {
  test('says when somebody started it before, and lets it begin again', async () => {
    const project = new TestProject();
    const first = await startTask(project.project, TASK);
    expect(first).toMatchObject({ id: TASK, attempts: 1, startedBefore: null });
    const { started } = project.json<PlanRecord>(`${LOGS}/summary/plan-03-01.json`);
    const second = await startTask(project.project, TASK, { session: 'another' });
    expect(second).toMatchObject({ id: TASK, startedBefore: started['1']!.at });
  });

  test('after a result it was not started before', async () => {
    const project = new TestProject();
    await startTask(project.project, TASK);
    await project.submit(failure());
    expect(await startTask(project.project, TASK)).toMatchObject({ startedBefore: null });
  });

  test('of a plan whose frontmatter cannot be read says what is wrong with it', async () => {
    const project = new TestProject({
      '.planning/04-01-PLAN.md':
        '---\ndepends_on:\n  - plan: 03-01\n---\n<task><name>Task 1: A</name></task>\n',
    });
    await expect(startTask(project.project, '04-01:1')).rejects.toThrow(
      /waiting for frontmatter\. .*04-01-PLAN\.md:2.*depends_on/,
    );
    expect(listProject(project.project, '04-01').plans[0]!.tasks).toMatchObject([{ ready: false }]);
  });

  test('of a task whose dependency names nothing waiting for the words', async () => {
    const project = new TestProject({
      '.planning/04-01-PLAN.md': '<task depends_on="the moon"><name>Task 1: A</name></task>\n',
    });
    await expect(startTask(project.project, '04-01:1')).rejects.toThrow(/waiting for the moon/);
    expect(listProject(project.project, '04-01').plans[0]!.tasks).toMatchObject([
      { dependsOn: ['the moon'] },
    ]);
  });
});

describe('a session that ends', () => {
  test('leaves what is under way to the next, where its result finds it', async () => {
    const project = new TestProject();
    await startTask(project.project, TASK, { session: 'evening' });
    const begun = project.session.tasks[0]!;
    await project.submit(resultText({ task_name: '"Task 2: Add the protocol"' }), { session: 'morning' });
    expect(project.json<SessionRecord>(`${LOGS}/sessions/evening.json`).tasks).toEqual([]);
    expect(project.session).toMatchObject({ session_id: 'morning', tasks: [begun, { status: 'success' }] });
    await project.submit(resultText(), { session: 'noon' });
    expect(project.session.tasks).toMatchObject([
      { task_id: TASK, status: 'success', attempts: 1, started_at: begun.started_at },
    ]);
    expect(project.json<SessionRecord>(`${LOGS}/sessions/morning.json`).tasks).toHaveLength(1);
  });

  test('and one that is taken up again knows its attempts', async () => {
    const project = new TestProject();
    await startTask(project.project, TASK, { session: 'one' });
    await project.submit(failure(), { session: 'one' });
    await startTask(project.project, TASK, { session: 'two' });
    expect(await startTask(project.project, TASK, { session: 'one' })).toMatchObject({ attempts: 3 });
    expect(project.session.tasks).toHaveLength(1);
  });

  test('and a new one goes on behind the last attempt that a result named', async () => {
    const project = new TestProject();
    await project.submit(failure({ metadata: '{attempt: 4}' }), { session: 'one' });
    expect(await startTask(project.project, TASK, { session: 'two' })).toMatchObject({ attempts: 5 });
    expect(await startTask(project.project, '03-01:1', { session: 'three' })).toMatchObject({ attempts: 6 });
    expect(project.session.tasks).toMatchObject([{ task_id: TASK, attempts: 6 }]);
  });
});

describe('a word on a task', () => {
  const BOXES = '# Plan\n\n- [ ] Task 1: Create the agent\n- [ ] Task 2: Add the protocol\n';
  const stands = ({ project }: TestProject, index = 1) => {
    const { plans, next } = listProject(project, PLAN);
    const { id, status, ready } = plans[0]!.tasks[index - 1]!;
    const waits = next.waiting.find((each) => each.id === id)?.on;
    return waits ? { status, ready, waits } : { status, ready };
  };

  describe.each([
    ['elements', PLAN_TEXT],
    ['checkboxes', BOXES],
  ])('in a plan of %s', (kind, text) => {
    const aProject = () => new TestProject({ [PLAN]: text });

    test('skip: it is given up, whatever came before', async () => {
      const project = aProject();
      await project.submit(failure());
      expect(stands(project)).toEqual({ status: 'failed', ready: true });
      const { notes } = await resolveTask(project.project, TASK, 'skip');
      expect(notes.map(({ code }) => code)).toEqual(kind === 'checkboxes' ? ['status-not-shown'] : []);
      expect(stands(project)).toEqual({ status: 'skipped', ready: false });
      expect(nextTasks(project.project).next).toEqual([]);
      await expect(startTask(project.project, TASK)).rejects.toThrow(
        '03-01:1 was not started: it was skipped. `teddy task resolve 03-01:1 retry`',
      );
    });

    test('abort: it waits for a person, until there is another word', async () => {
      const project = aProject();
      await project.submit(failure());
      await resolveTask(project.project, TASK, 'abort');
      expect(stands(project)).toEqual({ status: 'failed', ready: false, waits: ['a person'] });
      await expect(startTask(project.project, TASK)).rejects.toThrow(/not started: it was aborted/);
      await resolveTask(project.project, TASK, 'retry');
      expect(stands(project)).toEqual({ status: 'pending', ready: true });
    });

    test('counts until there is a newer result, be it of the same second', async () => {
      const project = aProject();
      for (const answer of ['abort', 'skip', 'retry']) {
        await resolveTask(project.project, TASK, answer);
        await project.submit(failure({ evidence: `"after ${answer}"` }));
        expect(stands(project)).toEqual({ status: 'failed', ready: true });
      }
      await resolveTask(project.project, TASK, 'abort');
      const { waiting, next } = await project.submit(blocked());
      expect({ waiting, next }).toMatchObject({
        next: [],
        waiting: expect.arrayContaining([expect.objectContaining({ id: TASK, on: [] })]),
      });
      expect(stands(project)).toMatchObject({ status: 'blocked', ready: false });
    });

    test('ends what somebody began', async () => {
      const project = aProject();
      await startTask(project.project, TASK);
      expect(stands(project)).toEqual({ status: 'in_progress', ready: false });
      await resolveTask(project.project, TASK, 'skip');
      expect(stands(project).status).toBe('skipped');
      expect(project.session.tasks).toMatchObject([{ task_id: TASK, status: 'abandoned', attempts: 1 }]);
      await resolveTask(project.project, TASK, 'fix: it');
      expect(await startTask(project.project, TASK)).toMatchObject({ attempts: 2, startedBefore: null });
    });
  });

  test('a person who makes an aborted task pending in the plan has decided, too', async () => {
    const project = new TestProject();
    await resolveTask(project.project, TASK, 'abort');
    expect(stands(project)).toMatchObject({ waits: ['a person'] });
    writeFileSync(join(project.root, PLAN), PLAN_TEXT);
    expect(stands(project)).toEqual({ status: 'pending', ready: true });
  });

  test('is masked', async () => {
    const project = new TestProject();
    const mask = (text: string) => text.replaceAll('s3cret', '[masked]');
    const { instruction } = await resolveTask(project.project, TASK, 'fix: use s3cret', { mask });
    expect(instruction).toBe('use [masked]');
    expect(project.read(RESOLUTIONS)).not.toContain('s3cret');
    await expect(resolveTask(project.project, TASK, 's3cret', { mask })).rejects.toThrow('"[masked]" is no');
  });

  test('says the id once', async () => {
    const project = new TestProject();
    const said = async (work: Promise<unknown>) =>
      (await work.catch((error: Error) => error.message)) as string;
    await project.submit(resultText());
    for (const sentence of [
      await said(startTask(project.project, TASK)),
      await said(resolveTask(project.project, TASK, 'skip')),
      await said(startTask(project.project, '03-01:3')),
    ])
      expect(sentence.split(/03-01:[13]/), sentence).toHaveLength(2);
    expect(await said(startTask(project.project, 'this one'))).toMatch(/^"this one" is not a task id/);
  });

  test('that lies among lines that are not ours is read, and they are passed over', async () => {
    const lines = [
      'null',
      '7',
      '[]',
      '{',
      '{"task_id":"03-01:1"}',
      '{"at":5,"task_id":"03-01:1","decision":"abort"}',
      '{"at":"2030","task_id":"03-01:1","decision":"toString"}',
      '{"at":"2030","task_id":"03-01:1","decision":"fix","instruction":{}}',
      '{"at":"2030","task_id":"03-01:1","decision":"skip","results":"x"}',
      '\u0000\ufffd',
    ];
    for (const ending of ['\n', '']) {
      const project = new TestProject({ [RESOLUTIONS]: lines.join('\n') + ending });
      expect(showTask(project.project, TASK).resolutions).toEqual([]);
      await resolveTask(project.project, TASK, 'fix: y');
      await resolveTask(project.project, TASK, 'abort');
      const { resolutions } = showTask(project.project, TASK);
      expect(resolutions).toMatchObject([{ decision: 'fix', instruction: 'y' }, { decision: 'abort' }]);
      expect(project.read(RESOLUTIONS).startsWith(`${lines.join('\n')}\n{`)).toBe(true);
    }
  });

  test('no bytes there keep a result from being captured', async () => {
    const project = new TestProject({ [RESOLUTIONS]: '' });
    writeFileSync(join(project.root, RESOLUTIONS), Buffer.from([0xff, 0xfe, 0, 10, 0xe9]));
    expect(await project.submit(resultText())).toMatchObject({ status: 'applied' });
  });

  test('of a file from before, without the number of results, goes by its time', async () => {
    const line = (at: string) => JSON.stringify({ at, task_id: TASK, decision: 'abort' });
    const project = new TestProject({ [RESOLUTIONS]: `${line('2026-01-26T10:30:44Z')}\n` });
    await project.submit(failure());
    expect(stands(project)).toEqual({ status: 'failed', ready: true });
    writeFileSync(join(project.root, RESOLUTIONS), `${line('2026-01-26T10:30:46Z')}\n`);
    expect(stands(project)).toMatchObject({ waits: ['a person'] });
  });
});

describe('the last result of a task', () => {
  const last = ({ project }: TestProject, id = TASK) => showTask(project, id).last;
  const DAY = `${LOGS}/executions/2026-01-26`;

  test('says why it failed, and where its log is', async () => {
    const project = new TestProject();
    expect(last(project)).toBeNull();
    await project.submit(failure());
    expect(last(project)).toEqual({
      log: `${DAY}/03-01-task-01-failure.yaml`,
      status: 'failure',
      error: 'One test fails.',
      evidence: 'It is there.',
      verdict: 'VALID',
      issues: [],
    });
    await project.submit(blocked());
    expect(last(project)).toMatchObject({ status: 'blocked', error: 'The database is missing.' });
    expect(last(project, '03-01:2')).toBeNull();
  });

  test('is the newest, whatever the ids are and however many there were that day', async () => {
    const project = new TestProject();
    const ids = ['9', 'b', '10', '2', 'a', '7', '8', '6', '5', '4', '3', '1'];
    for (const id of ids) await project.submit(failure({ error: `"of ${id}"` }), { id });
    expect(last(project)).toMatchObject({ error: 'of 1', log: `${DAY}/03-01-task-01-failure-12.yaml` });
    await project.submit(failure({ error: '"of 0"' }), { id: '0', at: '2026-01-27T00:00:00Z' });
    expect(last(project)).toMatchObject({ error: 'of 0' });
  });

  test('is found in the archive, and where it cannot be read its path is told', async () => {
    const project = new TestProject();
    await project.submit(failure());
    const log = 'executions/2026-01-26/03-01-task-01-failure.yaml';
    const archived = join(project.root, LOGS, log.replace('executions', 'archive'));
    mkdirSync(dirname(archived), { recursive: true });
    renameSync(join(project.root, LOGS, log), archived);
    expect(last(project)).toMatchObject({
      log: `${LOGS}/${log.replace('executions', 'archive')}`,
      error: 'One test fails.',
    });
    writeFileSync(archived, Buffer.from([0xff, 0]));
    expect(last(project)).toMatchObject({ status: 'failure', error: null, evidence: null });
    rmSync(archived);
    expect(last(project)).toEqual({
      log: `${LOGS}/${log}`,
      status: 'failure',
      error: null,
      evidence: null,
      verdict: null,
      issues: [],
    });
  });

  test('goes with a task that moved', async () => {
    const project = new TestProject();
    await project.submit(failure());
    writeFileSync(
      join(project.root, PLAN),
      project.read(PLAN).replace('<tasks>\n', '<tasks>\n<task><name>Task 0: Prepare</name></task>\n'),
    );
    expect(last(project)).toBeNull();
    expect(last(project, '03-01:2')).toMatchObject({ error: 'One test fails.' });
    const { plan } = findTaskById(project.project, '03-01:2');
    expect(getMetricsOfTasks(project.project, plan)).toMatchObject([{ taskIndex: 2, failed: 1 }]);
    expect(getTaskMetrics(project.project, '03-01', 1)).toBeNull();
    expect(getTaskMetrics(project.project, '03-01', 2)).toMatchObject({ failed: 1, taskIndex: 2 });
  });
});

describe('a task that is put before another', () => {
  const insertTask = (project: TestProject, name: string) =>
    writeFileSync(
      join(project.root, PLAN),
      project.read(PLAN).replace('<tasks>\n', `<tasks>\n<task><name>${name}</name></task>\n`),
    );
  const statuses = ({ project }: TestProject) =>
    listProject(project, PLAN).plans[0]!.tasks.map(({ status }) => status);

  test.each(['Task 0: Prepare', 'Task 1: Prepare', 'Prepare'])('takes nothing of it: %s', async (name) => {
    const project = new TestProject();
    await project.submit(failure());
    await resolveTask(project.project, TASK, 'fix: y');
    await startTask(project.project, TASK);
    insertTask(project, name);
    expect(statuses(project)).toEqual(['pending', 'in_progress', 'pending', 'pending']);
    expect(showTask(project.project, TASK)).toMatchObject({ record: null, resolutions: [] });
    expect(showTask(project.project, '03-01:2')).toMatchObject({
      record: { failed: 1 },
      resolutions: [{ decision: 'fix' }],
    });
    await startTask(project.project, TASK);
    expect(statuses(project)).toEqual(['in_progress', 'in_progress', 'pending', 'pending']);
    await resolveTask(project.project, '03-01:2', 'retry');
    expect(statuses(project)).toEqual(['in_progress', 'pending', 'pending', 'pending']);
  });

  test('a result for the one that moved ends its start', async () => {
    const project = new TestProject();
    await startTask(project.project, TASK);
    insertTask(project, 'Task 0: Prepare');
    expect(statuses(project)[1]).toBe('in_progress');
    await project.submit(failure(), { at: '2100-01-01T00:00:00Z' });
    expect(statuses(project)).toEqual(['pending', 'failed', 'pending', 'pending']);
  });

  test('other words of an executor are the same name', async () => {
    const project = new TestProject();
    await project.submit(failure({ task_name: '"task 1 - create the AGENT"' }));
    expect(showTask(project.project, TASK).record).toMatchObject({ failed: 1 });
    const plain = new TestProject({ [PLAN]: PLAN_TEXT.replaceAll(/Task \d: /g, '') });
    await plain.submit(failure({ task_name: '"Task 2: Add the protocol"' }));
    expect(showTask(plain.project, '03-01:2').record).toMatchObject({ failed: 1 });
    expect(showTask(plain.project, TASK).record).toBeNull();
  });
});

test('many tasks with many records are listed', async () => {
  const count = 20_000;
  const tasks = Array.from({ length: count }, (_, i) => `<task><name>Task ${i + 1}: T</name></task>\n`);
  const project = new TestProject({ [PLAN]: `<tasks>\n${tasks.join('')}</tasks>\n` });
  const lines = tasks.map((_, i) =>
    JSON.stringify({ at: '2030', task_id: `03-01:${i + 1}`, task_name: `Task ${i}: T`, decision: 'abort' }),
  );
  mkdirSync(join(project.root, LOGS), { recursive: true });
  writeFileSync(join(project.root, RESOLUTIONS), `${lines.join('\n')}\n`);
  const { plans, next } = listProject(project.project);
  expect(plans[0]!.tasks).toHaveLength(count);
  expect(next.next).toHaveLength(1);
});

test('what a task holds up is found in any order, and in a circle', async () => {
  const task = (index: number, on: string) =>
    `<task depends_on="${on}"><name>Task ${index}: T</name></task>\n`;
  const project = new TestProject({
    '.planning/04-01-PLAN.md': [task(1, '2'), task(2, '3'), task(3, ''), task(4, '5'), task(5, '4')].join(''),
  });
  expect((await resolveTask(project.project, '04-01:3', 'skip')).blocks.sort()).toEqual([
    '04-01:1',
    '04-01:2',
  ]);
  expect((await resolveTask(project.project, '04-01:4', 'skip')).blocks).toEqual(['04-01:5']);
});

test('a plan that is left incomplete holds up those that need it, also by their waves', async () => {
  const plan = (frontmatter: string, tasks: string) => `---\n${frontmatter}\n---\n${tasks}`;
  const [open, done] = ['<task><name>A</name></task>\n', '<task status="completed"><name>A</name></task>\n'];
  const project = new TestProject({
    '.planning/04-01-PLAN.md': plan('wave: 1\nparallel: true', open + open),
    '.planning/04-02-PLAN.md': plan('wave: 2', done + open),
    '.planning/04-03-PLAN.md': plan('wave: 1', open),
    '.planning/05-01-PLAN.md': plan('depends_on: ["04-02"]', open),
    '.planning/05-02-PLAN.md': plan('depends_on: ["04-01", "05-02"]', done),
    '.planning/05-03-PLAN.md': plan('depends_on: ["05-02"]', open),
  });
  expect((await resolveTask(project.project, '04-01:1', 'skip')).blocks).toEqual(['04-02:2', '05-01:1']);
  expect((await resolveTask(project.project, '05-01:1', 'abort')).blocks).toEqual([]);
});

describe('a record that is not what teddy wrote inside', () => {
  const SESSION = `${LOGS}/current-session.json`;
  const RECORD = `${LOGS}/summary/plan-03-01.json`;
  const DAY = `${LOGS}/summary/daily-2026-01-26.json`;
  const SUM = `${LOGS}/summary/project.json`;
  type Json = Record<string, unknown>;

  const DAMAGES: [string, (record: Json) => unknown][] = [
    [SESSION, (record) => ({ ...record, tasks: [null] })],
    [SESSION, (record) => ({ ...record, tasks: [{ task_id: 1 }] })],
    [
      SESSION,
      (record) => ({ ...record, tasks: [{ task_id: '', task_name: '', status: 'odd', attempts: 1 }] }),
    ],
    [SESSION, (record) => ({ ...record, tasks: {} })],
    [SESSION, (record) => ({ ...record, ledger: {} })],
    [SESSION, (record) => ({ ...record, session_id: 7 })],
    [SESSION, () => [1]],
    [SESSION, () => null],
    [RECORD, (record) => ({ ...record, tasks: { 1: {} } })],
    [RECORD, (record) => ({ ...record, tasks: { 1: null } })],
    [RECORD, (record) => ({ ...record, tasks: { 1: { ...(record.tasks as Json[])[1], retries: 'x' } } })],
    [RECORD, (record) => ({ ...record, tasks: [] })],
    [RECORD, (record) => ({ ...record, ids: { a: 'executions/x' } })],
    [RECORD, (record) => ({ ...record, ids: { a: { log: 1, text: '' } } })],
    [RECORD, (record) => ({ ...record, started: { 1: 5 } })],
    [RECORD, (record) => ({ ...record, started: { 1: '2026-01-26T10:00:00Z' } })],
    [RECORD, (record) => ({ ...record, min_duration_ms: '3' })],
    [DAY, (record) => ({ ...record, by_plan: { '03-01': {} } })],
    [
      DAY,
      (record) => ({
        ...record,
        by_plan: { '03-01': { tasks: 1, succeeded: 1, failed: 0, duration_ms: 1, blocked: 'x' } },
      }),
    ],
    [SUM, (record) => ({ ...record, results: null })],
  ];

  test.each(DAMAGES)('%s (%#): it is named, with a way out that helps', async (path, damage) => {
    const project = new TestProject();
    await project.submit(resultText());
    const whole = project.json<Json>(path);
    const write = (text: string) => writeFileSync(join(project.root, path), text);
    write(JSON.stringify(damage(whole)));
    const next = () => project.submit(failure({ task_name: '"Task 2: Add the protocol"' }));
    await expect(next()).rejects.toThrow(`${path} is damaged`);
    if (path === SESSION) {
      await expect(next()).rejects.toThrow(/delete it/);
      return;
    }
    await expect(next()).rejects.toThrow(/teddy metrics --rebuild/);
    await rebuildMetrics(project.project, { write: true });
    expect(project.json(path)).toEqual(whole);
    expect(await next()).toMatchObject({ status: 'applied' });
  });

  test('a number beyond all numbers is none', async () => {
    const project = new TestProject();
    await project.submit(resultText());
    for (const [path, read] of [
      [RECORD, () => getPlanMetrics(project.project, '03-01')],
      [SUM, () => getProjectMetrics(project.project)],
      [DAY, () => getDailyMetrics(project.project, '2026-01-26')],
    ] as const) {
      const whole = project.read(path);
      expect(read()).not.toBeNull();
      writeFileSync(join(project.root, path), whole.replace('32000', '1e999'));
      expect(read).toThrow(`${path} is damaged`);
    }
  });

  test('a key more does no harm', async () => {
    const project = new TestProject();
    await project.submit(resultText());
    writeFileSync(
      join(project.root, RECORD),
      JSON.stringify({ ...project.json<Json>(RECORD), more: [null] }),
    );
    expect(getPlanMetrics(project.project, '03-01')).not.toBeNull();
    expect(await project.submit(resultText(), { plan: PLAN })).toMatchObject({ status: 'duplicate' });
  });
});

describe('a log keeps how its result was judged', () => {
  const last = ({ project }: TestProject, id = TASK) => showTask(project, id).last;

  test('the verdict, its issues, and notes such as a checkbox that is missing', async () => {
    const project = new TestProject({ [PLAN]: PLAN_TEXT.replace('- [ ] Task 1: Create the agent\n', '') });
    const text = resultText({ evidence: 'Made #12' });
    const { notes } = await project.submit(text);
    expect(notes.map(({ code }) => code)).toContain('checkbox-missing');
    const { verdict, issues, evidence } = last(project)!;
    expect(verdict).toBe('VALID_WITH_WARNINGS');
    expect(evidence).toBe('Made #12');
    expect(issues).toMatchObject([
      { code: 'text-unquoted', severity: 'warning', field: 'evidence' },
      { code: 'checkbox-missing', severity: 'warning' },
    ]);
    const log = project.read(`${LOGS}/executions/2026-01-26/03-01-task-01-success.yaml`);
    expect(log).toContain('\nresult:\n  status: success\n');
    expect(log).toContain('\n  evidence: Made #12\n');
    expect(await rebuildMetrics(project.project)).toMatchObject({ drift: false });
  });

  test('secrets in them are masked', async () => {
    const project = new TestProject();
    const mask = (text: string) => text.replaceAll('hunter2', '[masked]');
    await project.submit(resultText({ evidence: 'Made #hunter2' }), { mask });
    expect(project.read(`${LOGS}/executions/2026-01-26/03-01-task-01-success.yaml`)).not.toContain('hunter2');
    expect(last(project)?.issues[0]?.hint).toContain('[masked]');
  });

  test('a log of an older version has none, and is read', async () => {
    const project = new TestProject();
    await project.submit(failure());
    const path = join(project.root, `${LOGS}/executions/2026-01-26/03-01-task-01-failure.yaml`);
    const log = project.read(`${LOGS}/executions/2026-01-26/03-01-task-01-failure.yaml`);
    writeFileSync(path, log.replace(/^verdict: VALID\nissues: \[\]\n/m, ''));
    expect(last(project)).toMatchObject({ error: 'One test fails.', verdict: null, issues: [] });
    writeFileSync(
      path,
      log.replace('issues: []', 'issues: [3, {code: x}, {code: y, severity: odd, message: z}]'),
    );
    expect(last(project)).toMatchObject({ verdict: 'VALID', issues: [] });
  });
});

describe('a blocked result', () => {
  const OTHER = '.planning/phases/03/03-02-PLAN.md';
  const parallel = PLAN_TEXT.replace('plan: 01\n', 'plan: 01\nparallel: true\n');
  const other = parallel
    .replace('plan: 01', 'plan: 02')
    .replaceAll('Task 1: Create the agent', 'Task 1: Tell of it');
  const named = (index: number, error: string) =>
    blocked({ task_name: `"Task ${index}: ${['Create the agent', 'Add the protocol'][index - 1]}"`, error });
  const outlook = ({ project }: TestProject) => {
    const { next, waiting } = nextTasks(project);
    return { next: next.map(({ id }) => id), waiting: waiting.map(({ id, on }) => [id, ...on]) };
  };

  test('is queued behind what its error names, until that is done', async () => {
    const project = new TestProject({ [PLAN]: parallel });
    const { notes, waiting } = await project.submit(named(2, '"Waits for Task 1: no agent yet."'));
    expect(notes[0]).toMatchObject({ code: 'task-queued', message: expect.stringContaining('03-01:1') });
    expect(waiting).toEqual([{ id: '03-01:2', name: 'Task 2: Add the protocol', on: ['03-01:1'] }]);
    expect(project.yaml(`${LOGS}/executions/2026-01-26/03-01-task-02-blocked.yaml`)).toMatchObject({
      behind: ['03-01:1'],
    });
    const after = await project.submit(resultText());
    expect(after.next.map(({ id }) => id)).toEqual(['03-01:2', '03-01:3']);
    expect(await rebuildMetrics(project.project)).toMatchObject({ drift: false });
  });

  test('and so behind a task of another plan', async () => {
    const project = new TestProject({ [PLAN]: parallel, [OTHER]: other });
    await project.submit(named(1, '"03-02:1 has to be done first"'));
    expect(outlook(project).waiting).toEqual([['03-01:1', '03-02:1']]);
    const text = resultText({ task_name: '"Task 1: Tell of it"' });
    const { next } = await project.submit(text, { plan: OTHER });
    expect(next.map(({ id }) => id)).toContain('03-01:1');
  });

  test.each([
    ['that names nothing', 'The database is missing.'],
    ['that names itself', 'Task 2 is too large.'],
    ['that names what waits for it', 'Task 3 has to be done first.'],
  ])('%s waits for a person', async (_, error) => {
    const project = new TestProject();
    await project.submit(resultText());
    const { waiting, notes } = await project.submit(named(2, JSON.stringify(error)));
    expect(waiting[0]).toMatchObject({ id: '03-01:2', on: [] });
    expect(notes).toEqual([]);
  });

  test('two never wait for each other', async () => {
    const project = new TestProject({ [PLAN]: parallel });
    await project.submit(named(1, '"Task 2 is missing"'));
    await project.submit(named(2, '"Task 1 is missing"'));
    expect(outlook(project).waiting).toEqual([['03-01:1', '03-01:2'], ['03-01:2']]);
  });

  test('that names what is done can begin again, but only once', async () => {
    const project = new TestProject();
    await project.submit(resultText());
    const again = (attempt: number) => named(2, `"Task 1 left nothing, ${attempt}"`);
    const first = await project.submit(again(1));
    expect(first.next.map(({ id }) => id)).toEqual(['03-01:2']);
    expect(first.notes[0]?.message).toContain('03-01:1, which is completed: it can start again.');
    expect((await project.submit(again(2))).waiting[0]).toMatchObject({ id: '03-01:2', on: [] });
  });

  test('a person ends the wait', async () => {
    const project = new TestProject({ [PLAN]: parallel });
    await project.submit(named(2, '"Waits for Task 1"'));
    await resolveTask(project.project, '03-01:2', 'retry');
    expect(outlook(project)).toEqual({ next: ['03-01:1', '03-01:2', '03-01:3'], waiting: [] });
  });
});

test('with its last task a project is done, and not before', async () => {
  const one = '- [ ] Task 1: One\n';
  const project = new TestProject({ [PLAN]: one, '.planning/03-02-PLAN.md': one.replace('One', 'Two') });
  const done = (name: string) => resultText({ task_name: `"Task 1: ${name}"` });
  expect(await project.submit(done('One'))).toMatchObject({ allDone: false, next: [] });
  expect(await project.submit(done('Two'), { plan: '03-02' })).toMatchObject({ allDone: true });
});
