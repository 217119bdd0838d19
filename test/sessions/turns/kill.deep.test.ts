// A process that ends before any file call of a change: the turn is wholly before it or wholly after it.

import { describe, expect, test } from 'vitest';
import { UserError } from '../../../src/node/errors.js';
import { Sessions } from '../../../src/sessions/turns/sessions.js';
import type { FullStart, KeptAnswer } from '../../../src/sessions/turns/turn-changes.js';
import type { Workspace } from '../../../src/workspace/workspace.js';
import {
  attempt,
  dieBefore,
  fail,
  type Machine,
  MemoryMachine,
  nothing,
  recovering,
} from '../../workspace/faults/machine.js';
import type { Snapshot } from '../../workspace/faults/scenario.js';
import { planOf, runOf } from './make.js';

const AT = '2026-01-26T10:30:45Z';
const START: FullStart = {
  agent: 'assistant',
  callers: [],
  handoff: null,
  context: 'a.ts\n',
  prompt: 'Be good.\n',
};
const RUN = runOf(planOf([]));
const RECORD = { path: '.teddy/runs/x/run.json', before: null, after: Buffer.from('{}'), mode: 0o600 };

const answer = (outcome: 'passed' | 'refused', text: string): KeptAnswer => ({
  text,
  attempt: { outcome, reason: outcome === 'passed' ? null : 'No plan.', at: AT, tokens: null, costUsd: null },
  model: null,
  feedback: outcome === 'passed' ? null : 'Again.',
  at: AT,
  plan: outcome === 'passed' ? text : null,
});

const opened = (work: (sessions: Sessions) => Promise<unknown>) => async (workspace: Workspace) =>
  work(new Sessions(workspace));

const make = async (sessions: Sessions) => {
  await sessions.create('auth', START, AT);
};
const draft = async (sessions: Sessions) => {
  await make(sessions);
  const open = sessions.openDraft(sessions.lastTurn('auth'));
  open.write('# Pl');
  open.close();
};
const plan = async (sessions: Sessions) => {
  await draft(sessions);
  await sessions.keepAnswer(sessions.lastTurn('auth'), answer('passed', '# Plan\n'));
};

interface Case {
  name: string;
  before: (sessions: Sessions) => Promise<void>;
  change: (sessions: Sessions) => Promise<unknown>;
}

const CASES: Case[] = [
  { name: 'create, on first use', before: async () => {}, change: make },
  {
    name: 'create, next to another',
    before: make,
    change: (sessions) => sessions.create('other', START, AT),
  },
  {
    name: 'keepInput',
    before: make,
    change: (sessions) => sessions.keepInput(sessions.lastTurn('auth'), { input: 'All.', message: 'Do it.' }),
  },
  {
    name: 'keepAnswer that passed',
    before: draft,
    change: (sessions) => sessions.keepAnswer(sessions.lastTurn('auth'), answer('passed', '# Plan\n')),
  },
  {
    name: 'keepAnswer that did not pass',
    before: draft,
    change: (sessions) => sessions.keepAnswer(sessions.lastTurn('auth'), answer('refused', '# Pl\n')),
  },
  {
    name: 'keepAnswer in place of another',
    before: plan,
    change: (sessions) => sessions.keepAnswer(sessions.lastTurn('auth'), answer('passed', '# Better\n')),
  },
  {
    name: 'conclude',
    before: plan,
    change: (sessions) =>
      sessions.conclude(sessions.lastTurn('auth'), {
        run: RUN,
        reportText: '# Report\n',
        next: START,
        concluded: false,
        at: AT,
        alongside: [RECORD],
      }),
  },
  {
    name: 'reopen',
    before: plan,
    change: (sessions) =>
      sessions.reopen(sessions.lastTurn('auth'), {
        run: { ...RUN, refused: true },
        at: AT,
        reason: 'No.',
        feedback: 'Mend it.\n',
        alongside: [RECORD],
      }),
  },
];

/** All that is kept of sessions and runs. */
function kept(machine: Machine): Snapshot {
  const own = /^\.teddy\/(?:session$|sessions(?:\/|$)|runs(?:\/|$))/;
  return Object.fromEntries(Object.entries(machine.everything()).filter(([path]) => own.test(path)));
}

async function prepare({ before, change }: Case) {
  const machine = MemoryMachine.of({});
  await attempt(machine, nothing, opened(before));
  const start = machine.fork();
  const end = start.fork();
  const ended = await attempt(end, nothing, opened(change));
  if (ended.how !== 'returned') throw new Error(`it ${ended.how}`);
  expect(end.openHandles).toBe(0);
  const sides = { before: kept(start), after: kept(end) };
  expect(sides.before).not.toEqual(sides.after);
  return { start, calls: ended.calls, sides };
}

describe.each(CASES)('$name', (each) => {
  const change = opened(each.change);

  test('killed before any call', async () => {
    const { start, calls, sides } = await prepare(each);
    const seen = { before: 0, after: 0 };
    for (let n = 0; n < calls; n++) {
      const killed = start.fork();
      expect((await attempt(killed, dieBefore(n), change)).how).toBe('died');
      const machine = killed.fork();
      await attempt(machine, nothing, recovering);
      const found = JSON.stringify(kept(machine));
      const side = (['before', 'after'] as const).find((name) => JSON.stringify(sides[name]) === found);
      if (side === undefined) expect.fail(`killed before call ${n}, it is ${found}`);
      seen[side]++;
      // Whoever comes next does it now, where it was not done.
      if (side === 'before' && n % 7 === 0) {
        await attempt(machine, nothing, change);
        expect(kept(machine), `again, after call ${n}`).toEqual(sides.after);
      }
    }
    expect(Math.min(seen.before, seen.after)).toBeGreaterThan(5);
  });

  test('a call that fails is told in a sentence, and changes nothing', async () => {
    const { start, calls, sides } = await prepare(each);
    for (let n = 0; n < calls; n++) {
      const machine = start.fork();
      const ended = await attempt(
        machine,
        fail('EIO', (index) => index === n),
        change,
      );
      await attempt(machine, nothing, recovering);
      const found = kept(machine);
      if (ended.how === 'returned') expect(found, `EIO at call ${n}`).toEqual(sides.after);
      else {
        if (ended.how === 'threw' && !(ended.error instanceof UserError)) throw ended.error;
        expect([sides.before, sides.after], `EIO at call ${n}`).toContainEqual(found);
      }
    }
  });
});
