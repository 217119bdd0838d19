import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { type ModelStep, startModelServer } from '../model-server.mjs';
import { create, edit, planOf, read } from '../runs/boundary/plan.js';
import { beginSession, goOn, SESSION } from './session-step.js';

const EDIT = planOf([edit('notes.txt', ['A note.', 'Another note.'])], { title: 'Edit' });
const READ = planOf([read('notes.txt'), create('one.txt', '1\n')], { title: 'Read' });

// The clock stands still: whatever happens, happens in one second.
beforeEach(() => {
  process.env.TEDDY_NOW = '2026-01-02T03:04:05Z';
});
afterEach(() => {
  delete process.env.TEDDY_NOW;
});

async function begin(...steps: ModelStep[]) {
  const root = realpathSync(makeFolder({ 'notes.txt': 'A note.\nAnd more.\n' }));
  const model = await startModelServer(steps);
  onTestFinished(() => model.close());
  await beginSession(root);
  const step = () => goOn({ root, url: model.url });
  const lastTurn = async () => new Sessions(new Workspace(root)).lastTurn(SESSION);
  return { root, model, step, lastTurn };
}

test('a run that is refused opens its turn again, and does not take the next plan away', async () => {
  const { root, model, step, lastTurn } = await begin({ answer: EDIT }, { answer: READ });
  await step();
  writeFileSync(join(root, 'notes.txt'), 'A note, by hand.\nAnd more.\n');
  expect((await step()).run).toMatchObject({ refused: true });
  expect(await lastTurn()).toMatchObject({
    stage: 'asked',
    plan: null,
    meta: {
      turn: 1,
      attempts: [{ answer: 'answer-1.md', outcome: 'refused', reason: 'FIND is not in notes.txt.' }],
    },
  });
  await step();
  const feedback = readFileSync(join(root, `.teddy/sessions/${SESSION}/01/feedback-1.md`), 'utf8');
  expect(feedback).toContain('A note, by hand.');
  const asked = model.requests[1]!.body.messages.slice(2);
  expect(asked.map(({ content }: { content: string }) => content)).toEqual([EDIT, feedback]);
  expect((await step()).run).toMatchObject({ overall: 'Completed' });
  expect(await lastTurn()).toMatchObject({ meta: { turn: 2 }, context: 'notes.txt\n' });
});

test('a run whose turn could not be concluded concludes it later', async () => {
  const { root, step, lastTurn } = await begin({ answer: READ });
  await step();
  // Something in the place of the next turn.
  const next = join(root, `.teddy/sessions/${SESSION}/02`);
  writeFileSync(next, 'In the way.\n');
  const { run } = await step();
  expect(run).toMatchObject({ overall: 'Completed' });
  expect(existsSync(join(root, 'one.txt'))).toBe(true);
  expect(await lastTurn()).toMatchObject({ stage: 'planned', meta: { turn: 1 } });
  rmSync(next);
  const { planned } = await step();
  // It was not carried out a second time: the next turn was planned.
  expect(planned).toMatchObject({ turn: { meta: { turn: 2 } } });
  const sessions = new Sessions(new Workspace(root));
  expect(sessions.readTurn(SESSION, 1)).toMatchObject({
    stage: 'done',
    meta: { run: { id: run!.id, overall: 'Completed' } },
  });
  expect(sessions.readTurn(SESSION, 2).context).toBe('notes.txt\n');
});
