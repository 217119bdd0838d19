import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/node/ids.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import type { PlanRecord, ProjectRecord } from '../../src/tasks/metrics/records.js';
import { aResult, DIR, LogBook, logText } from './logs.js';

/** Two plans over two days, the first task with a failure before its success. */
function aBook(): LogBook {
  const book = new LogBook();
  book.add(aResult({ status: 'failure', durationMs: 10_000 }));
  book.add(aResult({ attempt: 2, durationMs: 20_000, loggedAt: '2026-01-26T11:00:00Z' }));
  book.add(aResult({ planId: '03-02', loggedAt: '2026-01-27T09:00:00Z' }));
  return book.save();
}

const summary = (book: LogBook) =>
  Object.fromEntries(Object.entries(book.snapshot()).filter(([path]) => path.startsWith('summary/')));

describe('rebuildMetrics', () => {
  test('in an empty project there is nothing, and no drift', async () => {
    const rebuilt = await rebuildMetrics(new LogBook().project, { write: true });
    expect(rebuilt).toEqual({ drift: false, differences: [], results: 0, damaged: [] });
  });

  test('names each difference, and leaves it without `write`', async () => {
    const book = aBook();
    const project = book.readJson('summary/project.json') as ProjectRecord;
    book.writeJson('summary/project.json', { ...project, results: 4, extra: true });
    const plan = book.readJson('summary/plan-03-01.json') as PlanRecord;
    plan.tasks['1']!.last_status = 'failure';
    book.writeJson('summary/plan-03-01.json', plan);
    rmSync(book.at('summary/daily-2026-01-27.json'));
    const before = book.snapshot();

    const rebuilt = await rebuildMetrics(book.project);
    expect(rebuilt.drift).toBe(true);
    expect(rebuilt.differences).toHaveLength(4);
    expect(rebuilt.differences).toEqual(
      expect.arrayContaining([
        { file: `${DIR}/summary/project.json`, field: 'results', recorded: 4, logged: 3 },
        { file: `${DIR}/summary/project.json`, field: 'extra', recorded: true, logged: null },
        {
          file: `${DIR}/summary/plan-03-01.json`,
          field: 'tasks.1.last_status',
          recorded: 'failure',
          logged: 'success',
        },
        { file: `${DIR}/summary/daily-2026-01-27.json`, field: null, recorded: null, logged: 1 },
      ]),
    );
    expect(book.snapshot()).toEqual(before);
  });

  test('with `write` the records are what they were, and there is no drift any more', async () => {
    const book = aBook();
    const before = summary(book);
    book.write('summary/project.json', 'torn');
    book.write('summary/plan-03-01.json', '[]');
    rmSync(book.at('summary/daily-2026-01-26.json'));
    const rebuilt = await rebuildMetrics(book.project, { write: true });
    expect(rebuilt.differences).toContainEqual({
      file: `${DIR}/summary/project.json`,
      field: null,
      recorded: 'damaged',
      logged: 3,
    });
    expect(summary(book)).toEqual(before);
    expect((await rebuildMetrics(book.project)).drift).toBe(false);
  });

  test('tasks that somebody works on stay, and are no difference', async () => {
    const book = aBook();
    const plan = book.readJson('summary/plan-03-01.json') as PlanRecord;
    plan.started = { 2: { at: '2026-01-26T12:00:00Z', name: 'Task 2: Add the protocol' } };
    book.writeJson('summary/plan-03-01.json', { ...plan, results: 7 });
    await rebuildMetrics(book.project, { write: true });
    expect(book.readJson('summary/plan-03-01.json')).toEqual(plan);
  });

  test('a plan that was only begun has no results, and that is no difference', async () => {
    const book = aBook();
    const begun = { ...(book.readJson('summary/plan-03-01.json') as PlanRecord), plan_id: '03-09' };
    book.writeJson('summary/plan-03-09.json', { ...begun, results: 0, tasks: {}, ids: {} });
    expect((await rebuildMetrics(book.project)).drift).toBe(false);
  });

  test('a log in the archive counts as one in its place', async () => {
    const book = aBook();
    mkdirSync(book.at('archive'));
    renameSync(book.at('executions/2026-01-26'), book.at('archive/2026-01-26'));
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 3, damaged: [] });
  });

  test('past sessions in the archive are no logs', async () => {
    const book = aBook();
    book.write('archive/sessions/x.yaml', 'x');
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, damaged: [] });
  });

  test('two logs that were written at the same path both count, wherever they are', async () => {
    const book = new LogBook();
    const first = book.add(aResult({ status: 'failure', durationMs: 1 }));
    mkdirSync(book.at('archive'));
    renameSync(book.at('executions/2026-01-26'), book.at('archive/2026-01-26'));
    const second = book.add(aResult({ status: 'failure', durationMs: 2 }));
    expect(second).toBe(first);
    book.save();
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 2, damaged: [] });
    // And in the archive together, the second under another name.
    renameSync(book.at(second), book.at('archive/2026-01-26/03-01-task-01-failure-2.yaml'));
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 2, damaged: [] });
  });

  test('a log that was changed is named and not counted, and what had counted it stays', async () => {
    const book = aBook();
    const log = 'executions/2026-01-26/03-01-task-01-failure.yaml';
    book.write(log, book.read(log).replace('10000', '1000'));
    const other = book.readJson('summary/plan-03-02.json') as PlanRecord;
    book.writeJson('summary/plan-03-02.json', { ...other, files: 7 });
    const before = summary(book);
    const changed = (name: string, recorded: number) => ({
      file: `${DIR}/summary/${name}.json`,
      field: null,
      recorded,
      logged: 'changed',
    });
    for (const wrong of [1, 0]) {
      const rebuilt = await rebuildMetrics(book.project, { write: true });
      expect(rebuilt).toMatchObject({
        drift: true,
        results: 2,
        damaged: [{ path: `${DIR}/${log}`, reason: expect.stringContaining('changed after it was written') }],
      });
      expect(rebuilt.differences.filter(({ logged }) => logged === 'changed')).toEqual(
        expect.arrayContaining([
          changed('daily-2026-01-26', 2),
          changed('plan-03-01', 2),
          changed('project', 3),
        ]),
      );
      expect(rebuilt.differences).toHaveLength(3 + wrong);
    }
    // What no changed log has to do with is put right.
    expect({ ...before, ...summary(book) }).toEqual({
      ...before,
      'summary/plan-03-02.json': `${JSON.stringify(other, null, 2)}\n`,
    });
  });

  test('a record that is gone is made again of the logs that were not changed', async () => {
    const book = aBook();
    const log = 'executions/2026-01-26/03-01-task-01-failure.yaml';
    book.write(log, `${book.read(log)}# more\n`);
    rmSync(book.at('summary'), { recursive: true });
    expect(await rebuildMetrics(book.project, { write: true })).toMatchObject({ drift: true, results: 2 });
    expect(book.readJson('summary/project.json')).toMatchObject({ results: 2, failed: 0 });
    const { ids } = book.readJson('summary/plan-03-01.json') as PlanRecord;
    expect(Object.values(ids)).toContainEqual(expect.objectContaining({ log }));
  });

  test('logs that are damaged or gone are named and not counted, and their ids stay', async () => {
    const book = new LogBook();
    // Such a log was never another: the ledger has its hash.
    const torn = 'plan_id: "03-01"\n';
    const facts = aResult({ status: 'failure' });
    book.add(facts);
    book.add(aResult({ attempt: 2, loggedAt: '2026-01-26T11:00:00Z' }));
    book.add(aResult({ planId: '03-02', loggedAt: '2026-01-27T09:00:00Z' }));
    book.save();
    const lines = book.read('ledger.jsonl');
    book.write('ledger.jsonl', lines.replace(sha256(logText(facts)), sha256(torn)));
    const ids = (book.readJson('summary/plan-03-01.json') as PlanRecord).ids;
    book.write('executions/2026-01-26/03-01-task-01-failure.yaml', torn);
    rmSync(book.at('executions/2026-01-26/03-01-task-01-success.yaml'));
    const rebuilt = await rebuildMetrics(book.project, { write: true });
    expect(rebuilt.results).toBe(1);
    expect(rebuilt.damaged.map(({ path }) => path).sort()).toEqual([
      `${DIR}/executions/2026-01-26/03-01-task-01-failure.yaml`,
      `${DIR}/executions/2026-01-26/03-01-task-01-success.yaml`,
    ]);
    expect(book.readJson('summary/project.json')).toMatchObject({ results: 1 });
    // Nothing is left of this plan but its record.
    expect(book.readJson('summary/plan-03-01.json')).toMatchObject({ results: 2, ids });
  });

  test('a record without logs is a difference each time, and stays', async () => {
    const book = aBook();
    rmSync(book.at('executions/2026-01-27'), { recursive: true });
    const before = book.read('summary/daily-2026-01-27.json');
    const gone = {
      file: `${DIR}/summary/daily-2026-01-27.json`,
      field: null,
      recorded: 1,
      logged: 0,
    };
    for (const _ of [1, 2]) {
      const { drift, differences } = await rebuildMetrics(book.project, { write: true });
      expect(drift).toBe(true);
      expect(differences).toContainEqual(gone);
      expect(book.read('summary/daily-2026-01-27.json')).toBe(before);
    }
  });

  test('without a ledger the logs count by their time, and the records keep the ids', async () => {
    const book = aBook();
    rmSync(book.at('ledger.jsonl'));
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 3 });
  });

  test('a log whose line was lost counts between its neighbours', async () => {
    const book = aBook();
    const [, ...rest] = book.read('ledger.jsonl').split('\n');
    book.write('ledger.jsonl', ['{"n":1,', ...rest].join('\n'));
    // Counted last, it would make the first attempt a success and the last status a failure.
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 3 });
  });

  test('two lines that name one log count it once', async () => {
    const book = aBook();
    const log = 'executions/2026-01-27/03-02-task-01-success.yaml';
    const facts = aResult({ planId: '03-02', loggedAt: '2026-01-27T09:00:00Z' });
    book.addLine({ facts, id: 'other', log, hash: sha256(logText(facts)) });
    expect((await rebuildMetrics(book.project)).results).toBe(3);
  });

  test('a result that comes while the logs are read is counted, and is no drift', async () => {
    const book = aBook();
    const { workspace } = book.project;
    const view = workspace.view.bind(workspace);
    let came = false;
    const late = aResult({ planId: '03-02', taskIndex: 2, loggedAt: '2026-01-27T10:00:00Z' });
    // Two looks take stock of the logs, under the lock; the next one is that at the logs.
    let looks = 0;
    workspace.view = (work) => {
      if (++looks === 3) {
        came = true;
        book.add(late);
        book.save();
      }
      return view(work);
    };
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 4 });
    expect(came).toBe(true);
  });

  test('a daily summary with a wrong plan has its field named', async () => {
    const book = aBook();
    book.summaries.add(aResult({ planId: '09-09' }));
    book.writeJson('summary/daily-2026-01-26.json', book.summaries.days.get('2026-01-26'));
    const { differences } = await rebuildMetrics(book.project);
    expect(differences.find(({ field }) => field?.startsWith('by_plan'))).toMatchObject({
      field: 'by_plan.09-09',
      logged: null,
    });
  });

  test('what was written ends in a line ending, as all records do', async () => {
    const book = aBook();
    rmSync(book.at('summary'), { recursive: true });
    await rebuildMetrics(book.project, { write: true });
    expect(readFileSync(book.at('summary/project.json'), 'utf8')).toMatch(/\}\n$/);
  });
});
