import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/node/ids.js';
import { verifyLogs } from '../../src/tasks/logs/verify-logs.js';
import { rebuildMetrics } from '../../src/tasks/metrics/rebuild.js';
import { emptyPlan } from '../../src/tasks/metrics/summaries.js';
import { aResult, aSession, DIR, LogBook, logText, someResult } from './logs.js';
import { LOGS, resultText, TestProject } from './project.js';

const LEDGER = 'ledger.jsonl';

function aBook(results = 5): LogBook {
  const book = new LogBook();
  for (let taskIndex = 1; taskIndex <= results; taskIndex++) book.add(aResult({ taskIndex }));
  return book.save();
}

const codes = async (book: LogBook) => (await verifyLogs(book.project)).problems.map(({ code }) => code);
const editLines = (book: LogBook, edit: (lines: string[]) => string[]) =>
  book.write(LEDGER, `${edit(book.read(LEDGER).trimEnd().split('\n')).join('\n')}\n`);

describe('verifyLogs', () => {
  test('what was written as it should be has no problem', async () => {
    expect(await verifyLogs(aBook().project)).toEqual({ ok: true, entries: 5, problems: [] });
    expect(await verifyLogs(new LogBook().project)).toEqual({ ok: true, entries: 0, problems: [] });
  });

  test('for any results', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someResult, { maxLength: 8 }), async (results) => {
        const book = new LogBook();
        for (const facts of results) book.add(facts);
        const { ok, entries } = await verifyLogs(book.save().project);
        expect({ ok, entries }).toEqual({ ok: true, entries: results.length });
      }),
      { numRuns: 20 },
    );
  });

  test('a changed byte in a log', async () => {
    const book = aBook();
    const log = 'executions/2026-01-26/03-01-task-02-success.yaml';
    book.write(log, book.read(log).replace('First', 'Fjrst'));
    const { ok, problems } = await verifyLogs(book.project);
    expect(ok).toBe(false);
    expect(problems).toEqual([
      {
        code: 'log-changed',
        line: 2,
        path: `${DIR}/${log}`,
        message: `Line 2 of ${DIR}/${LEDGER} names ${DIR}/${log}, which was changed after it was written.`,
      },
    ]);
  });

  test('a changed byte anywhere in the ledger', async () => {
    const book = aBook(3);
    const whole = book.read(LEDGER);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.constantFrom('x', '0', '"', '\n'), async (at, char) => {
        fc.pre(whole[at] !== char);
        book.write(LEDGER, whole.slice(0, at) + char + whole.slice(at + 1));
        expect((await verifyLogs(book.project)).ok).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('a line removed in the middle', async () => {
    const book = aBook();
    editLines(book, (lines) => lines.toSpliced(2, 1));
    const { problems } = await verifyLogs(book.project);
    expect(problems).toContainEqual(expect.objectContaining({ code: 'ledger-chain', line: 3 }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: 'log-unnamed',
        path: `${DIR}/executions/2026-01-26/03-01-task-03-success.yaml`,
      }),
    );
    expect(problems).toContainEqual(expect.objectContaining({ code: 'ledger-short' }));
    expect(problems).toHaveLength(3);
  });

  test('the first line removed', async () => {
    const book = aBook();
    editLines(book, (lines) => lines.slice(1));
    expect(await codes(book)).toContain('ledger-chain');
  });

  test('two lines swapped', async () => {
    const book = aBook();
    editLines(book, ([a, b, c, ...rest]) => [a!, c!, b!, ...rest]);
    expect(await codes(book)).toEqual(['ledger-chain', 'ledger-chain', 'ledger-chain']);
  });

  test('lines removed at the end, which the session remembers', async () => {
    const book = aBook();
    editLines(book, (lines) => lines.slice(0, 3));
    expect(await codes(book)).toEqual(['ledger-short', 'log-unnamed', 'log-unnamed']);
  });

  test('with their logs too', async () => {
    const book = aBook();
    editLines(book, (lines) => lines.slice(0, 4));
    rmSync(book.at('executions/2026-01-26/03-01-task-05-success.yaml'));
    expect(await codes(book)).toEqual(['ledger-short', 'result-lost']);
  });

  test('cut off in the middle of a line', async () => {
    const book = aBook();
    truncateSync(book.at(LEDGER), book.read(LEDGER).length - 20);
    expect(await codes(book)).toEqual(['ledger-line', 'session-head', 'ledger-open', 'log-unnamed']);
  });

  test('all of it gone', async () => {
    const book = aBook(2);
    rmSync(book.at(LEDGER));
    expect(await codes(book)).toEqual(['ledger-short', 'log-unnamed', 'log-unnamed']);
  });

  test('a line added with a right chain, but no log', async () => {
    const book = aBook();
    const log = 'executions/2026-01-26/03-01-task-09-success.yaml';
    book.addLine({ facts: aResult({ taskIndex: 9 }), id: 'x', log, hash: sha256('') });
    expect(await codes(book)).toEqual(['log-missing', 'ledger-unseen']);
    expect(await codes(book.save())).toEqual(['log-missing']);
  });

  test('a line that leads out of the logs', async () => {
    const book = aBook();
    book.write('../../outside.yaml', 'x');
    for (const log of [
      'executions/../../../outside.yaml',
      '../../outside.yaml',
      'executions/../ledger.jsonl',
    ])
      book.addLine({ facts: aResult(), id: log, log, hash: sha256('x') });
    expect(await codes(book.save())).toEqual(['log-missing', 'log-missing', 'log-missing']);
  });

  test('a log added without a line', async () => {
    const book = aBook();
    book.write('archive/2025-01-01/03-01-task-01-success.yaml', logText(aResult()));
    expect(await codes(book)).toEqual(['log-unnamed']);
  });

  test('an id twice in a plan; in another plan it is another', async () => {
    const book = new LogBook();
    book.add(aResult(), 'same');
    book.add(aResult({ planId: '03-02' }), 'same');
    book.add(aResult({ taskIndex: 2 }), 'same');
    const { problems } = await verifyLogs(book.save().project);
    expect(problems).toMatchObject([
      { code: 'id-twice', line: 3, message: expect.stringContaining('line 1') },
    ]);
  });

  test('a log that two lines name', async () => {
    const book = new LogBook();
    const log = book.add(aResult());
    book.addLine({ facts: aResult(), id: 'other', log, hash: sha256(logText(aResult())) });
    expect(await codes(book.save())).toEqual(['log-twice']);
  });

  test('a line with a wrong number', async () => {
    const book = aBook(2);
    // The last one, so that no chain is broken.
    editLines(book, ([first, last]) => [first!, last!.replace('"n":2', '"n":7')]);
    expect(await codes(book)).toEqual(['ledger-number', 'session-head']);
  });

  test('a session may be behind the ledger, but not beside it', async () => {
    const book = aBook();
    mkdirSync(book.at('sessions'));
    renameSync(book.at('current-session.json'), book.at('sessions/past.json'));
    const line = book.read(LEDGER).split('\n')[1]!;
    book.writeJson(
      'current-session.json',
      aSession('a', '2026-01-26T00:00:00Z', { count: 2, head: sha256(line) }),
    );
    expect(await codes(book)).toEqual([]);
    book.writeJson(
      'current-session.json',
      aSession('a', '2026-01-26T00:00:00Z', { count: 3, head: sha256(line) }),
    );
    expect(await codes(book)).toEqual(['session-head']);
  });

  test('a past session remembers as well', async () => {
    const book = aBook();
    renameSync(book.at('current-session.json'), book.at('past.json'));
    mkdirSync(book.at('sessions'));
    renameSync(book.at('past.json'), book.at('sessions/past.json'));
    book.writeJson('current-session.json', aSession('new', '2026-01-26T00:00:00Z'));
    expect(await codes(book)).toEqual([]);
    editLines(book, (lines) => lines.slice(0, 4));
    expect(await codes(book)).toContain('ledger-short');
  });

  test('a session that cannot be read', async () => {
    const book = aBook();
    book.write('current-session.json', '{"ledger": {"count": "5"}}');
    expect(await codes(book)).toEqual(['session-damaged']);
    book.write('current-session.json', 'torn');
    expect(await codes(book)).toEqual(['session-damaged']);
  });

  test('a session that went to the archive remembers as well', async () => {
    const book = aBook();
    mkdirSync(book.at('archive/sessions'), { recursive: true });
    renameSync(book.at('current-session.json'), book.at('archive/sessions/past.json'));
    book.writeJson('current-session.json', aSession('new', '2026-01-26T00:00:00Z'));
    expect(await codes(book)).toEqual([]);
    editLines(book, (lines) => lines.slice(0, 4));
    expect(await codes(book)).toContain('ledger-short');
  });

  test('a ledger whose end no session saw', async () => {
    const book = aBook();
    book.writeJson('current-session.json', aSession('new', '2026-01-26T00:00:00Z'));
    expect(await verifyLogs(book.project)).toMatchObject({
      ok: false,
      problems: [{ code: 'ledger-unseen', line: 5, message: expect.stringContaining('Line 5') }],
    });
    rmSync(book.at('current-session.json'));
    expect(await verifyLogs(book.project)).toMatchObject({
      problems: [{ code: 'session-missing', path: `${DIR}/current-session.json` }],
    });
  });

  test('the last line changed, and the session that saw it gone', async () => {
    for (const [from, to, said] of [
      ['"status":"success"', '"status":"failure"', 'failure'],
      ['"claimed":"success"', '"claimed":"blocked"', 'blocked'],
      ['"task":5', '"task":6', '6'],
      ['"plan":"03-01"', '"plan":"03-02"', '03-02'],
      ['"at":"2026-01-26T10:30:45Z"', '"at":"2026-01-26T10:30:46Z"', '10:30:46'],
    ] as const) {
      const book = aBook();
      editLines(book, (lines) => [...lines.slice(0, -1), lines.at(-1)!.replace(from, to)]);
      rmSync(book.at('current-session.json'));
      const { problems } = await verifyLogs(book.project);
      expect(problems).toContainEqual(
        expect.objectContaining({ code: 'log-differs', line: 5, message: expect.stringContaining(said) }),
      );
    }
  });

  test('an id or a text of the last line changed, and the session gone', async () => {
    for (const [from, to] of [
      [/"id":"[^"]*"/, '"id":"other"'],
      [/"text":"[^"]*"/, '"text":"0123456789abcdef"'],
    ] as const) {
      const book = aBook();
      editLines(book, (lines) => [...lines.slice(0, -1), lines.at(-1)!.replace(from, to)]);
      rmSync(book.at('current-session.json'));
      const { problems } = await verifyLogs(book.project);
      expect(problems).toContainEqual(
        expect.objectContaining({ code: 'result-lost', path: `${DIR}/summary/plan-03-01.json` }),
      );
    }
  });

  test('the last line gone with its log and the session, which the summary remembers', async () => {
    const book = aBook();
    editLines(book, (lines) => lines.slice(0, 4));
    rmSync(book.at('executions/2026-01-26/03-01-task-05-success.yaml'));
    rmSync(book.at('current-session.json'));
    expect(await verifyLogs(book.project)).toMatchObject({
      problems: [
        { code: 'session-missing' },
        {
          code: 'result-lost',
          path: `${DIR}/summary/plan-03-01.json`,
          message: expect.stringMatching(/counts 1 result that .*: id-5\.$/),
        },
      ],
    });
    // Without the plan's record, that of the project says how many there were.
    rmSync(book.at('summary/plan-03-01.json'));
    expect(await verifyLogs(book.project)).toMatchObject({
      problems: [
        { code: 'session-missing' },
        { code: 'result-lost', path: `${DIR}/summary/project.json`, message: expect.stringContaining('5') },
      ],
    });
  });

  test('everything gone but the summaries', async () => {
    const book = aBook(12);
    for (const path of [LEDGER, 'executions', 'current-session.json'])
      rmSync(book.at(path), { recursive: true });
    const { ok, entries, problems } = await verifyLogs(book.project);
    expect({ ok, entries }).toEqual({ ok: false, entries: 0 });
    expect(problems).toMatchObject([
      { code: 'result-lost', message: expect.stringMatching(/counts 12 results .* and 7 more\.$/) },
    ]);
  });

  test('tasks that somebody began are no results', async () => {
    const book = new LogBook();
    book.writeJson('summary/plan-03-01.json', {
      ...emptyPlan('03-01'),
      started: { 1: { at: '2026-01-26T10:00:00Z', name: 'Task 1' } },
    });
    book.writeJson('current-session.json', aSession('new', '2026-01-26T00:00:00Z'));
    expect(await verifyLogs(book.project)).toEqual({ ok: true, entries: 0, problems: [] });
  });

  test('a summary that cannot be read', async () => {
    for (const text of ['torn', '[]', '{"results": 5}']) {
      const book = aBook();
      book.write('summary/plan-03-01.json', text);
      expect(await verifyLogs(book.project)).toMatchObject({
        problems: [{ code: 'record-damaged', message: expect.stringContaining('teddy metrics --rebuild') }],
      });
    }
  });

  test('a log that is intact and says nothing', async () => {
    const book = aBook(1);
    const log = 'executions/2026-01-26/03-01-task-02-success.yaml';
    book.write(log, 'nothing');
    book.addLine({ facts: aResult({ taskIndex: 2 }), id: 'x', log, hash: sha256('nothing') });
    expect(await codes(book.save())).toEqual(['log-unreadable']);
  });

  test('logs are found in the archive, under another name too', async () => {
    const book = aBook();
    mkdirSync(book.at('archive'));
    renameSync(book.at('executions/2026-01-26'), book.at('archive/2026-01-26'));
    expect(await codes(book)).toEqual([]);
    const name = 'archive/2026-01-26/03-01-task-01-success';
    renameSync(book.at(`${name}.yaml`), book.at(`${name}-2.yaml`));
    book.write(`${name}.yaml`, 'of somebody else');
    expect(await verifyLogs(book.project)).toMatchObject({
      problems: [{ code: 'log-unnamed', path: `${DIR}/${name}.yaml` }],
    });
  });

  test('a line without end and a folder in the place of a log are problems, not errors', async () => {
    const book = aBook();
    appendFileSync(book.at(LEDGER), 'x'.repeat(3 * 1024 * 1024));
    const log = 'executions/2026-01-26/03-01-task-01-success.yaml';
    rmSync(book.at(log));
    mkdirSync(book.at(log));
    const found = await codes(book);
    expect(found).toContain('log-unreadable');
    expect(found).toContain('ledger-line');
    expect(found).toContain('ledger-open');
  });

  for (const garbage of ['garbage\n', 'garbage', '{"n": 4\n', '\n', 'null\n', '\u0000\u0000\n']) {
    test(`a last line ${JSON.stringify(garbage)} is one problem, also when results follow it`, async () => {
      const project = new TestProject();
      const task = (index: number, name: string) => resultText({ task_name: `"Task ${index}: ${name}"` });
      await project.submit(task(1, 'Create the agent'));
      const path = join(project.root, LOGS, LEDGER);
      appendFileSync(path, garbage);
      const check = async () =>
        (await verifyLogs(project.project)).problems.map(({ code, line }) => [code, line]);
      const open = garbage.endsWith('\n') ? [] : [['ledger-open', 2]];
      expect(await check()).toEqual([['ledger-line', 2], ...open]);
      expect(await rebuildMetrics(project.project)).toMatchObject({ drift: false, results: 1 });
      await project.submit(task(2, 'Add the protocol'));
      expect(await check()).toEqual([['ledger-line', 2]]);
      await project.submit(task(3, 'Look at it'));
      expect(await check()).toEqual([['ledger-line', 2]]);
      expect(await rebuildMetrics(project.project)).toMatchObject({ drift: false, results: 3, damaged: [] });
    });
  }

  test('a last line made garbage is told, and its result is not lost', async () => {
    const project = new TestProject();
    await project.submit(resultText());
    const path = join(project.root, LOGS, LEDGER);
    writeFileSync(path, 'garbage\n');
    const check = async () => (await verifyLogs(project.project)).problems.map(({ code }) => code);
    expect(await check()).toEqual(['ledger-line', 'session-head', 'log-unnamed']);
    expect(await rebuildMetrics(project.project, { write: true })).toMatchObject({
      drift: false,
      results: 1,
    });
    expect(await project.submit(resultText())).toMatchObject({ status: 'duplicate' });
    await project.submit(resultText({ task_name: '"Task 2: Add the protocol"' }));
    expect(await check()).toEqual(['ledger-line', 'log-unnamed']);
    expect(await rebuildMetrics(project.project)).toMatchObject({ drift: false, results: 2 });
  });

  test.skipIf(process.getuid?.() === 0)(
    'a copy that cannot be written is looked at all the same',
    async () => {
      const book = aBook();
      chmodSync(book.root, 0o555);
      try {
        expect(await codes(book)).toEqual([]);
      } finally {
        chmodSync(book.root, 0o755);
      }
    },
  );
});
