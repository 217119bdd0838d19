import { beforeAll, describe, expect, test } from 'vitest';
import { EventLines } from '../../../src/faces/cli/board/lines.js';
import { orchestrationLines } from '../../../src/faces/cli/board/overview-lines.js';
import { rowsOf } from '../../../src/faces/cli/terminal/line.js';
import type { OrchestrateEvent } from '../../../src/orchestrate/events.js';
import { describeGraph } from '../../../src/orchestrate/orchestrate.js';
import { graphOf } from '../../orchestrate/graph/facts.js';
import {
  at,
  finished,
  LOOK,
  overviewOf,
  overviewTask,
  plainPaint,
  questionOf,
  taskName,
} from './scripted.js';

const TASK = taskName('03-01:2');
const WIDE = Number.POSITIVE_INFINITY;

beforeAll(() => {
  process.env.TZ = 'UTC';
});

function linesOf(...events: OrchestrateEvent[]): string[] {
  const lines = new EventLines(LOOK);
  return events.flatMap((event) => rowsOf(lines.linesOf(event), WIDE, LOOK));
}

describe('a line for each event', () => {
  test('an attempt from its start to its verified end', () => {
    expect(
      linesOf(
        { at: at(0), type: 'began', run: 'r', overview: overviewOf(), resumed: false },
        { at: at(1), type: 'state', task: TASK, state: 'ready', waitsOn: [] },
        { at: at(2), type: 'started', task: TASK, attempt: 1, executor: 'claude' },
        { at: at(3), type: 'output', task: TASK, line: 'working' },
        { at: at(4), type: 'verifying', task: TASK, command: 'npm test\nnpm run lint' },
        finished('03-01:2', 47, {
          usage: { inputTokens: 12_000, outputTokens: 300, costUsd: 0.042 },
          warnings: ['Flaky: it failed\nat first.'],
        }),
      ),
    ).toEqual([
      '10:00:02  03-01:2  started (attempt 1, claude)',
      '10:00:47  03-01:2  done in 45s (verified: npm test (and 1 more line); 12.3k tokens, $0.042)',
      '          note: Flaky: it failed at first.',
    ]);
  });

  test('what was verified by an earlier attempt is not said of a later one', () => {
    const lines = linesOf(
      { at: at(2), type: 'verifying', task: TASK, command: 'npm test' },
      { at: at(3), type: 'started', task: TASK, attempt: 2, executor: 'human' },
      finished('03-01:2', 4, { attempt: 2, durationMs: 400 }),
    );
    expect(lines.at(-1)).toBe('10:00:04  03-01:2  done in 400 ms (not verified)');
  });

  test('failures, and what follows from them', () => {
    const failure = {
      outcome: 'failed' as const,
      why: 'verification' as const,
      reason: 'The verification ended with exit code 1.',
    };
    const retry = {
      type: 'retry' as const,
      task: TASK,
      why: 'verification' as const,
      reason: '',
      lastAttempt: 3,
    };
    expect(
      linesOf(
        finished('03-01:2', 5, failure),
        { at: at(5), ...retry, attempt: 2, waitMs: 0 },
        { at: at(6), ...retry, attempt: 3, waitMs: 2000 },
        finished('03-01:3', 7, { outcome: 'blocked', reason: 'It needs 03-01:1.', durationMs: 65_000 }),
        { at: at(8), type: 'state', task: taskName('03-01:4'), state: 'blocked', waitsOn: ['03-01:3'] },
        { at: at(9), type: 'answered', task: TASK, answer: 'skip', blocks: ['03-01:4'] },
        { at: at(9), type: 'answered', task: taskName('03-02:2'), answer: 'done', blocks: [] },
        { at: at(10), type: 'late', task: TASK, attempt: 1, logged: 'logs/a.yaml' },
        { at: at(11), type: 'wave-stopped', phase: '03', wave: 2, tasks: [TASK, taskName('03-02:1')] },
        { at: at(12), type: 'note', message: 'Worktrees of a killed run were taken away.' },
      ),
    ).toEqual([
      '10:00:05  03-01:2  failed in 45s: The verification ended with exit code 1.',
      '10:00:05  03-01:2  retrying (attempt 2 of 3)',
      '10:00:06  03-01:2  retrying in 2 s (attempt 3 of 3)',
      '10:00:07  03-01:3  blocked in 1m 05s: It needs 03-01:1.',
      '10:00:08  03-01:4  blocked: waiting for 03-01:3',
      '10:00:09  03-01:2  answered: skip; 03-01:4 depends on it and cannot start',
      '10:00:09  03-02:2  answered: done',
      '10:00:10  03-01:2  late: attempt 1 finished after the task was decided; recorded, not applied (logs/a.yaml)',
      '10:00:11  Phase 03, wave 2 stopped: 03-01:2, 03-02:1 used up their attempts, perhaps for the same reason. No other task of this wave starts until you answer for one of them.',
      '10:00:12  Worktrees of a killed run were taken away.',
    ]);
  });

  test('a question says why, what it holds up and what to type; a long one how much is missing', () => {
    const detail = Array.from({ length: 23 }, (_, line) => `line ${line + 1}\n`).join('');
    const lines = linesOf({
      at: at(0),
      type: 'asked',
      question: questionOf('03-01:2', {
        detail,
        blocks: ['03-01:3', '03-02:1'],
        outputs: ['out/03-01-2.1.txt', 'out/03-01-2.2.txt'],
      }),
    });
    expect([lines[0], lines[1], ...lines.slice(-5)]).toEqual([
      '10:00:00  03-01:2  needs your answer: It failed with all of its 3 attempts.',
      '          │ line 1',
      '          │ line 20',
      '          … 3 more lines: teddy task show 03-01:2',
      '          All output: out/03-01-2.*.txt',
      '          03-01:3, 03-02:1 depend on it.',
      '          teddy task resolve 03-01:2 retry   (or skip, abort, "fix: …")',
    ]);
    const checkpoint = linesOf({
      at: at(0),
      type: 'asked',
      question: questionOf("a b'c:1", { detail: '', answers: ['done', 'skip'] }),
    });
    expect(checkpoint.at(-1)).toBe("          teddy task resolve 'a b'\\''c:1' done   (or skip)");
  });

  test('a reason that goes on and on is cut, and how much is missing is said', () => {
    const [line] = linesOf(finished('03-01:2', 1, { outcome: 'failed', reason: 'x'.repeat(5000) }));
    const [, shown, missing] = /: (x+) … \((\d+) more characters; teddy task show has the full text\)$/.exec(
      line!,
    )!;
    expect(shown!.length + Number(missing)).toBe(5000);
  });

  test('a task for a person is shown whole', () => {
    expect(
      linesOf({
        at: at(0),
        type: 'handed',
        task: TASK,
        planPath: '.planning/03-01-PLAN.md',
        text: 'Do this.\n\nThen that.\n',
      }),
    ).toEqual([
      '10:00:00  03-01:2  your task: Task 2: Make it (.planning/03-01-PLAN.md)',
      '          │ Do this.',
      '          │ ',
      '          │ Then that.',
    ]);
  });

  test('nothing in it acts on a terminal, and nothing adds a line', () => {
    const hostile = 'x\u001b[2J\u202eevil\r\nnext\u0007';
    const rows = linesOf(
      finished('03-01:2', 1, { outcome: 'failed', reason: hostile }),
      { at: at(1), type: 'note', message: hostile },
      {
        at: at(1),
        type: 'asked',
        question: questionOf(`03\u001b[1m:2`, { message: hostile, detail: hostile }),
      },
    );
    expect(rows.join('\n')).not.toMatch(/[\u001b\u202e\r\u0007]/);
    expect(rows.join('\n')).toContain('x<U+001B>[2J<U+202E>evil next<U+0007>');
  });
});

describe('before it begins', () => {
  test('plans by phase and wave, tasks, commands, how it is done, notes', () => {
    const overview = overviewOf({
      plans: [
        {
          id: '03-01',
          path: '.planning/03-01-PLAN.md',
          phase: '03',
          wave: 1,
          tasks: [
            overviewTask('03-01:1', { status: 'done' }),
            overviewTask('03-01:2', { status: 'ready', verify: null }),
            overviewTask('03-01:10', { waitsOn: ['03-01:2'], isCheckpoint: true }),
          ],
        },
        {
          id: 'x',
          path: 'x-PLAN.md',
          phase: null,
          wave: null,
          tasks: [overviewTask('x:1', { status: 'failed' })],
        },
      ],
      commands: [
        { command: 'npm test\nrm -rf \u202eold\n', tasks: ['03-01:1'] },
        { command: 'make check', tasks: ['1', '2', '3', '4', '5', '6', '7'] },
      ],
      notes: ['All work in one folder.'],
      isolation: 'none',
      confinement: { network: false },
      jobs: 1,
    });
    expect(orchestrationLines(overview, plainPaint, WIDE)).toEqual([
      'Starting (preview with --dry-run):',
      'Phase 03, wave 1',
      '  .planning/03-01-PLAN.md  1 of 3 tasks done',
      '    03-01:1   Task 1: Make it  done',
      '    03-01:2   Task 2: Make it  ready  no verify command',
      '    03-01:10  Task 10: Make it  waiting for 03-01:2  checkpoint',
      'No phase',
      '  x-PLAN.md  1 task',
      '    x:1  Task 1: Make it  failed',
      'Executor claude, one task at a time, directly in the project.',
      'Confined: executors and verify commands can change only this project; network off.',
      'note  All work in one folder.',
      'These 2 verify commands will run without asking again:',
      '  03-01:1      │ npm test',
      '               │ rm -rf <U+202E>old',
      '  1 and 6 more │ make check',
    ]);
    expect(orchestrationLines(overview, plainPaint, WIDE, { isDry: true })[0]).toBe(
      'Preview; nothing is started:',
    );
  });

  test('a command that is wider than the terminal keeps its gutter', () => {
    const commands = [{ command: `echo ${'x'.repeat(40)}`, tasks: ['03-01:1'] }];
    const lines = orchestrationLines(overviewOf({ commands }), plainPaint, 30);
    expect(lines.filter((line) => /[│┊]/.test(line))).toEqual([
      `  │ echo ${'x'.repeat(21)}`,
      `  ┊ ${'x'.repeat(19)}`,
    ]);
  });

  test('a command with letters that mislead is flagged below it', () => {
    const commands = [{ command: 'cat p\u0430sswd \u0710', tasks: ['03-01:1'] }];
    expect(orchestrationLines(overviewOf({ commands }), plainPaint, WIDE).slice(-3)).toEqual([
      '  03-01:1 │ cat p\u0430sswd \u0710',
      '  ⚠ mixed alphabets in "p\u0430sswd": \u0430 U+0430 Cyrillic, among Latin letters',
      '  ⚠ "\u0710" is written from right to left: its order on screen may not be the real one',
    ]);
  });

  test('names that are too long for their column stand above the command', () => {
    const long = 'a-plan-with-a-very-long-name:1';
    const commands = [
      { command: 'npm test', tasks: ['03-01:1', '03-01:2'] },
      { command: 'make', tasks: [long] },
    ];
    expect(orchestrationLines(overviewOf({ commands }), plainPaint, WIDE).slice(-3)).toEqual([
      '  03-01:1, 03-01:2 │ npm test',
      `  ${long}`,
      '                   │ make',
    ]);
  });

  test('what no one works on here is named once for each plan; that nothing can begin comes last', () => {
    const plans = { '01-01': {}, '01-02': {}, '01-03': { front: 'depends_on: [01-01, 01-02]', tasks: 2 } };
    const linesOfRun = (...chosen: string[]) =>
      orchestrationLines({ ...overviewOf(), ...describeGraph(graphOf(plans, chosen)) }, plainPaint, WIDE);
    const alone = linesOfRun('01-03');
    expect(alone.slice(2, 5)).toEqual([
      '  .planning/phases/01-03-PLAN.md  2 tasks  (01-01 and 01-02 are not part of this run)',
      '    01-03:1  Task 1: Do 1  waiting for 01-01, 01-02  no verify command',
      '    01-03:2  Task 2: Do 2  waiting for 01-01, 01-02, 01-03:1  no verify command',
    ]);
    expect(alone.at(-1)).toBe('Nothing can start: 01-01 and 01-02 are not done and not part of this run.');
    const both = linesOfRun('01-01', '01-03').join('\n');
    expect(both).toContain('(01-02 is not part of this run)');
    expect(both).not.toContain('Nothing can start');
  });

  test.each([
    [{ status: 'asking', waitsOn: [] }, '03-01:1 needs your answer'],
    [{ status: 'skipped', waitsOn: [] }, '03-01:1 is skipped, failed or blocked'],
    [{ status: 'waiting', waitsOn: ['03-01:2'] }, 'every task is waiting for another one'],
  ] as const)('nothing can begin: %o', (first, why) => {
    const tasks = [
      overviewTask('03-01:1', { ...first, waitsOn: [...first.waitsOn] }),
      overviewTask('03-01:2', { waitsOn: ['03-01:1'] }),
    ];
    const plans = [{ ...overviewOf().plans[0]!, tasks }];
    expect(orchestrationLines(overviewOf({ plans }), plainPaint, WIDE).at(-1)).toBe(
      `Nothing can start: ${why}.`,
    );
  });

  test('many commands are not all shown, how many more there are is said, and --dry-run has all', () => {
    const commands = Array.from({ length: 412 }, (_, index) => ({
      command: `check ${index + 1}`,
      tasks: ['a'],
    }));
    const shown = orchestrationLines(overviewOf({ commands }), plainPaint, WIDE);
    expect(shown.filter((line) => line.startsWith('  a │ check'))).toHaveLength(200);
    expect(shown).toContain('  … and 212 more commands: teddy orchestrate --dry-run lists them all');
    const whole = orchestrationLines(overviewOf({ commands }), plainPaint, WIDE, { isDry: true });
    expect(whole.filter((line) => line.startsWith('  a │ check'))).toHaveLength(412);
    expect(whole.join('\n')).not.toContain('more commands');
  });

  test('a first command of 300 lines is shown from its beginning to its end', () => {
    const commands = [
      { command: Array.from({ length: 300 }, (_, line) => `step ${line}`).join('\n'), tasks: ['a'] },
    ];
    const lines = orchestrationLines(overviewOf({ commands }), plainPaint, WIDE);
    expect(lines.filter((line) => /^ {2}[ a] │ step/.test(line))).toHaveLength(300);
  });

  test('many tasks: how many lines are missing is said', () => {
    const tasks = Array.from({ length: 300 }, (_, index) => overviewTask(`03-01:${index + 1}`));
    const plans = [{ ...overviewOf().plans[0]!, tasks }];
    const lines = orchestrationLines(overviewOf({ plans }), plainPaint, WIDE);
    expect(lines[201]).toBe('  … and 102 more lines: teddy orchestrate --dry-run lists them all');
  });
});
