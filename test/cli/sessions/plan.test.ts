import { realpathSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ModelServer, type ModelStep, startModelServer } from '../../model-server.mjs';
import { create, planOf } from '../../runs/boundary/plan.js';
import { endOf, Site, until } from './site.js';

const PLAN = planOf([create('one.txt', '1\n')], { title: 'Make one' });
const BAD = PLAN.replace('## Action Plan', '## Actions');
const FIRST = '.teddy/sessions/larder/01';
const NOW = { TEDDY_NOW: '2026-01-02T03:04:05Z' };
const PRICES = ['inputPrice: 3', 'outputPrice: 15'];

async function begin(steps: ModelStep[], model = PRICES): Promise<{ site: Site; server: ModelServer }> {
  const server = await startModelServer(steps);
  onTestFinished(() => server.close());
  const site = new Site({ 'README.md': 'A larder.\n' }, { url: server.url, model });
  expect(await site.run(['new', 'larder', '--agent', 'developer'], NOW)).toMatchObject({ exit: 0 });
  return { site, server };
}

const plan = (site: Site, ...words: string[]) => site.run(['plan', '-m', 'Make one.', ...words], NOW);

describe('teddy plan', () => {
  test('says where the plan is, and what it cost; as JSON, all of it', async () => {
    const usage = { input: 2000, output: 100 };
    const { site, server } = await begin([{ answer: PLAN, usage }]);
    const { exit, stdout, stderr } = await plan(site);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${FIRST}/plan.md\n` });
    expect(stderr).toMatch(/^Asking test-model: about [\d,]+ tokens …\n/);
    expect(stderr).toContain('Plan received (2,000 tokens in, 100 out, $0.0075); saved as answer.md.\n');
    expect(stderr).toContain('Next: review the plan with teddy resume.\n');

    const json = await plan(site, '--json', '--model', 'other-model', '--agent', 'architect');
    expect(JSON.parse(json.stdout)).toEqual({
      root: realpathSync(site.root),
      status: 'planned',
      session: 'larder',
      turn: 1,
      agent: 'architect',
      plan: `${FIRST}/plan.md`,
      reason: null,
      message: null,
      issues: [],
      attempts: [
        {
          answer: 'answer-1.md',
          outcome: 'replaced',
          reason: 'Another plan replaced it before it was run.',
          at: NOW.TEDDY_NOW,
          tokens: { ...usage, estimated: false },
          costUsd: 0.0075,
        },
        {
          answer: 'answer.md',
          outcome: 'passed',
          reason: null,
          at: NOW.TEDDY_NOW,
          tokens: { ...usage, estimated: false },
          // The prices are those of another model.
          costUsd: null,
        },
      ],
      input: {
        tokens: Math.ceil(site.read(`${FIRST}/input.md`).length / 4),
        budget: 100_000,
        tree: { files: 1, shown: 'all', tokens: expect.any(Number) },
        resources: [],
        leftOut: [],
      },
    });
    expect(server.requests[1]!.body.model).toBe('other-model');
    expect(site.read(`${FIRST}/meta.yaml`)).toContain(
      'model:\n  provider: openai-compatible\n  name: other-model\n',
    );
  });

  test('ends with 1 where no answer is a plan, and tells what is wrong', async () => {
    const { site } = await begin([{ answer: BAD }]);
    site.write('.teddy/config.yaml', `${site.read('.teddy/config.yaml')}replan: {limit: 1}\n`);
    const { exit, stdout, stderr } = await plan(site);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(stderr).toContain('Asking test-model again (attempt 2): about');
    expect(stderr).toContain('section-missing');
    expect(stderr).toContain(
      `No usable plan after 2 answers. They are in ${FIRST}.\nNext: teddy plan asks again.\n`,
    );
    const json = JSON.parse((await plan(site, '--json')).stdout);
    const issues = [{ code: 'section-unknown' }, { code: 'section-missing', severity: 'error', line: 20 }];
    expect(json).toMatchObject({ status: 'refused', plan: null, issues });
  });

  test('ends with 1 where the budget is too small, and asks nobody', async () => {
    const { site, server } = await begin([{ answer: PLAN }]);
    const { exit, stderr } = await plan(site, '--budget', '0.01');
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      /The budget of session larder is not enough: \$0\.0000 of \$0\.0100 spent, and the next question may cost up to \$0\.\d{4}\. Raise --budget or model\.budget to continue\./,
    );
    expect(server.requests).toEqual([]);
  });

  test('keeps no budget without prices', async () => {
    const { site } = await begin([{ answer: PLAN }], []);
    const { exit, stderr } = await plan(site, '--budget', '1');
    expect({ exit, stderr }).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('The budget cannot be kept: the price of'),
    });
  });

  test('ends with 2 where the service refuses, and keeps what it said', async () => {
    const { site } = await begin([{ status: 400, body: { error: { message: 'No such model.' } } }]);
    const { exit, stdout, stderr } = await plan(site);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('No such model.');
    expect(site.read(`${FIRST}/meta.yaml`)).toContain('  - answer: null\n    outcome: broken-off\n');
  });
});

test('while one teddy works in a session, no other does; to look is free', async () => {
  const { site } = await begin([{ answer: PLAN, stallAfter: 60 }, { answer: PLAN }]);
  const child = site.start(['plan', '-m', 'Make one.'], NOW);
  await until(() => site.has(`${FIRST}/answer.part`), 'the model answers');
  const busy = 'teddy: Another teddy is working in session larder. Try again when it has finished.\n';
  for (const words of [['plan', '-m', 'x'], ['resume', '--yes'], ['context']])
    expect(await site.run(words, NOW)).toMatchObject({ exit: 2, stdout: '', stderr: busy });
  expect((await site.run(['sessions'], NOW)).stdout).toBe('* larder  developer  1 turn  at work\n');
  expect(await site.run(['history'], NOW)).toMatchObject({ exit: 0 });
  expect(await site.run(['new', 'cellar'], NOW)).toMatchObject({ exit: 0 });
  child.kill('SIGINT');
  expect(await endOf(child)).toMatchObject({ exit: 130 });
  expect(await site.run(['plan', '--session', 'larder', '-m', 'x'], NOW)).toMatchObject({ exit: 0 });
});

test('what was undone is told to the model', async () => {
  const { site } = await begin([{ answer: PLAN }]);
  await plan(site);
  expect(await site.run(['resume', '--yes'], NOW)).toMatchObject({ exit: 0 });
  expect(await site.run(['undo'], NOW)).toMatchObject({ exit: 0 });
  const { stdout } = await site.run(['context'], NOW);
  expect(stdout).toContain('Turn 01 was undone since: its changes to files were taken back.');
  expect(stdout).not.toContain('one.txt\n````');
  expect((await site.run(['history'], NOW)).stdout).toContain('1 done (undone)');
});
