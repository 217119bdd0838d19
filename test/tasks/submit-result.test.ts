import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULTS } from '../../src/config/config-file.js';
import { parsePolicy } from '../../src/config/policy-file.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { randomId } from '../../src/node/ids.js';
import { submitResult } from '../../src/tasks/capture-results.js';
import { verifyLogs } from '../../src/tasks/logs/verify-logs.js';
import { getExecutorMetrics } from '../../src/tasks/metrics/metrics.js';
import { openAssignments } from '../../src/tasks/plans/assignments.js';
import { type CompleteOptions, completeTask } from '../../src/tasks/plans/change-task.js';
import type { SubmitOptions } from '../../src/tasks/types.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { listContent } from '../folder.js';
import { failure, LOGS, PLAN, PLAN_TEXT, resultText, TestProject } from './project.js';

afterEach(() => setFileSeam(undefined));

function submit(site: TestProject, text: string, more: Partial<SubmitOptions> = {}) {
  return submitResult({
    workspace: new Workspace(site.root),
    config: DEFAULTS,
    policy: { rules: [] },
    text,
    plan: '03-01',
    verify: false,
    environment: {},
    ...more,
  });
}

/** How many commits are made. */
function countCommits(): () => number {
  let commits = 0;
  setFileSeam((call, perform) => {
    if (call.name === 'rename' && String(call.args[1]).endsWith('.log')) commits++;
    return perform(call.args);
  });
  return () => commits;
}

const incoming = (site: TestProject) => listContent(join(site.root, '.teddy/incoming'));

test('of many that submit at once one captures for all, and each is answered', async () => {
  const site = new TestProject();
  const commits = countCommits();
  const texts = Array.from({ length: 30 }, (_, i) => failure({ metadata: `{attempt: ${i + 1}}` }));
  const answers = await Promise.all(texts.map((text) => submit(site, text)));
  expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 'applied'));
  expect(new Set(answers.map(({ logged }) => logged)).size).toBe(30);
  expect(commits()).toBeLessThan(10);
  setFileSeam(undefined);
  expect(site.ledger).toHaveLength(30);
  expect((await verifyLogs(site.project)).problems).toEqual([]);
  expect(incoming(site)).toEqual([]);
});

test('what one of them got wrong is told to that one', async () => {
  const site = new TestProject();
  const [good, unknown, invalid] = await Promise.allSettled([
    submit(site, resultText()),
    submit(site, resultText(), { plan: '09-09' }),
    submit(site, 'status: superb'),
  ]);
  expect(good).toMatchObject({ value: { status: 'applied' } });
  expect(unknown).toMatchObject({
    reason: { message: expect.stringContaining('No task file "09-09" in this project') },
  });
  expect(invalid).toMatchObject({ value: { status: 'rejected' } });
  expect(incoming(site)).toEqual([]);
});

test('a secret of its environment is masked, whoever else is at it', async () => {
  const site = new TestProject();
  const secret = 'kX9vQ2mZ7pL4wR8tY1nB';
  await Promise.all([
    ...Array.from({ length: 5 }, (_, i) => submit(site, failure({ metadata: `{attempt: ${i + 1}}` }))),
    submit(site, resultText({ evidence: `"used ${secret}"` }), { environment: { API_TOKEN: secret } }),
  ]);
  expect(site.ledger).toHaveLength(6);
  const all = site.logs.map((path) => readFileSync(join(site.root, LOGS, path), 'utf8')).join('');
  expect(all).not.toContain(secret);
  expect(all).toContain('[masked:');
});

test('who was answered by one that died finds that it was captured', async () => {
  const site = new TestProject();
  const workspace = new Workspace(site.root);
  const held = workspace.incoming.keep(new TextEncoder().encode(resultText()));
  // Another captured it, and died before it could answer.
  await site.submit(resultText(), { removal: held.removal! });
  const again = await submit(site, resultText(), { held });
  held.release();
  expect(again.status).toBe('duplicate');
});

test('a text that could not be captured stays where it was kept', async () => {
  const site = new TestProject();
  const workspace = new Workspace(site.root);
  const held = workspace.incoming.keep(new TextEncoder().encode(resultText()));
  await expect(submit(site, resultText(), { held, plan: '09-09' })).rejects.toThrow('No task file');
  held.release();
  expect(workspace.incoming.left()).toEqual([held.path]);
  expect(readFileSync(join(site.root, held.path), 'utf8')).toBe(resultText());
});

test.each(['', ' ', 'a\nb', 'x'.repeat(201)])('the key %j is none', async (id) => {
  await expect(submit(new TestProject(), resultText(), { id })).rejects.toThrow('--id');
  await expect(submit(new TestProject(), resultText(), { session: id })).rejects.toThrow('--session');
});

test.each([
  ['each in a shell of its own', 'cd src && true', 'test -f agent.ts', 1],
  ['a failure in a list counts', 'test -f nothere && echo x', 'true', 1],
  ['an end is not the end of all', 'exit 0', 'false', 1],
  ['all of them succeed', 'true', 'test -f src/agent.ts', 0],
])('several commands verify: %s', async (_, first, second, exitCode) => {
  const plan = PLAN_TEXT.replace(
    '<verify>npm test</verify>',
    `<verify>\n<automated>${first.replaceAll('&', '&amp;')}</automated>\n<automated>${second}</automated>\n</verify>`,
  );
  const site = new TestProject({ [PLAN]: plan });
  const captured = await submit(site, resultText(), {
    verify: true,
    environment: { PATH: process.env.PATH },
  });
  expect(captured.verification?.exitCode).toBe(exitCode);
  expect(captured.effectiveStatus).toBe(exitCode === 0 ? 'success' : 'failure');
});

test('a command that says that nothing ran proves nothing', async () => {
  const plan = PLAN_TEXT.replace(
    'npm test</verify>',
    '<automated>echo "no tests to run"</automated></verify>',
  );
  const site = new TestProject({ [PLAN]: plan });
  const { notes, effectiveStatus, verification } = await submit(site, resultText(), {
    verify: true,
    environment: { PATH: process.env.PATH },
  });
  expect(notes.map(({ code }) => code)).toContain('vacuous');
  expect({ effectiveStatus, verification }).toMatchObject({
    effectiveStatus: 'failure',
    verification: { exitCode: 0, vacuous: true },
  });
  expect(site.read(PLAN)).toContain('status="failed"');
});

describe('while an orchestrator lives', () => {
  async function handOut(site: TestProject, names: Record<string, string>): Promise<void> {
    mkdirSync(join(site.root, '.ultraplan/state'), { recursive: true });
    const workspace = new Workspace(site.root);
    const lock = workspace.hold('.ultraplan/state/lock')!;
    onTestFinished(() => lock.release());
    const handed = openAssignments(workspace);
    for (const [id, executor] of Object.entries(names)) handed.add(id, { executor, attempt: 1 });
  }

  test('what it has handed to an executor is not to be submitted', async () => {
    const site = new TestProject();
    await handOut(site, { '03-01:1': 'claude' });
    await expect(submit(site, resultText())).rejects.toThrow(
      '03-01:1 is being worked on by teddy orchestrate (claude), which records its result.',
    );
    expect(site.logs).toEqual([]);
    expect(site.read(PLAN)).toBe(PLAN_TEXT);
  });

  test('what it has handed to nobody is, and is verified, whatever it wrote down', async () => {
    const site = new TestProject({ [PLAN]: PLAN_TEXT.replace('npm test</verify>', 'test -f made</verify>') });
    await handOut(site, { '03-01:2': 'claude' });
    const environment = { PATH: process.env.PATH };
    const verification = '{command: test -f made, exit_code: 0, output_summary: ok}';
    const submitted = () => submit(site, resultText({ verification }), { environment, id: randomId(8) });
    const failed = { status: 'applied', effectiveStatus: 'failure', verification: { exitCode: 1 } };
    expect(await submitted()).toMatchObject(failed);
    rmSync(join(site.root, '.ultraplan/state/handed.jsonl'));
    expect(await submitted()).toMatchObject(failed);
    expect(await submit(site, 'status: superb')).toMatchObject({ status: 'rejected' });
  });

  test('what it has handed to a person is verified, and theirs', async () => {
    const site = new TestProject({ [PLAN]: PLAN_TEXT.replace('npm test</verify>', 'test -f made</verify>') });
    await handOut(site, { '03-01:1': 'human' });
    const environment = { PATH: process.env.PATH };
    const verification = '{command: test -f made, exit_code: 0, output_summary: ok}';
    const captured = await submit(site, resultText({ verification }), { environment });
    expect(captured).toMatchObject({ effectiveStatus: 'failure', verification: { exitCode: 1 } });
    expect(site.yaml(captured.logged)).toMatchObject({ executor: 'human' });
  });
});

describe('a person says that it is done', () => {
  function complete(site: TestProject, task: string, more: Partial<CompleteOptions> = {}) {
    return completeTask({
      workspace: new Workspace(site.root),
      config: DEFAULTS,
      policy: { rules: [] },
      task,
      words: null,
      environment: { PATH: process.env.PATH },
      ...more,
    });
  }
  const withVerify = (command: string) =>
    new TestProject({
      [PLAN]: PLAN_TEXT.replace('npm test</verify>', `<automated>${command}</automated></verify>`),
    });

  test('of a checkpoint, which has no command', async () => {
    const site = new TestProject();
    const { captured, unverified } = await complete(site, '03-01:3', { words: 'It reads well.' });
    expect(captured).toMatchObject({ status: 'applied', effectiveStatus: 'success', verification: null });
    expect(unverified).toBeNull();
    expect(site.yaml(captured.logged)).toMatchObject({
      executor: 'human',
      result: { evidence: 'It reads well.', metadata: { executor_id: 'human', attempt: 1 } },
    });
    expect(site.read(PLAN)).toContain('status="completed"');
    expect(getExecutorMetrics(site.project)).toMatchObject([{ executor: 'human', succeeded: 1 }]);
    await expect(complete(site, '03-01:3')).rejects.toThrow(
      '03-01:3 was not changed: it is already completed.',
    );
  });

  test('of a task whose command agrees, after failures', async () => {
    const site = withVerify('true');
    await submit(site, failure({ metadata: '{attempt: 2}' }));
    const ran: string[] = [];
    const { captured } = await complete(site, '03-01:1', {
      onVerify: (_, command) => void ran.push(command),
    });
    expect(ran).toEqual(['true']);
    expect(captured).toMatchObject({ effectiveStatus: 'success', verification: { exitCode: 0 } });
    expect(site.yaml(captured.logged)).toMatchObject({
      result: { evidence: 'Reported as done by the user.', metadata: { attempt: 3 } },
    });
  });

  test('of a task whose command does not agree, as often as they say so', async () => {
    const site = withVerify('test -f made');
    for (const attempt of [1, 2]) {
      const { captured } = await complete(site, '03-01:1');
      expect(captured).toMatchObject({ status: 'applied', effectiveStatus: 'failure' });
      expect(site.yaml(captured.logged)).toMatchObject({ result: { metadata: { attempt } } });
    }
    expect(site.read(PLAN)).toContain('status="failed"');
    expect(getExecutorMetrics(site.project)).toMatchObject([{ falseClaims: 2, falseClaimRate: 1 }]);
  });

  test('and nothing is run that policy denies', async () => {
    const site = withVerify('touch ran.txt');
    const read = await parsePolicy('rules:\n  - {deny: EXECUTE, command: "touch *"}\n');
    const { policy } = read as Extract<typeof read, { status: 'policy' }>;
    const { captured, unverified } = await complete(site, '03-01:1', { policy });
    expect(captured).toMatchObject({ effectiveStatus: 'success', verification: null });
    expect(unverified).toMatch(/^denied by policy, /);
    expect(existsSync(join(site.root, 'ran.txt'))).toBe(false);
  });

  test('of one of two tasks with the same name', async () => {
    const twice = PLAN_TEXT.replace('Task 3: Look at it', 'Look').replace('Task 2: Add the protocol', 'Look');
    const site = new TestProject({ [PLAN]: twice });
    const { captured } = await complete(site, '03-01:3');
    expect(captured).toMatchObject({ status: 'applied', verdict: { match: { task: { index: 3 } } } });
  });

  test('of what an executor is at', async () => {
    const site = new TestProject();
    mkdirSync(join(site.root, '.ultraplan/state'), { recursive: true });
    const lock = site.project.workspace.hold('.ultraplan/state/lock')!;
    onTestFinished(() => lock.release());
    const handed = { '03-01:3': { executor: 'codex', attempt: 1 } };
    for (const [task, by] of Object.entries(handed)) openAssignments(site.project.workspace).add(task, by);
    await expect(complete(site, '03-01:3')).rejects.toThrow('teddy orchestrate (codex)');
  });
});

test('a command that cannot be run is no proof against anyone', async () => {
  const site = new TestProject();
  const config = { ...DEFAULTS, execute: { ...DEFAULTS.execute, sandbox: true } };
  await expect(
    submit(site, resultText(), { verify: true, config, environment: { PATH: '/nowhere' } }),
  ).rejects.toThrow('could not run');
  expect(site.logs).toEqual([]);
});
