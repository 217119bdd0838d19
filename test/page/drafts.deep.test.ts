import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeInBrowser, useBrowser } from './browser.js';
import { projectAnswers } from './fixture/answers.js';
import { INBOX, QUESTION_ID, QUESTIONS, RUN } from './fixture/data.js';
import { FixtureServer } from './fixture/server.js';
import { waitUntilAnswerable } from './keys.js';

describeInBrowser('what is typed for a question', () => {
  const browse = useBrowser();
  const DRAFT = `/api/questions/${QUESTION_ID}/draft`;
  let server: FixtureServer;
  beforeEach(async () => {
    server = new FixtureServer(projectAnswers());
    await server.start();
  });
  afterEach(() => server.stop());

  const open = async () => {
    const { page } = await browse(server.url);
    await page.getByRole('list', { name: 'Inbox' }).getByRole('listitem').first().waitFor();
    await page.evaluate((route) => {
      location.hash = route;
    }, `#/runs/${RUN}`);
    const reason = page.getByRole('textbox', { name: 'Reason' });
    await reason.waitFor();
    return { page, reason };
  };
  const savedReason = () => {
    const saved = server.answers.get(DRAFT) as { text: string } | undefined;
    return saved && (JSON.parse(saved.text) as { reason: string }).reason;
  };
  const untilSaved = async (reason: string) => {
    while (savedReason() !== reason) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  test('another face answers: the text stays within reach', async () => {
    const { page, reason } = await open();
    await reason.fill('half a reason');
    await untilSaved('half a reason');
    server.answers.set('/api/inbox', {
      ...INBOX,
      questions: QUESTIONS.filter(({ id }) => id !== QUESTION_ID),
    });
    server.emit({ type: 'changed', what: 'inbox' });
    const alert = page.getByRole('alert').filter({ hasText: 'half a reason' });
    await alert.getByRole('button', { name: 'Copy' }).waitFor();
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await alert.waitFor({ state: 'detached' });
  });

  test('an answer of this page leaves no text behind', async () => {
    const { page, reason } = await open();
    await reason.fill('not now');
    server.onPost = () => {
      const questions = QUESTIONS.filter(({ id }) => id !== QUESTION_ID);
      server.answers.set('/api/inbox', { ...INBOX, questions });
      server.emit({ type: 'changed', what: 'inbox' });
      return { value: { status: 'accepted' } };
    };
    await waitUntilAnswerable(page);
    await reason.press('Enter');
    while ((await page.title()) !== `(${QUESTIONS.length - 1}) teddy`) await page.waitForTimeout(10);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the server is busy: the page says so, and saves by itself', async () => {
    const { page, reason } = await open();
    server.draftRefusal = { status: 429, error: 'Too many requests.' };
    await reason.fill('kept');
    const alert = page.getByRole('alert').filter({ hasText: 'Too many requests.' });
    await alert.waitFor();
    server.draftRefusal = undefined;
    await untilSaved('kept');
    await alert.waitFor({ state: 'detached' });
  });

  test('a text that is too large is reported', async () => {
    const { page, reason } = await open();
    server.draftRefusal = { status: 413, error: 'The request is larger than 1 MB.' };
    await reason.fill('large');
    await page.getByRole('alert').filter({ hasText: 'The request is larger than 1 MB.' }).waitFor();
  });

  test('what was typed without a connection is saved when it is back', async () => {
    const { page, reason } = await open();
    await server.stop();
    await page.getByText('teddy does not answer.').waitFor();
    await reason.fill('offline');
    await server.start();
    await untilSaved('offline');
  });

  test('typing before the saved draft arrives keeps both', async () => {
    server.answers.set(DRAFT, { text: JSON.stringify({ reason: 'older' }) });
    let release = () => {};
    server.draftsReadable = new Promise((resolve) => {
      release = resolve;
    });
    const { reason } = await open();
    await reason.fill('newer');
    release();
    await untilSaved('older newer');
    const saved = server.posted.filter(({ method }) => method === 'PUT');
    expect(saved.filter(({ body }) => !JSON.stringify(body).includes('older'))).toEqual([]);
    expect(await reason.inputValue()).toBe('older newer');
  });
});
