import { describe, expect, test } from 'vitest';
import { boardRows } from '../../../src/faces/cli/board/board-rows.js';
import { BoardProgress } from '../../../src/faces/cli/board/progress.js';
import { textWidth } from '../../../src/faces/cli/terminal/line.js';
import type { OrchestrateEvent } from '../../../src/orchestrate/events.js';
import { at, finished, LOOK, overviewOf, overviewTask, questionOf, taskName } from './scripted.js';

const NOW = Date.parse(at(125));

function progressOf(...events: OrchestrateEvent[]): BoardProgress {
  const progress = new BoardProgress();
  for (const event of events) progress.apply(event);
  return progress;
}

function rowsOf(progress: BoardProgress, { width = 80, height = 20 } = {}): string[] {
  return boardRows(progress, NOW, { width, height }, LOOK);
}

/** Two waves: three tasks and two. */
const BEGAN: OrchestrateEvent = {
  at: at(0),
  type: 'began',
  run: 'r',
  resumed: false,
  overview: overviewOf({
    plans: [1, 2].map((wave) => ({
      id: `03-0${wave}`,
      path: `.planning/03-0${wave}-PLAN.md`,
      phase: '03',
      wave,
      tasks: Array.from({ length: 4 - wave }, (_, index) => overviewTask(`03-0${wave}:${index + 1}`)),
    })),
  }),
};

const started = (id: string, seconds: number, attempt = 1): OrchestrateEvent => ({
  at: at(seconds),
  type: 'started',
  task: taskName(id),
  attempt,
  executor: 'claude',
});

const output = (id: string, line: string): OrchestrateEvent => ({
  at: at(60),
  type: 'output',
  task: taskName(id),
  line,
});

describe('the board', () => {
  test('what is under way by wave, what each printed last, what has ended, and what is left', () => {
    const rows = rowsOf(
      progressOf(
        BEGAN,
        started('03-01:1', 1),
        finished('03-01:1', 20, { usage: { inputTokens: 12_000, outputTokens: 300, costUsd: 0.042 } }),
        started('03-01:2', 60, 2),
        output('03-01:2', 'Reading files'),
        started('03-02:1', 100),
        { at: at(120), type: 'verifying', task: taskName('03-02:1'), command: 'npm test' },
      ),
    );
    expect(rows).toEqual([
      '1 of 5 done  2m 05s  12.3k tokens, $0.042',
      'Phase 03, wave 1  1 of 3 done',
      rowOf('▸ 03-01:2  Task 2: Make it', 'claude  try 2  1m 05s'),
      '  │ Reading files',
      'Phase 03, wave 2  0 of 2 done',
      rowOf('▸ 03-02:1  Task 1: Make it', 'verifying  claude  5s'),
      '  │ npm test',
      rowOf('✔ 03-01:1  Task 1: Make it', '12.3k tokens, $0.042  done  claude'),
      '… 2 waiting',
    ]);
  });

  test('who waits for a person is first, and who is to be tried again is last', () => {
    const rows = rowsOf(
      progressOf(
        BEGAN,
        started('03-01:1', 1),
        {
          at: at(5),
          type: 'retry',
          task: taskName('03-01:2'),
          attempt: 2,
          lastAttempt: 3,
          waitMs: 4000,
          why: 'crash',
          reason: 'It crashed.',
        },
        { at: at(9), type: 'asked', question: questionOf('03-01:3') },
      ),
    );
    expect(rows.filter((row) => /03-01:\d/.test(row)).map((row) => row.slice(0, 9))).toEqual([
      '? 03-01:3',
      '▸ 03-01:1',
      '· 03-01:2',
    ]);
    expect(rows[0]).toContain('1 needs you');
    expect(rows.join('\n')).toContain('│ It crashed.');
  });

  test('an answer takes the question away', () => {
    const asked: OrchestrateEvent = { at: at(9), type: 'asked', question: questionOf('03-01:3') };
    const answered = (answer: string): OrchestrateEvent => ({
      at: at(10),
      type: 'answered',
      task: taskName('03-01:3'),
      answer,
      blocks: [],
    });
    expect(rowsOf(progressOf(BEGAN, asked, answered('skip')))[0]).toBe('0 of 5 done  1 skipped  2m 05s');
    expect(rowsOf(progressOf(BEGAN, asked, answered('done')))).toEqual([
      '1 of 5 done  2m 05s',
      '… 4 waiting',
    ]);
    expect(rowsOf(progressOf(BEGAN, asked, answered('fix: so'))).at(-1)).toBe('… 4 waiting, 1 ready');
  });

  test('what is left for later says so, and is put off behind what runs', () => {
    const progress = progressOf(
      BEGAN,
      { at: at(1), type: 'asked', question: questionOf('03-01:1') },
      started('03-01:2', 2),
    );
    progress.setLater('03-01:1', true);
    const rows = rowsOf(progress).filter((row) => row.includes('03-01:'));
    expect(rows).toEqual([
      rowOf('▸ 03-01:2  Task 2: Make it', 'claude  2m 03s'),
      rowOf('? 03-01:1  Task 1: Make it', 'postponed: Tab  2m 04s'),
    ]);
    expect(rowsOf(progress)[0]).toContain('1 needs you');
    progress.setLater('03-01:1', false);
    expect(rowsOf(progress)[2]).toBe(rowOf('? 03-01:1  Task 1: Make it', 'needs you  2m 04s'));
  });

  test('with little room there is what runs; more of what is shown is called more', () => {
    const progress = progressOf(
      BEGAN,
      { at: at(1), type: 'asked', question: questionOf('03-01:1') },
      { at: at(1), type: 'asked', question: questionOf('03-01:2') },
      started('03-01:3', 2),
      started('03-02:1', 3),
    );
    expect(rowsOf(progress, { height: 3 })).toEqual([
      '0 of 5 done  2 need you  2m 05s',
      rowOf('▸ 03-01:3  Task 3: Make it', 'claude  2m 03s'),
      '… 2 need you, 1 more running, 1 waiting',
    ]);
    expect(rowsOf(progress, { height: 2 })[1]).toBe('… 2 need you, 2 running, 1 waiting');
  });

  const many = progressOf(
    {
      ...BEGAN,
      overview: overviewOf({
        plans: [
          {
            ...overviewOf().plans[0]!,
            tasks: Array.from({ length: 200 }, (_, index) => overviewTask(`03-01:${index + 1}`)),
          },
        ],
      }),
    } as OrchestrateEvent,
    ...Array.from({ length: 20 }, (_, index) => [
      started(`03-01:${index + 1}`, index),
      output(`03-01:${index + 1}`, `printed by ${index + 1}`),
    ]).flat(),
  );

  test.each([1, 2, 3, 8, 22, 23, 24, 43, 44, 60])(
    'fits into %i rows, and counts what it leaves out',
    (height) => {
      const rows = rowsOf(many, { height });
      expect(rows.length).toBeLessThanOrEqual(height);
      if (height < 2) return;
      const shown = rows.filter((row) => row.startsWith('▸')).length;
      const running = Number(/(\d+)(?: more)? running/.exec(rows.at(-1)!)?.[1] ?? 0);
      const waiting = Number(/(\d+)(?: more)? waiting/.exec(rows.at(-1)!)![1]);
      expect([shown + running, waiting]).toEqual([20, 180]);
    },
  );

  test('with room for it there is what each printed', () => {
    expect(rowsOf(many, { height: 44 }).filter((row) => row.includes('printed by'))).toHaveLength(20);
    expect(rowsOf(many, { height: 24 }).filter((row) => row.includes('printed by'))).toHaveLength(0);
  });

  test.each([10, 20, 40, 59, 60, 79, 200])('no row is wider than %i columns, whatever is in it', (width) => {
    const hostile = `\u001b[31mred\nnext\u202e日本語の長い名前 👩‍💻 e\u0301${'\u0301'.repeat(9)} ${'漢'.repeat(200)}\r\u0007\nbelow`;
    const task = { id: '03-01:1', name: hostile };
    const rows = rowsOf(
      progressOf(
        BEGAN,
        { ...started('03-01:1', 0), task } as OrchestrateEvent,
        { at: at(1), type: 'output', task, line: hostile },
        { at: at(1), type: 'asked', question: questionOf('03-01:2', { name: hostile, message: hostile }) },
      ),
      { width },
    );
    expect(rows.filter((row) => textWidth(row) > width)).toEqual([]);
    expect(rows.join('')).not.toMatch(/[\u001b\u202e\r\n\u0007]/);
    expect(rows.join('')).toContain('…');
  });

  test('a line of a megabyte is no more work than its beginning', () => {
    const rows = rowsOf(progressOf(BEGAN, started('03-01:1', 0), output('03-01:1', 'é'.repeat(1_000_000))));
    expect(rows.find((row) => row.includes('é'))).toBe(`  │ ${'é'.repeat(75)}…`);
  });
});

function rowOf(left: string, right: string): string {
  return `${left}${' '.repeat(80 - left.length - right.length)}${right}`;
}
