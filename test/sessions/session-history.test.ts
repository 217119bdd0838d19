import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSessions, type TurnSummary, turnHistory } from '../../src/sessions/session-history.js';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import type { TurnMeta } from '../../src/sessions/turns/turn.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { executeHere } from '../runs/boundary/execute-here.js';
import { create, edit, execute, planOf } from '../runs/boundary/plan.js';
import { attemptOf, carriedOut, filesOf, metaOf, writeTurn } from './turns.js';

const TOKENS = { input: 1000, output: 200, estimated: false };

function summaryOf(turns: readonly TurnSummary[], turn: string) {
  return turns.find((each) => each.turn === turn);
}

describe('the list of sessions', () => {
  test('is empty where there is none', async () => {
    expect(await listSessions(new Workspace(makeFolder()))).toEqual([]);
  });

  test('has the one last worked in first, then the newest', async () => {
    const root = makeFolder();
    writeTurn(root, metaOf('old', 1, { madeAt: '2026-01-01T00:00:00Z' }));
    writeTurn(root, metaOf('newest', 1, { madeAt: '2026-03-01T00:00:00Z' }));
    writeTurn(root, metaOf('newer', 1, { madeAt: '2026-02-01T00:00:00Z' }));
    writeTurn(root, metaOf('newer', 2, { madeAt: '2026-02-02T00:00:00Z' }));
    const names = async () =>
      (await listSessions(new Workspace(root))).map(({ name, current }) => [name, current]);
    expect(await names()).toEqual([
      ['newest', true],
      ['newer', false],
      ['old', false],
    ]);
    writeFileSync(join(root, '.teddy/session'), 'old\n');
    expect(await names()).toEqual([
      ['old', true],
      ['newest', false],
      ['newer', false],
    ]);
  });

  test('says how far each has come, and what it took', async () => {
    const root = makeFolder();
    const costly = { tokens: TOKENS, costUsd: 0.1 };
    const attempts = [
      attemptOf('cut-off', { ...costly, tokens: { ...TOKENS, estimated: true } }),
      attemptOf('passed', { ...costly, costUsd: 0.2 }),
    ];
    const plan = planOf([create('a.txt', 'a\n')], { title: 'Make it' });
    writeTurn(root, metaOf('auth', 1, { attempts }), {
      'input.md': 'Do it.\n',
      'plan.md': plan,
      'report.md': 'Done.\n',
    });
    writeTurn(root, metaOf('auth', 2, { agent: 'developer', attempts: [attemptOf('interrupted')] }), {
      'input.md': 'Go on.\n',
    });
    expect(await listSessions(new Workspace(root))).toEqual([
      {
        name: 'auth',
        current: true,
        turns: 2,
        agent: 'developer',
        stage: 'asked',
        title: 'Make it',
        beganAt: '2026-01-01T10:00:00Z',
        lastAt: '2026-01-02T10:00:00Z',
        tokens: { input: 2000, output: 400, estimated: true },
        costUsd: 0.3,
        concluded: false,
        live: false,
        broken: null,
      },
    ]);
  });

  test('what nobody counted is not nothing', async () => {
    const root = makeFolder();
    writeTurn(root, metaOf('auth', 1, { attempts: [attemptOf('passed')] }));
    expect(await listSessions(new Workspace(root))).toMatchObject([{ tokens: null, costUsd: null }]);
  });

  test('a line of work is over until something is asked again', async () => {
    const root = makeFolder();
    const run = {
      id: '20260101-000000-aaaa',
      overall: 'Completed',
      endedAt: '2026-01-01T10:05:00Z',
    } as const;
    const isConcluded = async () => (await listSessions(new Workspace(root)))[0]!.concluded;
    writeTurn(root, metaOf('auth', 1, { run, concluded: true }), { 'plan.md': '', 'report.md': '' });
    expect(await isConcluded()).toBe(true);
    writeTurn(root, metaOf('auth', 2));
    expect(await isConcluded()).toBe(true);
    writeTurn(root, metaOf('auth', 2), { 'input.md': 'Something else.\n' });
    expect(await isConcluded()).toBe(false);
    writeTurn(root, metaOf('auth', 2, { run }), { 'report.md': '' });
    writeTurn(root, metaOf('auth', 3));
    expect(await isConcluded()).toBe(false);
  });

  test('is live only while another works there', async () => {
    const root = makeFolder();
    writeTurn(root, metaOf('auth', 1));
    const isLive = async () => (await listSessions(new Workspace(root)))[0]!.live;
    expect(await isLive()).toBe(false);
    const held = new Sessions(new Workspace(root)).hold('auth');
    try {
      expect(await isLive()).toBe(true);
    } finally {
      held.release();
    }
    expect(await isLive()).toBe(false);
  });

  test('a broken turn hides neither its session nor another', async () => {
    const root = makeFolder();
    writeTurn(root, metaOf('auth', 1, { agent: 'architect' }));
    writeTurn(root, metaOf('auth', 2));
    writeTurn(root, metaOf('auth', 3));
    writeTurn(root, metaOf('billing', 1));
    writeFileSync(join(root, '.teddy/sessions/auth/02/meta.yaml'), 'id: [\n');
    rmSync(join(root, '.teddy/sessions/auth/03/system_prompt.md'));
    writeFileSync(join(root, '.teddy/session'), 'auth\n');
    const [auth, billing] = await listSessions(new Workspace(root));
    expect(auth).toMatchObject({
      name: 'auth',
      turns: 3,
      agent: 'architect',
      lastAt: '2026-01-01T10:00:00Z',
    });
    expect(auth!.broken).toMatch(/^\.teddy\/sessions\/auth\/02\/meta\.yaml .+\. \(And 1 more like it\.\)$/);
    expect(billing).toMatchObject({ name: 'billing', broken: null });
  });
});

describe('the history of a session', () => {
  test('has what a run came to, from its own report', async () => {
    const root = makeFolder({ 'a.txt': 'a\n' });
    const plan = planOf(
      [create('b.txt', 'b\n'), edit('a.txt', ['missing', 'x']), create('c.txt', 'c\n'), execute('true')],
      { title: 'Try it' },
    );
    const { run, workspace } = await executeHere(root, plan, {
      reviewer: {
        resolve: () => undefined,
        ask: async (question) =>
          question.kind === 'action' && question.action.type === 'EXECUTE'
            ? { decision: 'skip', by: 'person', reason: null }
            : { decision: 'approve', by: 'person', hash: question.hash },
      },
    });
    const more: Partial<TurnMeta> = {
      ...carriedOut(run),
      message: '  Please try it.  \r\nIn any way.\n',
      attempts: [
        attemptOf('refused', { tokens: TOKENS, costUsd: 0.01 }),
        attemptOf('refused'),
        attemptOf('cut-off'),
        attemptOf('passed', { tokens: TOKENS, costUsd: 0.02 }),
      ],
    };
    writeTurn(root, metaOf('auth', 1, more), filesOf(run, plan));
    const [turn] = await turnHistory(workspace, 'auth');
    expect(turn).toEqual({
      turn: 'auth/01',
      broken: null,
      agent: 'pathfinder',
      depth: 0,
      stage: 'done',
      title: 'Try it',
      message: 'Please try it.',
      handoff: null,
      notPassed: { refused: 2, 'cut-off': 1 },
      tokens: { input: 2000, output: 400, estimated: false },
      costUsd: 0.03,
      run: run.id,
      overall: 'Partial',
      counts: { approved: 3, skipped: 1, succeeded: 2, failed: 1 },
      undone: false,
      interrupted: false,
      concluded: false,
      madeAt: '2026-01-01T10:00:00Z',
      plannedAt: run.endedAt,
      executedAt: run.endedAt,
    });
    await workspace.undo(run.id);
    expect(await turnHistory(workspace, 'auth')).toMatchObject([{ undone: true }]);
  });

  test('tells of a run that was cut off', async () => {
    const root = makeFolder();
    const plan = planOf([create('b.txt', 'b\n')]);
    const { run, workspace } = await executeHere(root, plan);
    writeTurn(
      root,
      metaOf('auth', 1, carriedOut(run)),
      filesOf({ ...run, interrupted: 'It was cut off.' }, plan),
    );
    expect(await turnHistory(workspace, 'auth')).toMatchObject([{ interrupted: true }]);
  });

  test('has how deep the agents are, and who handed over to whom', async () => {
    const root = makeFolder();
    const caller = { turn: 1, agent: 'pathfinder', task: 'Draw it.\nIn two colours.', context: '' };
    const second = { turn: 2, agent: 'architect', task: 'Build it.', context: '' };
    writeTurn(root, metaOf('auth', 1));
    writeTurn(root, metaOf('auth', 2, { agent: 'architect', callers: [caller] }));
    writeTurn(root, metaOf('auth', 3, { agent: 'developer', callers: [caller, second] }));
    writeTurn(root, metaOf('auth', 4));
    const turns = await turnHistory(new Workspace(root), 'auth');
    expect(turns.map((turn) => turn.broken === null && [turn.agent, turn.depth])).toEqual([
      ['pathfinder', 0],
      ['architect', 1],
      ['developer', 2],
      ['pathfinder', 0],
    ]);
    expect(turns[1]).toMatchObject({ handoff: { from: 'pathfinder', message: 'Draw it.' } });
  });

  test('has a broken turn as one entry among the others', async () => {
    const root = makeFolder();
    for (const turn of [1, 2, 3, 4]) writeTurn(root, metaOf('auth', turn));
    writeFileSync(join(root, '.teddy/sessions/auth/02/meta.yaml'), new Uint8Array([0xff, 0xfe, 0]));
    rmSync(join(root, '.teddy/sessions/auth/03/meta.yaml'));
    const turns = await turnHistory(new Workspace(root), 'auth');
    expect(turns.map(({ turn, broken }) => [turn, broken])).toEqual([
      ['auth/01', null],
      ['auth/02', expect.stringMatching(/^\.teddy\/sessions\/auth\/02\/meta\.yaml .+\.$/)],
      ['auth/03', '.teddy/sessions/auth/03/meta.yaml is missing.'],
      ['auth/04', null],
    ]);
  });

  test('takes a plan and a report of any text', async () => {
    const root = makeFolder();
    const run = { id: '20260101-000000-aaaa', overall: 'Failed', endedAt: '2026-01-01T10:05:00Z' } as const;
    for (const [i, text] of ['', '# Execution Report: ', '\u0000', '# \n'].entries())
      writeTurn(root, metaOf('auth', i + 1, { run }), { 'plan.md': text, 'report.md': text });
    const turns = await turnHistory(new Workspace(root), 'auth');
    for (const turn of turns)
      expect(turn).toMatchObject({ title: null, counts: null, overall: 'Failed', undone: false });
    expect(summaryOf(turns, 'auth/04')).toBeDefined();
  });

  test.each(['../sessions', 'a/b', '.'])(
    'a run that is called %j makes its turn a broken one',
    async (id) => {
      const root = makeFolder({ '.teddy/runs/undone.json': 'true\n' });
      const run = { id, overall: 'Failed', endedAt: '2026-01-01T10:05:00Z' } as const;
      writeTurn(root, metaOf('auth', 1, { run }), { 'report.md': 'Done.\n' });
      const [turn] = await turnHistory(new Workspace(root), 'auth');
      expect(turn!.broken).toContain('auth/01/meta.yaml');
    },
  );

  test('of a session that is not there names those that are', async () => {
    const root = makeFolder();
    writeTurn(root, metaOf('auth', 1));
    await expect(turnHistory(new Workspace(root), 'other')).rejects.toThrow(/"other".*auth/);
  });
});
