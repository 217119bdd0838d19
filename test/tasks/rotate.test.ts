import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rotateLogs } from '../../src/tasks/logs/rotate.js';
import { verifyLogs } from '../../src/tasks/logs/verify-logs.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { aResult, aSession, DIR, LogBook } from './logs.js';

const on = (day: string, planId = '03-01') => aResult({ planId, loggedAt: `${day}T10:00:00Z` });
const rotate = (book: LogBook, today: string, dryRun = false) => rotateLogs(book.project, today, { dryRun });

/** The contents of all files, whatever their names. */
const contents = (book: LogBook) => Object.values(book.snapshot()).sort();

describe('rotateLogs', () => {
  test('30 days stay, and the 31st goes', async () => {
    const book = new LogBook();
    for (const day of ['2026-01-26', '2025-12-27', '2025-12-26', '2024-02-29']) book.add(on(day));
    book.save();
    const before = book.snapshot();
    expect(await rotate(book, '2026-01-26')).toEqual({
      status: 'rotated',
      days: ['2024-02-29', '2025-12-26'],
      sessions: [],
      left: [],
    });
    expect(book.snapshot()).toEqual(
      Object.fromEntries(
        Object.entries(before).map(([path, text]) => [
          path.replace(/^executions\/(2024-02-29|2025-12-26)/, 'archive/$1'),
          text,
        ]),
      ),
    );
    expect(await verifyLogs(book.project)).toMatchObject({ ok: true });
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 4, damaged: [] });
  });

  test('a dry run says the same and moves nothing', async () => {
    const book = new LogBook();
    book.add(on('2025-01-01'));
    book.save();
    for (let i = 0; i < 11; i++)
      book.writeJson(`sessions/s${i}.json`, aSession(`s${i}`, `2026-01-01T00:00:${10 + i}Z`));
    const before = book.snapshot();
    const said = await rotate(book, '2026-01-26', true);
    expect(said).toEqual({ status: 'rotated', days: ['2025-01-01'], sessions: ['s0.json'], left: [] });
    expect(book.snapshot()).toEqual(before);
    expect(await rotate(book, '2026-01-26')).toEqual(said);
    expect(await rotate(book, '2026-01-26')).toMatchObject({ days: [], sessions: [] });
  });

  test('where the archive has the day, the files go one by one, and a name that is taken gets a number', async () => {
    const book = new LogBook();
    const log = book.add(on('2025-01-01'));
    await rotate(book, '2026-01-26');
    // A clock that was set back: the same names again, and more of them than one commit holds.
    expect(book.add(on('2025-01-01'))).toBe(log);
    for (let plan = 1; plan <= 120; plan++) book.add(on('2025-01-01', `04-${plan}`));
    book.save();
    const before = contents(book);
    expect(await rotate(book, '2026-01-26')).toMatchObject({ days: ['2025-01-01'], left: [] });
    expect(contents(book)).toEqual(before);
    expect(book.has(log)).toBe(false);
    expect(book.has('archive/2025-01-01/03-01-task-01-success.yaml')).toBe(true);
    expect(book.has('archive/2025-01-01/03-01-task-01-success-2.yaml')).toBe(true);
    expect(await verifyLogs(book.project)).toEqual({ ok: true, entries: 122, problems: [] });
    expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, results: 122 });
    expect(await rotate(book, '2026-01-26')).toMatchObject({ days: [], left: [] });
  });

  test('the last ten sessions stay, by their last update and not by their names', async () => {
    const book = new LogBook();
    const times = [5, 3, 11, 1, 9, 7, 12, 2, 10, 4, 8, 6];
    times.forEach((time, i) => {
      const at = `2026-01-01T00:00:${String(time).padStart(2, '0')}Z`;
      book.writeJson(`sessions/s${String(i).padStart(2, '0')}.json`, aSession(`s${i}`, at));
    });
    book.write('sessions/torn.json', '{');
    book.writeJson('archive/sessions/s03.json', 'there already');
    const before = contents(book);
    const rotated = await rotate(book, '2026-01-26');
    expect(rotated).toMatchObject({ sessions: ['s07.json', 's03.json', 'torn.json'] });
    expect(contents(book)).toEqual(before);
    expect(Object.keys(book.snapshot('archive'))).toEqual([
      'archive/sessions/s03-2.json',
      'archive/sessions/s03.json',
      'archive/sessions/s07.json',
      'archive/sessions/torn.json',
    ]);
    expect(Object.keys(book.snapshot('sessions'))).toHaveLength(10);
  });

  test('what is not a day, a file of ours or a real folder stays', async () => {
    const book = new LogBook();
    book.write('executions/old/a.yaml', 'a');
    book.write('executions/2020-01-01', 'a file');
    book.write('elsewhere/b.yaml', 'b');
    symlinkSync('../elsewhere', book.at('executions/2020-01-02'));
    book.write('sessions/notes.txt', 'notes');
    const before = book.snapshot('executions/old');
    expect(await rotate(book, '2026-01-26')).toEqual({ status: 'rotated', days: [], sessions: [], left: [] });
    expect(book.snapshot('executions/old')).toEqual(before);
    expect(book.has('executions/2020-01-02/b.yaml')).toBe(true);
  });

  test('a folder inside a day that must go by files is left, and said', async () => {
    const book = new LogBook();
    book.write('archive/2025-01-01/a.yaml', 'a');
    book.write('executions/2025-01-01/sub/b.yaml', 'b');
    book.write('executions/2025-01-01/c.yaml', 'c');
    expect(await rotate(book, '2026-01-26')).toMatchObject({
      left: [{ path: `${DIR}/executions/2025-01-01/sub`, reason: 'is a folder' }],
    });
    expect(book.has('archive/2025-01-01/c.yaml')).toBe(true);
  });

  test('without logs there is nothing to do', async () => {
    expect(await rotate(new LogBook(), '2026-01-26')).toEqual({
      status: 'rotated',
      days: [],
      sessions: [],
      left: [],
    });
  });

  test('a root that cannot serve is a value with a reason', async () => {
    const book = new LogBook();
    book.add(on('2025-01-01'));
    // In the place of the tool's own folder.
    writeFileSync(`${book.root}/.teddy`, '');
    const rotated = await rotate(book, '2026-01-26');
    expect(rotated).toMatchObject({ status: 'failed', reason: expect.stringContaining('.teddy') });
    const nowhere = { ...book.project, workspace: new Workspace(`${book.root}/nowhere`) };
    expect(await rotateLogs(nowhere, '2026-01-26')).toMatchObject({ status: 'failed' });
  });

  test('rotating again and again loses nothing, whatever the clock says', async () => {
    const days = ['2025-12-20', '2025-12-25', '2025-12-31'];
    const step = fc.oneof(
      fc.constantFrom(...days).map((day) => ({ add: day })),
      fc.constantFrom('2026-01-24', '2026-01-28', '2026-02-05').map((today) => ({ rotate: today })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const book = new LogBook();
        mkdirSync(book.at(''), { recursive: true });
        for (const each of steps) {
          if ('add' in each)
            book.add(
              aResult({ loggedAt: `${each.add}T10:00:00Z`, durationMs: book.summaries.project.results }),
            );
          else expect(await rotate(book, each.rotate)).toMatchObject({ status: 'rotated', left: [] });
        }
        book.save();
        expect(await verifyLogs(book.project)).toMatchObject({ ok: true, problems: [] });
        expect(await rebuildMetrics(book.project)).toMatchObject({ drift: false, damaged: [] });
      }),
      { numRuns: 25 },
    );
  });
});
