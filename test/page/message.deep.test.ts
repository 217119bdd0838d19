import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAction, planOf } from '../cli/execute/program.js';
import { teddy } from '../cli/teddy.js';
import { startServer } from '../cli/web/page-client.js';
import { makeFolder } from '../folder.js';
import { startModelServer } from '../model-server.mjs';
import { describeInBrowser, draftSaved, useBrowser } from './browser.js';
import { waitUntilAnswerable } from './review-page.js';

describeInBrowser('the next message of a session', () => {
  const browse = useBrowser();

  test('is written and sent by keyboard; its plan is reviewed and run; a reload loses no text', async () => {
    const model = await startModelServer([{ answer: planOf('Walk on', createAction('a.txt')) }]);
    onTestFinished(() => model.close());
    const config = `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}"}\n`;
    const cwd = makeFolder({ '.teddy/config.yaml': config, '.git/HEAD': '' });
    teddy(['trust', '--yes'], { cwd });
    teddy(['new', 'walk'], { cwd });
    const server = await startServer(cwd);
    const { page, problems } = await browse(`${server.origin}/#c=${server.code}`);
    await page.getByRole('list', { name: 'Inbox' }).or(page.getByText('Nothing')).first().waitFor();
    await page.evaluate(() => {
      location.hash = '#/sessions/walk';
    });
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
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: 'Review the plan' }).press('Enter');
    await page.getByRole('article', { name: 'Action 1: CREATE' }).waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
    await page.evaluate(() => {
      location.hash = '#/sessions/walk';
    });
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
    await page.getByText('The budget of session walk is reached').waitFor();
    await page.waitForTimeout(700);
    await page.getByRole('button', { name: 'Continue this turn' }).press('Enter');
    await page.getByText('Which way?').waitFor();
    expect(await page.getByText('Which way?').count()).toBe(1);
    expect(await page.getByText('The budget of session walk').count()).toBe(0);
    expect(model.requests).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});
