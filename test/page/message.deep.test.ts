import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createAction, planOf } from '../cli/execute/program.js';
import { teddy } from '../cli/teddy.js';
import { startServer } from '../cli/web/page-client.js';
import { makeFolder } from '../folder.js';
import { startModelServer } from '../model-server.mjs';
import { describeInBrowser, draftSaved, useBrowser } from './browser.js';
import { approve, press, waitUntilAnswerable, write } from './keys.js';

describeInBrowser('the next message of a session', () => {
  const browse = useBrowser();

  /** A session with a model that gives these answers, open on the page. */
  const openSession = async (...answers: string[]) => {
    const model = await startModelServer(answers.map((answer) => ({ answer })));
    onTestFinished(() => model.close());
    const config = `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}"}\n`;
    const cwd = makeFolder({ '.teddy/config.yaml': config, '.git/HEAD': '' });
    teddy(['trust', '--yes'], { cwd });
    teddy(['new', 'walk'], { cwd });
    const server = await startServer(cwd);
    const opened = await browse(`${server.origin}/#c=${server.code}`);
    const { page } = opened;
    await page.getByRole('list', { name: 'Inbox' }).or(page.getByText('Nothing')).first().waitFor();
    await showSession(page);
    return { ...opened, cwd, model };
  };
  const showSession = (page: Page) =>
    page.evaluate(() => {
      location.hash = '#/sessions/walk';
    });

  test('is written and sent by keyboard; its plan is reviewed and run; a reload loses no text', async () => {
    const { page, problems, cwd } = await openSession(planOf('Walk on', createAction('a.txt')));
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await box.focus();
    const saved = draftSaved(page, 'Go for a walk.');
    await page.keyboard.type('Go for a walk.');
    await saved;
    await page.reload();
    await box.waitFor();
    while ((await box.inputValue()) !== 'Go for a walk.') await page.waitForTimeout(20);
    await box.focus();
    await press(page, 'Control+Enter');
    await page.getByRole('link', { name: 'Review the plan' }).press('Enter');
    await page.getByRole('article', { name: 'Action 1: CREATE' }).waitFor();
    await approve(page);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
    await showSession(page);
    await page.getByText('Go for a walk.').waitFor();
    expect(await box.inputValue()).toBe('');
    expect(problems).toEqual([]);
  });

  test('beyond the budget the page asks, and the inbox leads to the question', async () => {
    const model = await startModelServer([{ answer: 'Which way?' }]);
    onTestFinished(() => model.close());
    const prices = 'budget: 0.01, inputPrice: 1, outputPrice: 1000';
    const config = `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}", ${prices}}\n`;
    const cwd = makeFolder({ '.teddy/config.yaml': config, '.git/HEAD': '' });
    teddy(['trust', '--yes'], { cwd });
    teddy(['new', 'walk'], { cwd });
    teddy(['plan', '-m', 'Go.', '--session', 'walk'], { cwd });
    const server = await startServer(cwd);
    const { page, problems } = await browse(`${server.origin}/#c=${server.code}`);
    await page.getByRole('list', { name: 'Inbox' }).getByText('Continue beyond the budget?').click();
    await page.getByText('The budget of session walk is not enough').waitFor();
    await approve(page);
    await page.getByText('Which way?').waitFor();
    expect(await page.getByText('Which way?').count()).toBe(1);
    expect(await page.getByText('The budget of session walk').count()).toBe(0);
    expect(model.requests).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('comments on a line and on the whole reach the report, and with it the model', async () => {
    const text = 'one\ntwo\nthree\n';
    const { page, cwd, model } = await openSession(
      planOf('Count', createAction('a.txt', text)),
      planOf('Count on', createAction('b.txt')),
    );
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.waitFor();
    await write(page, 'c', 'Count.');
    await press(page, 'Control+Enter');
    await page.getByRole('link', { name: 'Review the plan' }).press('Enter');
    await page.getByRole('article', { name: 'Action 1: CREATE' }).waitFor();
    await waitUntilAnswerable(page);
    await write(page, 'c', 'Why only three?');
    await page.getByRole('textbox', { name: 'Comment on line 3' }).and(page.locator(':focus')).waitFor();
    await press(page, 'Alt+ArrowUp');
    await page.getByRole('textbox', { name: 'Comment on line 2' }).and(page.locator(':focus')).waitFor();
    await press(page, 'Control+Enter');
    await write(page, 'C', 'Numbers are fine.');
    await press(page, 'Control+Enter', 'a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const comments = ['- **Comment on line 2:** Why only three?', '- **Comment:** Numbers are fine.'];
    const shown = await page.locator('.report pre').textContent();
    for (const comment of comments) expect(shown).toContain(comment);
    const [run] = readdirSync(join(cwd, '.teddy/runs')).filter((name) => /^\d/.test(name));
    const report = readFileSync(join(cwd, '.teddy/runs', run!, 'report.md'), 'utf8');
    for (const comment of comments) expect(report).toContain(`${comment}\n`);
    await showSession(page);
    await box.waitFor();
    await write(page, 'c', 'Go on.');
    await press(page, 'Control+Enter');
    await page.getByText('Count on').first().waitFor();
    const sent = JSON.stringify(model.requests.at(-1)!.body);
    for (const comment of comments) expect(sent).toContain(comment);
  });
});
