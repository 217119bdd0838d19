import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { verifyLogs } from '../../src/capture/index.js';
import { DEFAULTS } from '../../src/config/index.js';
import { setFileSeam } from '../../src/platform/index.js';
import { type SubmitOptions, submitResult } from '../../src/turn/index.js';
import { Workspace } from '../../src/workspace/index.js';
import { failure, LOGS, PLAN, PLAN_TEXT, resultText, TestProject } from '../capture/project.js';

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

const incoming = (site: TestProject) => readdirSync(join(site.root, '.teddy/incoming'));

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
    reason: { message: expect.stringContaining('There is no plan "09-09" here') },
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
  const held = workspace.keepIncoming(new TextEncoder().encode(resultText()));
  // Another captured it, and died before it could answer.
  await site.submit(resultText(), { removal: held.removal! });
  const again = await submit(site, resultText(), { held });
  held.release();
  expect(again.status).toBe('duplicate');
});

test('a text that could not be captured stays where it was kept', async () => {
  const site = new TestProject();
  const workspace = new Workspace(site.root);
  const held = workspace.keepIncoming(new TextEncoder().encode(resultText()));
  await expect(submit(site, resultText(), { held, plan: '09-09' })).rejects.toThrow('no plan');
  held.release();
  expect(workspace.leftIncoming()).toEqual([held.path]);
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
  const plan = PLAN_TEXT.replace('npm test</verify>', 'echo "no tests to run"</verify>');
  const site = new TestProject({ [PLAN]: plan });
  const { notes } = await submit(site, resultText(), {
    verify: true,
    environment: { PATH: process.env.PATH },
  });
  expect(notes.map(({ code }) => code)).toContain('vacuous');
});

test('a command that cannot be run is no proof against anyone', async () => {
  const site = new TestProject();
  const config = { ...DEFAULTS, execute: { ...DEFAULTS.execute, sandbox: true } };
  await expect(
    submit(site, resultText(), { verify: true, config, environment: { PATH: '/nowhere' } }),
  ).rejects.toThrow('could not be run');
  expect(site.logs).toEqual([]);
});
