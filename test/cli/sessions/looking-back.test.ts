import { describe, expect, test } from 'vitest';
import { paintDiff, remarks } from '../../../src/faces/cli/commands/plans/diff.js';
import { historyLines } from '../../../src/faces/cli/commands/sessions/history.js';
import { sessionLines } from '../../../src/faces/cli/commands/sessions/sessions.js';
import { costWords, tokenWords } from '../../../src/faces/cli/words.js';
import type { SessionSummary, TurnFacts } from '../../../src/sessions/session-history.js';

const plain = (_: string, text: string) => text;
const marked = (style: string, text: string) => `<${style}>${text}</>`;

function turnOf(number: string, more: Partial<TurnFacts> = {}): { turn: string } & TurnFacts {
  return {
    turn: `auth/${number}`,
    broken: null,
    agent: 'pathfinder',
    depth: 0,
    stage: 'done',
    title: 'Look around',
    message: null,
    handoff: null,
    notPassed: {},
    tokens: { input: 12_000, output: 345, estimated: false },
    costUsd: 0.0421,
    run: '20260101-000000-aaaa',
    overall: 'Completed',
    counts: { approved: 3, skipped: 0, succeeded: 3, failed: 0 },
    undone: false,
    interrupted: false,
    concluded: false,
    madeAt: '2026-01-01T10:00:00Z',
    plannedAt: null,
    executedAt: null,
    ...more,
  };
}

describe('teddy history', () => {
  test('is a timeline in 80 columns, in which one agent stands below the other', () => {
    const lines = historyLines(
      [
        turnOf('01', { message: 'Make the login work', notPassed: { refused: 2, 'cut-off': 1 } }),
        turnOf('02', {
          agent: 'developer',
          depth: 1,
          title: 'Write the login with sessions that end, and tests for every way it can fail',
          overall: 'Partial',
          counts: { approved: 5, skipped: 1, succeeded: 3, failed: 1 },
          undone: true,
          handoff: { from: 'pathfinder', message: 'Write it.' },
          costUsd: 1.5,
        }),
        turnOf('03', {
          title: null,
          tokens: null,
          costUsd: null,
          overall: null,
          counts: null,
          stage: 'made',
        }),
        { turn: 'auth/04', broken: '.teddy/sessions/auth/04/meta.yaml is missing.' },
      ],
      plain,
      80,
    );
    expect(lines).toBe(
      [
        '01  pathfinder   Look around                               3 done  12.3k  $0.042',
        '    > Make the login work',
        '    Answers that did not pass: 2 refused, 1 cut off',
        '02    developer  Write the login with sessions that end, and tests for every way',
        '                 it can fail',
        '                  3 done, 1 failed, 1 not run, 1 skipped (undone)  12.3k   $1.50',
        '      pathfinder: Write it.',
        '03  pathfinder                                               open',
        '04  .teddy/sessions/auth/04/meta.yaml is missing.',
        '',
      ].join('\n'),
    );
  });

  test('keeps what a stranger wrote to its line, however deep and long', () => {
    const lines = historyLines(
      [
        turnOf('01', {
          agent: 'evil\u001b[2J',
          depth: 5000,
          title: 'one\ntwo\u202e',
          message: `\u001b]0;x\u0007${'long '.repeat(5000)}`,
        }),
      ],
      plain,
      80,
    ).split('\n');
    expect(lines.join('')).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(lines.join(' ')).toContain('one<U+000A>two<U+202E>');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('teddy sessions', () => {
  const session: SessionSummary = {
    name: 'auth',
    current: true,
    turns: 12,
    agent: 'developer',
    stage: 'planned',
    title: 'Write the login',
    beganAt: '2026-01-01T10:00:00Z',
    lastAt: '2026-01-02T10:00:00Z',
    tokens: null,
    costUsd: 0.42,
    concluded: false,
    live: false,
    broken: null,
  };

  test('is a table with a mark at the current one', () => {
    const list: SessionSummary[] = [
      session,
      { ...session, name: 'billing', current: false, turns: 1, live: true, costUsd: null },
      { ...session, name: 'old', current: false, concluded: true, stage: 'made' },
      {
        ...session,
        name: 'odd',
        current: false,
        broken: 'It is broken.',
        stage: null,
        agent: null,
        title: null,
      },
    ];
    expect(sessionLines(list, plain, 80)).toBe(
      [
        '* auth     developer  12 turns  to review  Write the login  $0.420',
        '  billing  developer  1 turn    at work    Write the login',
        '  old      developer  12 turns  concluded  Write the login  $0.420',
        '  odd                 12 turns  broken                      $0.420',
        '',
      ].join('\n'),
    );
  });
});

describe('teddy diff', () => {
  test('has colours for a person, and nothing that acts on a terminal', () => {
    const diff = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old\u001b[2J\n+++ new\n same\n';
    expect(paintDiff(diff, marked)).toBe(
      [
        '<bold>diff --git a/x b/x</>',
        '<bold>--- a/x</>',
        '<bold>+++ b/x</>',
        '<cyan>@@ -1,2 +1,2 @@</>',
        '<red>--- old<U+001B>[2J</>',
        '<green>+++ new</>',
        ' same',
        '',
      ].join('\n'),
    );
  });

  test('says beside the difference what it does not show', () => {
    const files = [
      { path: 'a', change: 'modified', diff: null, reason: 'a was changed since.' } as const,
      { path: 'b', change: 'created', diff: 'diff', reason: null } as const,
    ];
    const commands = [
      { number: 2, description: 'Install.', command: 'npm ci\nnpm test\n', recorded: false },
      { number: 3, description: 'Look.', command: null, recorded: false },
    ];
    const plan = 'verified' as const;
    const found = { turn: 'auth/01', run: 'r', undone: true, reason: null, plan, files, commands };
    expect(remarks(found, plain)).toBe(
      [
        'a was changed since.',
        'Run r was undone; this is what it had changed.',
        'Changes of these commands are not shown:',
        '  action 2 EXECUTE: npm ci …',
        '  action 3 EXECUTE: Look.',
        '',
      ].join('\n'),
    );
    expect(remarks({ ...found, undone: false, files: [], commands: [] }, plain)).toBe(
      'auth/01 changed no file.\n',
    );
    expect(remarks({ ...found, reason: 'Nothing is known.' }, plain)).toBe('Nothing is known.\n');
  });
});

test('amounts are short', () => {
  const tokens = (input: number, estimated = false) =>
    tokenWords({ tokens: { input, output: 0, estimated } });
  expect([0, 999, 1000, 12_345, 999_949, 999_950, 2_500_000].map((count) => tokens(count))).toEqual([
    '0',
    '999',
    '1.0k',
    '12.3k',
    '999.9k',
    '1.0M',
    '2.5M',
  ]);
  expect([tokens(10, true), tokenWords({ tokens: null })]).toEqual(['~10', '']);
  expect([0, 0.0001, 0.0042, 0.9996, 12.345, null].map((costUsd) => costWords({ costUsd }))).toEqual([
    '$0.000',
    '<$0.001',
    '$0.004',
    '$1.00',
    '$12.35',
    '',
  ]);
});
