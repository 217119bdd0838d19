import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BudgetReached, PlanEvent } from '../../src/sessions/plan-turn.js';
import { bringPlan, openLastTurn } from '../../src/sessions/sessions.js';
import { Sessions } from '../../src/sessions/turns/sessions.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { trustAgentsOf } from '../agents/trusted-agents.js';
import { makeFolder } from '../folder.js';
import { type ModelServer, type ModelStep, startModelServer } from '../model-server.mjs';
import { create, edit, planOf } from '../runs/boundary/plan.js';
import { beginSession, goOn, SESSION, type Step } from './session-step.js';

const GOOD = planOf([create('one.txt', '1\n')], { title: 'Good' });
const OTHER = planOf([create('two.txt', '2\n')], { title: 'Other' });
const BAD = GOOD.replace('## Action Plan', '## Actions');
/** Well formed, and bound to fail. */
const DOOMED = planOf([edit('notes.txt', ['no such line', 'x'])], { title: 'Doomed' });
const TURN = `.teddy/sessions/${SESSION}/01`;

interface Place {
  root: string;
  model: ModelServer;
  step(more?: Partial<Step>): ReturnType<typeof goOn>;
  read(name: string): string;
  /** What the model was told, request by request, but for its system prompt and the first input. */
  told(): string[][];
}

async function begin(...steps: ModelStep[]): Promise<Place> {
  const root = realpathSync(makeFolder({ 'notes.txt': 'A note.\n' }));
  const model = await startModelServer(steps);
  onTestFinished(() => model.close());
  await beginSession(root);
  return {
    root,
    model,
    step: (more = {}) => goOn({ root, url: model.url, ...more }),
    read: (name) => readFileSync(join(root, TURN, name), 'utf8'),
    told: () =>
      model.requests.map(({ body }) =>
        body.messages.slice(2).map(({ content }: { content: string }) => content),
      ),
  };
}

const lastTurn = async (root: string) => new Sessions(new Workspace(root)).lastTurn(SESSION);
const outcomesOf = async (root: string) =>
  (await lastTurn(root)).meta.attempts.map(({ answer, outcome }) => `${outcome} ${answer}`);

describe('an answer that is no plan', () => {
  test('goes back with what is wrong, as often as the limit says', async () => {
    const { root, step, read, told } = await begin({ answer: BAD });
    const { planned } = await step({ replanLimit: 2 });
    expect(planned).toMatchObject({ status: 'refused' });
    expect(await outcomesOf(root)).toEqual([
      'refused answer-1.md',
      'refused answer-2.md',
      'refused answer-3.md',
    ]);
    expect(told()).toEqual([[], [BAD, read('feedback-1.md')], [BAD, read('feedback-2.md')]]);
    expect(read('feedback-1.md')).toContain('(section-missing)');
    expect((await lastTurn(root)).stage).toBe('asked');
  });

  test('is still known to whoever asks later', async () => {
    const { step, read, told } = await begin({ answer: BAD }, { answer: GOOD });
    await step({ replanLimit: 0 });
    expect((await step({ message: 'Again.' })).planned).toMatchObject({ status: 'planned' });
    expect(told()).toEqual([[], [BAD, read('feedback-1.md')]]);
    expect(read('plan.md')).toBe(GOOD);
  });

  test('that only would fail is left to a person in the end', async () => {
    const { root, step } = await begin({ answer: DOOMED });
    const { planned } = await step({ replanLimit: 1 });
    expect(planned).toMatchObject({ status: 'planned', issues: [{ code: 'find-missing' }] });
    expect(await outcomesOf(root)).toEqual(['refused answer-1.md', 'passed answer.md']);
  });
});

describe('an answer that is not whole', () => {
  test('cut off at its limit is never a plan, however often', async () => {
    const { root, step, told, model } = await begin({ answer: GOOD, finish: 'length' });
    const { planned } = await step({ replanLimit: 1 });
    expect(planned).toMatchObject({ status: 'refused' });
    expect(planned!.turn.meta.attempts[1]!.reason).toContain('limit of 1000 tokens');
    expect(await outcomesOf(root)).toEqual(['cut-off answer-1.md', 'cut-off answer-2.md']);
    expect(told()).toEqual([[], []]);
    expect(model.requests[1]!.body.messages[1].content).toContain('Your answer was cut off');
  });

  test('broken off is kept, and the same is asked again', async () => {
    const { root, step, told, read } = await begin(
      { answer: BAD },
      { answer: GOOD, cutAfter: 50 },
      { answer: GOOD },
    );
    expect((await step()).planned).toMatchObject({ status: 'planned' });
    expect(await outcomesOf(root)).toEqual([
      'refused answer-1.md',
      'broken-off answer-2.md',
      'passed answer.md',
    ]);
    expect(read('answer-2.md')).toBe([...GOOD].slice(0, 50).join(''));
    expect(told()).toEqual([[], [BAD, read('feedback-1.md')], [BAD, read('feedback-1.md')]]);
  });

  test('interrupted is kept, and nothing more is asked', async () => {
    const { root, step, read } = await begin({ answer: GOOD, stallAfter: 50 });
    let interrupt: () => void = () => {};
    let seen = '';
    const emit = (event: PlanEvent) => {
      if (event.kind !== 'text') return;
      seen += event.text;
      if (seen.length > 30) interrupt();
    };
    const { planned } = await step({
      emit,
      interrupts: (listen) => {
        interrupt = () => listen('SIGINT');
        return () => {};
      },
    });
    expect(planned).toMatchObject({ status: 'interrupted' });
    expect(await outcomesOf(root)).toEqual(['interrupted answer-1.md']);
    expect(read('answer-1.md').startsWith(seen)).toBe(true);
  });

  test('of a process that was killed is kept by whoever comes next, by clipboard too', async () => {
    const { root, read } = await begin();
    const workspace = new Workspace(root);
    const sessions = new Sessions(workspace);
    const draft = sessions.openDraft(sessions.lastTurn(SESSION));
    draft.write(GOOD.slice(0, 40));
    draft.close();
    const turn = await openLastTurn(workspace, sessions, SESSION);
    await bringPlan(sessions, turn, OTHER);
    expect(await outcomesOf(root)).toEqual(['interrupted answer-1.md', 'passed answer.md']);
    expect(read('answer-1.md')).toBe(GOOD.slice(0, 40));
    expect(existsSync(join(root, TURN, 'answer.part'))).toBe(false);
  });
});

describe('another plan in place of one', () => {
  test('the model is told which one it was', async () => {
    const { root, step, read, told } = await begin({ answer: GOOD }, { answer: OTHER });
    await step();
    await step({ replace: true, message: 'Two, not one.' });
    expect(await outcomesOf(root)).toEqual(['replaced answer-1.md', 'passed answer.md']);
    expect(told()).toEqual([[], [GOOD, read('feedback-1.md')]]);
    expect(read('answer-1.md')).toBe(GOOD);
    expect(read('input.md')).toContain('Two, not one.');
  });

  test('where none comes, the one that is there stays', async () => {
    const { root, step, read } = await begin({ answer: GOOD }, { answer: BAD });
    await step();
    const { planned } = await step({ replace: true, replanLimit: 0 });
    expect(planned).toMatchObject({ status: 'refused' });
    expect(await outcomesOf(root)).toEqual(['passed answer.md', 'refused answer-1.md']);
    expect(read('plan.md')).toBe(GOOD);
    expect((await lastTurn(root)).stage).toBe('planned');
  });
});

test('what was said stays said until there is a plan, and more can be said', async () => {
  const { root, step, read } = await begin({ status: 400, body: 'No.' }, { answer: BAD }, { answer: GOOD });
  await step({ message: 'Make won.' });
  // Nobody has heard that, so it can be said otherwise; it is kept all the same.
  await step({ message: 'Make one.', replanLimit: 0 });
  expect(read('message-1.md')).toBe('Make won.\n');
  await step({ message: 'Not two.' });
  expect((await lastTurn(root)).meta.message).toBe('Make one.\n\nNot two.');
  expect(read('input.md')).toContain('````markdown\nMake one.\n\nNot two.\n````\n');
});

describe('what may not be asked', () => {
  const model = { prices: { input: 3, output: 15 } };

  test('a question that may cost more than is left', async () => {
    const { root, step, model: server } = await begin({ answer: GOOD });
    const { planned } = await step({ model, budgetUsd: 0.01 });
    expect(planned).toMatchObject({ status: 'over-budget', reason: expect.stringContaining('$0.0100') });
    expect(server.requests).toEqual([]);
    expect(await lastTurn(root)).toMatchObject({ stage: 'asked', meta: { attempts: [] } });
  });

  test('unless the user lifts the budget, which lasts for the turn', async () => {
    const { step, model: server } = await begin({ answer: BAD }, { answer: GOOD });
    const asked: BudgetReached[] = [];
    const mayPassBudget = async (reached: BudgetReached) => asked.push(reached) > 0;
    const { planned } = await step({ model, budgetUsd: 0.01, mayPassBudget });
    expect(planned).toMatchObject({ status: 'planned' });
    expect(asked).toMatchObject([{ spentUsd: 0, budgetUsd: 0.01 }]);
    expect(server.requests).toHaveLength(2);
  });

  test('the second one, where the first has used the budget up', async () => {
    const { root, step } = await begin({ answer: BAD, usage: { input: 5000, output: 1000 } });
    const { planned } = await step({ model, budgetUsd: 0.05 });
    expect(planned).toMatchObject({ status: 'over-budget' });
    expect(await outcomesOf(root)).toEqual(['refused answer-1.md']);
    expect((await lastTurn(root)).meta.attempts[0]!.costUsd).toBeCloseTo(0.03);
  });
});

test('another agent has its own prompt, in the turn and in what the model is told', async () => {
  const { root, step, model, read } = await begin({ answer: GOOD });
  mkdirSync(join(root, '.teddy/agents'), { recursive: true });
  writeFileSync(join(root, '.teddy/agents/tidier.md'), '---\nkind: planner\n---\n\nYou tidy up.\n');
  trustAgentsOf(new Workspace(root));
  await step({ agent: 'Tidier' });
  expect((await lastTurn(root)).meta.agent).toBe('tidier');
  expect(read('system_prompt.md')).toMatch(/^You tidy up\.\n/);
  expect(read('input.md')).toContain('- **Agent:** tidier\n');
  expect(model.requests[0]!.body.messages[0].content).toBe(read('system_prompt.md'));
});
