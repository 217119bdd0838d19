import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Run } from '../../src/core/report/record.js';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { startModelServer } from '../model-server.mjs';
import { create, planOf, read } from '../runs/boundary/plan.js';
import { beginSession, goOn, SESSION } from './session-step.js';

const PLAN = planOf([read('notes.txt'), create('one.txt', '1\n')], { title: 'Read' });
const NEXT = planOf([create('two.txt', '2\n')], { title: 'Write' });

async function begin(...answers: string[]) {
  const root = realpathSync(
    makeFolder({ 'notes.txt': 'A note.\nAnd more.\n', 'big.log': 'line\n'.repeat(400_000) }),
  );
  const model = await startModelServer(answers.map((answer) => ({ answer })));
  onTestFinished(() => model.close());
  await beginSession(root);
  const step = (message?: string) =>
    goOn({ root, url: model.url, ...(message === undefined ? {} : { message }) });
  const folder = (turn: string) => join(root, `.teddy/sessions/${SESSION}/${turn}`);
  const sessions = () => new Sessions(new Workspace(root));
  return { root, model, step, folder, sessions };
}

test('where the turn behind the last report is gone, it is made again as it was', async () => {
  const { step, folder, sessions } = await begin(PLAN, NEXT);
  await step();
  await step();
  const before = readFileSync(join(folder('02'), 'turn.context'), 'utf8');
  rmSync(folder('02'), { recursive: true });
  const { planned } = await step();
  expect(planned).toMatchObject({ status: 'planned', turn: { meta: { turn: 2, parent: 1 } } });
  expect((await sessions()).readTurn(SESSION, 2).context).toBe(before);
});

test('a record of a run that this teddy did not write concludes nothing', async () => {
  const { root, step, sessions } = await begin(PLAN);
  await step();
  const forged: Partial<Run> = {
    id: '29990101-000000-0000',
    plan: { title: 'Read', path: `.teddy/sessions/${SESSION}/01/plan.md` },
    startedAt: '2999-01-01T00:00:00.000Z',
    endedAt: '2999-01-01T00:00:00.000Z',
    durationMs: 1,
    environment: { os: 'linux', cwd: root },
    overall: 'Completed',
    refused: false,
    interrupted: null,
    issues: [],
    stateChanges: [],
    actions: [],
  };
  const folder = join(root, '.teddy/runs/29990101-000000-0000');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), JSON.stringify(forged));
  const { run } = await step();
  expect(run).toMatchObject({ overall: 'Completed', actions: [{ type: 'READ' }, { type: 'CREATE' }] });
  expect((await sessions()).readTurn(SESSION, 1).meta.run?.id).toBe(run!.id);
});

test('an old run of a session of the same name concludes nothing', async () => {
  const { root, step, folder, sessions } = await begin(PLAN, NEXT);
  await step();
  await step();
  rmSync(join(root, `.teddy/sessions/${SESSION}`), { recursive: true });
  await new Promise((done) => setTimeout(done, 1100 - (Date.now() % 1000)));
  await beginSession(root);
  writeFileSync(join(folder('01'), 'plan.md'), NEXT);
  expect((await step()).run).toMatchObject({ plan: { title: 'Write' } });
  expect((await sessions()).lastTurn(SESSION).meta.turn).toBe(2);
});

test('the next turn is worked out of the plan that was carried out, whatever its file says by then', async () => {
  const { root, step, folder, sessions } = await begin(PLAN);
  await step();
  // In the way of the next turn, so that the turn is concluded later.
  writeFileSync(folder('02'), 'In the way.\n');
  await step();
  rmSync(folder('02'));
  writeFileSync(join(folder('01'), 'plan.md'), PLAN.replaceAll('notes.txt', 'other.txt'));
  cpSync(join(root, 'notes.txt'), join(root, 'other.txt'));
  await step();
  expect((await sessions()).readTurn(SESSION, 2).context).toBe('notes.txt\n');
});

test('all that a person said in a turn stays, and is told', async () => {
  const { model, step, sessions } = await begin('No plan.', 'None either.', 'Nor this.', 'Nor that.', PLAN);
  await step('Make it fast.');
  await step('Smaller steps.');
  expect((await sessions()).lastTurn(SESSION).meta.message).toBe('Make it fast.\n\nSmaller steps.');
  const last = JSON.stringify(model.requests.at(-1)!.body);
  expect(last).toContain('Make it fast.');
  expect(last).toContain('Smaller steps.');
});

test.each([
  ['a whole file that the next turn shows', read('notes.txt'), false, true],
  ['some lines of a file', read('notes.txt', 1), true, true],
  ['a file that is too long for it', read('big.log'), true, false],
])('READ of %s', async (_, action, inReport, noted) => {
  const { step } = await begin(planOf([action], { title: 'Read' }));
  await step();
  const { run } = await step();
  const outcome = run!.actions[0]!.outcome;
  expect(outcome).toMatchObject({ status: 'success' });
  expect('output' in outcome).toBe(inReport);
  expect('notes' in outcome).toBe(noted);
});
