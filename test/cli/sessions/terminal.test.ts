import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ModelServer, type ModelStep, startModelServer } from '../../model-server.mjs';
import { create, execute, planOf } from '../../runs/boundary/plan.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { KEY, Site } from './site.js';

const PLAN = planOf([create('one.txt', 'first\n'), execute('cat one.txt')], { title: 'Make one' });
const FIRST = '.teddy/sessions/larder/01';

interface Place {
  site: Site;
  model: ModelServer;
  /** `teddy` at a terminal of its own. */
  open(...words: string[]): TestTerminal;
}

async function begin(...steps: ModelStep[]): Promise<Place> {
  const model = await startModelServer(steps);
  onTestFinished(() => model.close());
  const site = new Site({ 'README.md': 'A larder.\n' }, { url: model.url });
  expect(await site.run(['new', 'larder', '--agent', 'developer'])).toMatchObject({ exit: 0 });
  const open = (...words: string[]) =>
    new TestTerminal([process.execPath, TEDDY, ...words, '--trust'], {
      cwd: site.root,
      env: site.env,
      columns: 100,
      rows: 40,
    });
  return { site, model, open };
}

describe.skipIf(noPython)(`a session at a terminal${noPython}`, () => {
  test('resume asks what comes next, keeps what was typed, and goes through plan, review and report', async () => {
    const { site, model, open } = await begin({ answer: PLAN });
    const half = open('resume');
    await half.shows('Message to developer (session larder)');
    half.send(`Make one, not ${KEY}`);
    await half.shows('Make one, not');
    half.send('\u001b');
    expect(await half.ended).toMatchObject({ exit: 130 });
    expect(half.history()).toContain('What you typed is kept. teddy resume shows it again.');
    expect(site.read(`${FIRST}/message.part`)).toMatch(/^Make one, not \[masked:[0-9a-f]{8}\]$/);
    expect(model.requests).toEqual([]);

    const whole = open('resume');
    await whole.shows('Make one, not [masked:');
    whole.send('\nnor two.\r');
    expect(await whole.ended).toMatchObject({ exit: 0 });
    expect(whole.history()).toContain(`${FIRST}/plan.md`);
    expect(site.has(`${FIRST}/message.part`)).toBe(false);
    expect(site.read(`${FIRST}/input.md`)).toMatch(/Make one, not \[masked:[0-9a-f]{8}\]\nnor two\.\n/);

    const review = open('resume', '--no-copy');
    await review.shows(/1 of 2.*n skip/s);
    expect(review.history()).toContain(`${FIRST} has a plan to review.`);
    review.send('y');
    await review.shows(/2 of 2.*n skip/s);
    review.send('n');
    await review.shows(/reason/i);
    review.send('Not now.\r');
    expect(await review.ended).toMatchObject({ exit: 0 });
    expect(review.history()).toContain('Turn 01 is done. Continue with teddy resume.');
    expect(site.read('one.txt')).toBe('first\n');
    expect(site.read(`${FIRST}/report.md`)).toContain('- **Reason:** Not now.\n');
    expect(site.has('.teddy/sessions/larder/02/meta.yaml')).toBe(true);
    expect(model.requests).toHaveLength(1);
  });

  test('the answer is seen as it comes; Ctrl-C ends it, and keeps what came', async () => {
    const { site, open } = await begin({ answer: PLAN, stallAfter: 120 }, { answer: PLAN });
    const terminal = open('plan', '-m', 'Make one.');
    const came = [...PLAN].slice(0, 120).join('');
    await terminal.shows(/is writing · \d+ tokens/);
    expect(terminal.text()).not.toContain('## Rationale');
    await terminal.until(
      () => site.has(`${FIRST}/answer.part`) && site.read(`${FIRST}/answer.part`) === came,
      'all that came',
    );
    terminal.send('\u0003');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect(terminal.history()).toMatch(/Stopped \([^)]*\); saved as answer-1\.md\.\n/);
    expect(site.read(`${FIRST}/answer-1.md`)).toBe(came);
    expect(site.has(`${FIRST}/answer.part`)).toBe(false);
    expect(site.read(`${FIRST}/meta.yaml`)).toContain('outcome: interrupted');
    expect(await site.run(['plan', '-m', 'Make one.'])).toMatchObject({
      exit: 0,
      stdout: `${FIRST}/plan.md\n`,
    });
  });

  test('nothing that a model writes acts on the terminal', async () => {
    const hostile = '# Plan \u001b]0;mine\u0007\u001b[2J\u202e\n';
    const { open } = await begin({ answer: hostile });
    const terminal = open('plan', '-m', 'Make one.');
    expect(await terminal.ended).toMatchObject({ exit: 1 });
    expect(terminal.history()).toContain('<U+001B>]0;mine<U+0007>');
    expect(terminal.raw).not.toContain('\u001b]0;mine');
    expect(terminal.raw).not.toContain('\u001b[2J');
  });

  test('what is made for a chat is copied, and its account is shown instead', async () => {
    const { site, open } = await begin();
    const terminal = open('context', '-m', 'Make one.');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    const input = site.read(`${FIRST}/input.md`);
    expect(site.clipboard).toBe(`${site.read(`${FIRST}/system_prompt.md`).trimEnd()}\n\n---\n\n${input}`);
    expect(terminal.history()).toContain(`${FIRST}/input.md`);
    expect(terminal.history()).toMatch(/About \d+ tokens in total \(limit 100,000\)\./);
    expect(terminal.history()).not.toContain('From the user:');
    site.clipboard = PLAN;
    const run = open('execute', '--yes');
    expect(await run.ended).toMatchObject({ exit: 0 });
    expect(site.clipboard).toBe(site.read(`${FIRST}/report.md`));
    const prompt = open('get-prompt', 'architect');
    expect(await prompt.ended).toMatchObject({ exit: 0 });
    expect(site.clipboard).toContain('Your name is architect.');
  });

  test('a context that takes long shows how far it is; without a terminal it does not', async () => {
    const { site, open } = await begin();
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const slow = `#!/bin/sh\ncase "$*" in *ls-files*) sleep 1;; esac\nexec ${git} "$@"\n`;
    writeFileSync(join(site.base, 'clipboard/bin/git'), slow, { mode: 0o755 });
    const terminal = open('context');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.raw).toContain('Reading the context');
    expect(terminal.history()).not.toContain('Reading the context');
    const { exit, stderr } = await site.run(['context']);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'Paste it into a chat, copy the whole answer, then run: teddy execute\n',
    });
  });

  test('plan asks at its budget: n stops before the model is asked, y continues', async () => {
    const { site, model, open } = await begin({ answer: PLAN });
    const config = site.read('.teddy/config.yaml');
    site.write('.teddy/config.yaml', `${config}  inputPrice: 100\n  outputPrice: 100\n`);
    const stopped = open('plan', '-m', 'Make one.', '--budget', '0.01');
    await stopped.shows(/Continue beyond the budget\?.*y continue this turn {2}n stop here/s);
    stopped.send('n');
    expect(await stopped.ended).toMatchObject({ exit: 1 });
    expect(model.requests).toEqual([]);
    expect(site.has(`${FIRST}/plan.md`)).toBe(false);

    const passed = open('plan', '--budget', '0.01');
    await passed.shows('n stop here');
    passed.send('y');
    expect(await passed.ended).toMatchObject({ exit: 0 });
    expect(passed.history()).toContain(`${FIRST}/plan.md`);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]!.body)).toContain('Make one.');
  });
});
