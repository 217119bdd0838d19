import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/core/plan/types.js';
import { noPython } from '../pty/terminal.js';
import { buildFixture, COMMAND, FILE, LONG_FILE, plan, question, READY, startReview } from './review.js';

/** What was seen on another size of the screen stays seen. */
const withoutCount = (text: string) => text.replace(/\d+ lines unseen/, '');

describe.skipIf(noPython)(`what a review shows${noPython}`, () => {
  buildFixture();

  test('the plan as a whole comes first: what it is, what it would do, what is wrong with it', async () => {
    const overview = {
      plan: plan([COMMAND, FILE, FILE], {
        memos: [{ op: '+', text: 'One.', comment: null, line: 1 }],
        activeContext: [{ op: '-', path: 'a.md', comment: null, line: 2 }],
      }),
      issues: [
        {
          code: 'find-missing' as const,
          severity: 'error' as const,
          message: 'FIND is not in a.ts.',
          hint: 'Copy it.',
        },
      ],
      previews: [
        { kind: 'none' as const },
        { kind: 'write' as const, path: 'src/hello.ts', before: null, after: 'x\n', matched: null },
        { kind: 'will-fail' as const, reasons: ['It exists.'] },
      ],
    };
    const { terminal, answers } = startReview(
      { overview, steps: [{ ask: question(COMMAND) }] },
      { rows: 24 },
    );
    await terminal.shows('Enter start review');
    expect(terminal.rows().slice(0, 15)).toEqual([
      '',
      'Say hello',
      '  Root            /srv/shop',
      '  Status          Green 🟢',
      '  Plan Type       Implementation',
      '  Agent           Developer',
      '  Actions         3: EXECUTE, 2 CREATE',
      "  Active Context  Removes 1 file from the agent's context",
      "  Memos           Adds 1 memo to the agent's memory",
      '',
      '    1 EXECUTE npm ci (1 more line)',
      '    2 CREATE src/hello.ts  new, 1 line',
      '  ✘ 3 CREATE src/hello.ts',
      '',
      '  1 error:',
    ]);
    terminal.send('y');
    await terminal.shows('y is not one of the keys');
    terminal.send('\r');
    await terminal.shows(READY);
    expect(answers()).toEqual([]);
    terminal.send('y');
    await terminal.ended;
  });

  test('a command with all that is said about it', async () => {
    const risks = [{ kind: 'agent-guard' as const, message: 'the plan sets a time limit' }];
    const { terminal } = startReview({ steps: [{ ask: question(COMMAND, { risks }) }] });
    await terminal.shows(READY);
    expect(terminal.text()).toBe(
      [
        '',
        '── 1 of 3  EXECUTE ────────────────────────────────────────────────────────────',
        '  ⚠ the plan sets a time limit',
        '  why      Run the tests.',
        '  in       packages/core',
        '  env      CI=1',
        '  expects  The summary says `# fail 0`.',
        '',
        '  1 │ npm ci',
        '  2 │ npm test',
        '',
        ' y approve  n skip  e edit  q quit  ? help',
      ].join('\n'),
    );
    expect(terminal.isColoured('⚠')).toBe(true);
    terminal.send('\u0003');
    await terminal.ended;
  });

  test('a change as a difference with signs, numbers and a gap', async () => {
    const before = `${Array.from({ length: 20 }, (_, at) => `row ${at + 1}`).join('\n')}\n`;
    const after = before.replace('row 2\n', 'row two\n').replace('row 18\n', 'row 18\nrow 18.5\n');
    const preview = {
      kind: 'write' as const,
      path: 'a.txt',
      before,
      after,
      matched: 'disregarding trailing white space',
    };
    const { terminal } = startReview({ steps: [{ ask: question(FILE, { preview }) }] }, { rows: 40 });
    await terminal.shows(READY);
    const screen = terminal.text();
    expect(screen).toContain('+2 -1, 21 lines afterwards');
    expect(screen).toContain('found  disregarding trailing white space');
    expect(screen).toContain('   2    │-row 2\n');
    expect(screen).toContain('      2 │+row two\n');
    expect(screen).toContain('     19 │+row 18.5\n');
    expect(screen).toContain('  …');
    expect(screen).not.toContain('row 10');
    expect(terminal.isColoured('-row 2')).toBe(true);
    terminal.send('\u0003');
    await terminal.ended;
  });

  test('what cannot succeed says so', async () => {
    const preview = { kind: 'will-fail' as const, reasons: ['FIND is not in a.ts.'] };
    const edit: Action = {
      type: 'EDIT',
      line: 1,
      metadata: {},
      path: 'a.ts',
      description: null,
      edits: [{ find: 'old\tx ', replace: 'new', line: 2 }],
    };
    const { terminal } = startReview({ steps: [{ ask: question(edit, { preview }) }] });
    await terminal.shows(READY);
    expect(terminal.text()).toContain('✘ will fail: FIND is not in a.ts.');
    expect(terminal.text()).toContain('  │-old→    x·\n  │+new\n');
    terminal.send('\u0003');
    await terminal.ended;
  });

  test('10,000 lines: says how many are not shown, pages through all of them', async () => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(LONG_FILE) }] });
    await terminal.shows(READY);
    const shown = terminal.rows().filter((row) => /│ line \d/.test(row)).length;
    expect(shown).toBeGreaterThan(8);
    expect(terminal.text()).toContain(`… ${10_000 - shown} more lines; v shows all`);
    expect(terminal.text()).toContain(`y approve (${10_000 - shown} lines unseen)`);
    terminal.send('v');
    await terminal.shows('of 10004');
    terminal.send(' ');
    await terminal.shows('│ line 40\n');
    terminal.send('b');
    await terminal.shows('│ line 1\n');
    terminal.send('\u001b[B');
    await terminal.shows(/^2-24 of/m);
    terminal.send('/');
    terminal.send('line 5000');
    await terminal.shows('/line 5000');
    terminal.send('\r');
    await terminal.shows('│ line 5000\n');
    terminal.send('G');
    await terminal.shows('│ line 10000\n');
    terminal.send('q');
    await terminal.shows(READY);
    const unseen = Number(/\((\d+) lines unseen\)/.exec(terminal.text())?.[1]);
    expect(unseen).toBeLessThan(10_000 - shown - 60);
    expect(unseen).toBeGreaterThan(9_800);
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(1);
  });

  test('once all of it was paged through, nothing is unseen', async () => {
    const content = `${Array.from({ length: 50 }, (_, at) => `row ${at + 1}`).join('\n')}\n`;
    const { terminal } = startReview({ steps: [{ ask: question({ ...FILE, content } as Action) }] });
    await terminal.shows('lines unseen');
    terminal.send('v');
    await terminal.shows('of 54');
    for (const row of [40, 50]) {
      terminal.send(' ');
      await terminal.shows(`│ row ${row}\n`);
    }
    terminal.send('q');
    await terminal.shows(READY);
    expect(terminal.text()).toContain('y approve  n skip');
    terminal.send('\u0003');
    await terminal.ended;
  });

  test('a long line is wrapped, never cut, and every row has our bar', async () => {
    const command = `echo ${'abcdefghij'.repeat(40)}; rm -rf x\necho 日本語${'漢'.repeat(60)}\n`;
    const { terminal } = startReview(
      { steps: [{ ask: question({ ...COMMAND, command } as Action) }] },
      { rows: 40 },
    );
    await terminal.shows(READY);
    const rows = terminal.rows().filter((row) => /[│┊]/.test(row));
    expect(rows.map((row) => row.replace(/^.*?[│┊] /, '')).join('')).toBe(command.replaceAll('\n', ''));
    expect(rows.filter((row) => row.includes('│'))).toHaveLength(2);
    terminal.send('\u0003');
    await terminal.ended;
  });

  test.each([
    [20, 24],
    [20, 5],
    [80, 5],
    [37, 9],
    [200, 60],
  ])('resized to %i × %i and back: drawn again, every row whole', async (columns, rows) => {
    const risks = [{ kind: 'overwrite' as const, message: 'replaces a file of 40 lines' }];
    const { terminal, answers } = startReview({ steps: [{ ask: question(LONG_FILE, { risks }) }] });
    await terminal.shows(READY);
    const first = terminal.text();
    terminal.resize(columns, rows);
    await terminal.until(() => {
      const shown = terminal.rows();
      return (
        shown.filter((row) => row.includes('1 of 3')).length === 1 &&
        /unseen\)/.test(shown.slice(-8).join('').replaceAll(' ', ''))
      );
    }, 'the question again');
    for (const row of terminal.rows()) expect([...row].length).toBeLessThan(columns);
    expect(terminal.text()).toContain('src/hello.ts');
    terminal.resize(80, 24);
    await terminal.until(
      () => withoutCount(terminal.text()) === withoutCount(first),
      'what it showed at first',
    );
    terminal.send('y');
    await terminal.ended;
    expect(answers()).toHaveLength(1);
  });

  test('resized while a reason is typed', async () => {
    const { terminal, answers } = startReview({ steps: [{ ask: question(COMMAND) }] });
    await terminal.shows(READY);
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('a reason of some length, which goes on');
    await terminal.shows('goes on');
    terminal.resize(30, 20);
    await terminal.shows(/│ a reason of some length, {0,1}\n/);
    expect(terminal.text()).toContain('1 of 3  EXECUTE');
    terminal.send(' and on\r');
    await terminal.ended;
    expect(answers()).toEqual([
      { decision: 'skip', by: 'person', reason: 'a reason of some length, which goes on and on' },
    ]);
  });

  test.each<[string, Action, string[]]>([
    [
      'READ',
      {
        type: 'READ',
        line: 1,
        metadata: {},
        resource: { kind: 'file', target: 'a/b.md' },
        description: 'Look.',
        lines: { from: 3, to: 9 },
      },
      ['  a/b.md  lines 3 to 9', 'Look.'],
    ],
    [
      'PRUNE',
      {
        type: 'PRUNE',
        line: 1,
        metadata: {},
        resource: { kind: 'file', target: 'old.md' },
        description: null,
      },
      ["  old.md  leaves the agent's context"],
    ],
    [
      'RESEARCH',
      { type: 'RESEARCH', line: 1, metadata: {}, description: null, queries: ['one', 'two'] },
      ['   1 │ one', '   2 │ two'],
    ],
    [
      'INVOKE',
      {
        type: 'INVOKE',
        line: 1,
        metadata: {},
        agent: 'Architect',
        handoffResources: [{ kind: 'file', target: 'brief.md' }],
        message: 'Go **on**.\n',
      },
      ['  Architect  takes over', 'with  brief.md', '  │ Go on.'],
    ],
    [
      'CONCLUDE',
      { type: 'CONCLUDE', line: 1, metadata: {}, handoffResources: [], message: 'Done.\n' },
      ['  │ Done.'],
    ],
  ])('%s with its facts', async (_, action, facts) => {
    const { terminal } = startReview({ steps: [{ ask: question(action) }] });
    await terminal.shows(READY);
    for (const fact of facts) expect(terminal.text()).toContain(fact);
    terminal.send('\u0003');
    await terminal.ended;
  });

  test.each([
    ['Architect', '  to  Architect'],
    [null, '  to  you; no other agent is waiting, so this ends the line of work'],
  ])('CONCLUDE says who receives its message: %s', async (to, shown) => {
    const action: Action = {
      type: 'CONCLUDE',
      line: 1,
      metadata: {},
      handoffResources: [],
      message: 'Done.\n',
    };
    const { terminal } = startReview({
      steps: [{ ask: question(action, { preview: { kind: 'hands-back', to } }) }],
    });
    await terminal.shows(READY);
    expect(terminal.rows().map((row) => row.trimEnd())).toContain(shown);
    terminal.send('\u0003');
    await terminal.ended;
  });
});
