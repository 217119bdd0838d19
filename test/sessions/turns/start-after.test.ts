import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/core/plan/types.js';
import { writeAction } from '../../../src/core/plan/write.js';
import type { Outcome } from '../../../src/core/report/record.js';
import { MemoryTree } from '../../../src/core/tree.js';
import { startAfter } from '../../../src/sessions/running-turn.js';
import type { TurnStart } from '../../../src/sessions/turns/turn.js';
import {
  APPROVED,
  concludeWith,
  FAILURE,
  invoke,
  metaOf,
  planOf,
  pruneOf,
  readOf,
  runOf,
  SKIPPED,
} from './make.js';

const URL = 'https://example.com/a?b=c';
const CALLER = { turn: 1, agent: 'pathfinder', task: 'Build it.\n', context: 'docs/spec.md\n' };

describe('the context is carried over', () => {
  const begin = (
    context: string,
    actions: Action[],
    { above = [] as string[], otherwise = {}, active = [] as ['+' | '-', string][], decided = APPROVED } = {},
  ) => {
    const plan = planOf(actions, active);
    return startAfter({ meta: metaOf(), context }, plan, runOf(plan, otherwise, decided), above);
  };

  test.each<[string, string, Action[], string]>([
    ['nothing happens', '# mine\na.ts  # why\n', [], '# mine\na.ts  # why\n'],
    ['READ adds', 'a.ts\n', [readOf('b.ts')], 'a.ts\nb.ts\n'],
    ['READ of a URL adds', '', [readOf(URL)], `${URL}\n`],
    ['READ of what is there adds nothing', 'a.ts\n', [readOf('a.ts')], 'a.ts\n'],
    ['PRUNE takes out', 'a.ts\nb.ts\n', [pruneOf('a.ts')], 'b.ts\n'],
    ['PRUNE of a URL takes out', `${URL}\n`, [pruneOf(URL)], ''],
    ['the last word stands', '', [readOf('a.ts'), pruneOf('a.ts'), readOf('b.ts')], 'b.ts\n'],
  ])('%s', (_, context, actions, expected) => {
    expect(begin(context, actions)).toEqual({
      start: { agent: 'developer', callers: [], handoff: null, context: expected },
      concluded: false,
    });
  });

  test('READ of a folder adds none of its files', () => {
    const plan = planOf([readOf('src'), readOf('src/a.ts')]);
    const tree = new MemoryTree({ 'src/a.ts': '', 'src/b.ts': '' });
    const { start } = startAfter({ meta: metaOf(), context: '' }, plan, runOf(plan), [], tree);
    expect(start.context).toBe('src/a.ts\n');
  });

  test('PRUNE of what stands in a file above writes it down', () => {
    expect(begin('', [pruneOf('src/a.ts')], { above: ['src\n', ''] }).start.context).toBe('!src/a.ts\n');
    expect(begin('!src/a.ts\n', [readOf('src/a.ts')], { above: ['src\n'] }).start.context).toContain(
      'src/a.ts',
    );
  });

  test('only what was approved and succeeded counts', () => {
    const actions = [readOf('a.ts'), readOf('b.ts'), readOf('c.ts'), pruneOf('d.ts')];
    const otherwise = {
      0: { decision: SKIPPED, outcome: { status: 'not-run' } as Outcome },
      1: { outcome: FAILURE },
      3: { outcome: { status: 'not-run' } as Outcome },
    };
    expect(begin('d.ts\n', actions, { otherwise }).start.context).toBe('d.ts\nc.ts\n');
  });

  test('Active Context counts when it was approved, before the actions', () => {
    const active: ['+' | '-', string][] = [
      ['+', 'x.ts'],
      ['-', 'a.ts'],
      ['-', 'b.ts'],
    ];
    expect(begin('a.ts\nb.ts\n', [readOf('b.ts')], { active }).start.context).toBe('x.ts\nb.ts\n');
    expect(begin('a.ts\n', [], { active, decided: SKIPPED }).start.context).toBe('a.ts\n');
  });

  test('an action that a person changed counts as it ran', () => {
    const ranAs = `${writeAction(readOf('other.ts'))}\n`;
    const otherwise = { 0: { outcome: { status: 'success', summary: '', ranAs } as Outcome } };
    expect(begin('', [readOf('a.ts')], { otherwise }).start.context).toBe('other.ts\n');
  });

  test('one that cannot be read as it ran changes nothing, and says so', () => {
    const otherwise = { 0: { outcome: { status: 'success', summary: '', ranAs: '???' } as Outcome } };
    expect(begin('a.ts\n', [readOf('b.ts')], { otherwise })).toMatchObject({
      start: { context: 'a.ts\n' },
    });
  });

  test('a record that does not fit its plan changes nothing', () => {
    const plan = planOf([readOf('a.ts'), invoke('architect')]);
    const run = runOf(planOf([pruneOf('a.ts')]));
    expect(startAfter({ meta: metaOf(), context: 'a.ts\n' }, plan, run, []).start).toEqual({
      agent: 'developer',
      callers: [],
      handoff: null,
      context: 'a.ts\n',
    });
  });
});

describe('INVOKE', () => {
  test('hands over: another agent, its own context, and who waits', () => {
    const plan = planOf([readOf('b.ts'), invoke('architect', 'docs/x.md', URL)], [['-', 'old.ts']]);
    const turn = { meta: metaOf({ callers: [CALLER] }), context: 'a.ts\nold.ts\n' };
    expect(startAfter(turn, plan, runOf(plan), ['src\n'])).toEqual({
      start: {
        agent: 'architect',
        callers: [
          CALLER,
          { turn: 3, agent: 'developer', task: 'Over to architect.\n', context: 'a.ts\nb.ts\n' },
        ],
        handoff: null,
        context: `docs/x.md\n${URL}\n`,
      },
      concluded: false,
    });
  });

  test('of the agent itself is one like any other', () => {
    const plan = planOf([invoke('developer')]);
    const { start } = startAfter({ meta: metaOf(), context: 'a.ts\n' }, plan, runOf(plan), []);
    expect(start).toMatchObject({ agent: 'developer', context: '', callers: [{ context: 'a.ts\n' }] });
  });

  test('counts as it ran', () => {
    const plan = planOf([invoke('architect', 'a.md')]);
    const ranAs = `${writeAction(invoke('debugger', 'b.md'))}\n`;
    const run = runOf(plan, { 0: { outcome: { status: 'success', summary: '', ranAs } } });
    expect(startAfter({ meta: metaOf(), context: '' }, plan, run, []).start).toMatchObject({
      agent: 'debugger',
      context: 'b.md\n',
    });
  });
});

describe('CONCLUDE', () => {
  test('returns to the caller, with what is handed over', () => {
    const outer = { turn: 1, agent: 'assistant', task: 'Find out.\n', context: 'x.ts\n' };
    const plan = planOf([readOf('mine.ts'), concludeWith('docs/result.md')]);
    const turn = { meta: metaOf({ callers: [outer, { ...CALLER, turn: 2 }] }), context: 'own.ts\n' };
    expect(startAfter(turn, plan, runOf(plan), [])).toEqual({
      start: {
        agent: 'pathfinder',
        callers: [outer],
        handoff: { from: 'developer', message: 'That is all.\n' },
        context: 'docs/spec.md\ndocs/result.md\n',
      },
      concluded: false,
    });
  });

  test('without a caller ends the line of work, and the same agent goes on', () => {
    const plan = planOf([readOf('b.ts'), concludeWith('c.ts')]);
    expect(startAfter({ meta: metaOf(), context: 'a.ts\n' }, plan, runOf(plan), [])).toEqual({
      start: { agent: 'developer', callers: [], handoff: null, context: 'a.ts\nb.ts\n' },
      concluded: true,
    });
  });
});

test.each([
  ['INVOKE', 'skipped', invoke('architect', 'x.md'), { decision: SKIPPED, outcome: { status: 'not-run' } }],
  ['INVOKE', 'failed', invoke('architect', 'x.md'), { outcome: FAILURE }],
  ['CONCLUDE', 'skipped', concludeWith('x.md'), { decision: SKIPPED, outcome: { status: 'not-run' } }],
  ['CONCLUDE', 'failed', concludeWith('x.md'), { outcome: FAILURE }],
] as const)('%s that was %s changes nothing', (_, __, action, otherwise) => {
  const plan = planOf([readOf('b.ts'), action]);
  const meta = metaOf({ callers: [CALLER] });
  expect(startAfter({ meta, context: 'a.ts\n' }, plan, runOf(plan, { 1: otherwise }), [])).toEqual({
    start: { agent: 'developer', callers: [CALLER], handoff: null, context: 'a.ts\nb.ts\n' },
    concluded: false,
  });
});

test('after any nesting of INVOKE and CONCLUDE each caller has its agent and context back', () => {
  const step = fc.record({
    last: fc.constantFrom('none', 'invoke', 'conclude'),
    agent: fc.constantFrom('architect', 'developer', 'debugger'),
    read: fc.constantFrom('a.ts', 'c/d.ts', 'e f.md', URL),
    handoff: fc.uniqueArray(fc.constantFrom('a.ts', 'b.ts', URL), { maxLength: 2 }),
  });
  const withLine = (context: string, path: string) =>
    context.split('\n').includes(path) ? context : `${context}${path}\n`;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      let start: TurnStart = { agent: 'assistant', callers: [], handoff: null, context: 'first.ts\n' };
      const waiting: { turn: number; agent: string; context: string }[] = [];
      steps.forEach(({ last, agent, read, handoff }, i) => {
        const ending =
          last === 'none' ? [] : last === 'invoke' ? [invoke(agent, ...handoff)] : [concludeWith(...handoff)];
        const plan = planOf([readOf(read), ...ending]);
        const { context, ...rest } = start;
        const after = startAfter({ meta: metaOf({ ...rest, turn: i + 1 }), context }, plan, runOf(plan), []);
        const own = { agent: start.agent, context: withLine(context, read) };
        expect(after.concluded).toBe(last === 'conclude' && waiting.length === 0);
        if (last === 'invoke') waiting.push({ turn: i + 1, ...own });
        const back = last === 'conclude' ? waiting.pop() : undefined;
        const expected =
          last === 'invoke'
            ? { agent, context: handoff.reduce(withLine, '') }
            : back
              ? { agent: back.agent, context: handoff.reduce(withLine, back.context) }
              : own;
        expect(after.start).toMatchObject({ ...expected, callers: waiting });
        start = after.start;
      });
    }),
    { numRuns: 100 },
  );
});
