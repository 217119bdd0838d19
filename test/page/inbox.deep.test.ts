import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, useBrowser } from './browser.js';
import { emptyAnswers, projectAnswers } from './fixture/answers.js';
import { QUESTIONS, RUNS } from './fixture/data.js';
import { FixtureServer } from './fixture/server.js';

describeInBrowser('the inbox', () => {
  const open = useBrowser();
  const server = new FixtureServer(projectAnswers());
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  test('lists what is waiting; the title counts it; the code leaves the address', async () => {
    const { page, problems } = await open(server.url);
    const list = page.getByRole('list', { name: 'Inbox' });
    await list.getByRole('listitem').first().waitFor();
    expect(await list.getByRole('listitem').count()).toBe(QUESTIONS.length);
    expect(await page.title()).toBe(`(${QUESTIONS.length}) teddy`);
    expect(page.url()).toBe(`${server.origin}/`);
    expect(problems).toEqual([]);
  });

  test('shows a new question without a reload', async () => {
    const { page } = await open(server.url);
    const list = page.getByRole('list', { name: 'Inbox' });
    await list.getByRole('listitem').first().waitFor();
    server.answers.set('/api/inbox', {
      ...(server.answers.get('/api/inbox') as object),
      questions: [...QUESTIONS, { ...QUESTIONS[1], id: 'other', title: 'Another plan' }],
    });
    server.emit({ type: 'changed', what: 'inbox' });
    await list.getByText('Another plan').waitFor();
    expect(await page.title()).toBe(`(${QUESTIONS.length + 1}) teddy`);
  });

  test('another tab has no token, and says how to get a link; a reload keeps it', async () => {
    const { page } = await open(server.url);
    const inbox = page.getByRole('list', { name: 'Inbox' }).getByRole('listitem').first();
    await inbox.waitFor();
    const other = await page.context().newPage();
    await other.goto(`${server.origin}/`);
    await other.getByRole('heading', { name: 'This page needs a new link' }).waitFor();
    await page.reload();
    await inbox.waitFor();
  });

  test('a new link in a tab that is already open: its code leaves the address and is redeemed', async () => {
    const { page } = await open(`${server.origin}/`);
    await page.getByRole('heading', { name: 'This page needs a new link' }).waitFor();
    await page.evaluate(() => {
      location.hash = '#c=another';
    });
    await page.getByRole('list', { name: 'Inbox' }).getByRole('listitem').first().waitFor();
    expect(page.url()).toBe(`${server.origin}/`);
    await page.getByRole('status', { name: '' }).getByText('Connected').waitFor({ state: 'attached' });
    await page.evaluate(() => {
      location.hash = '#c=a-third';
    });
    while (page.url() !== `${server.origin}/`) await page.waitForTimeout(5);
    while (!server.codes.includes('a-third')) await page.waitForTimeout(5);
    expect(server.codes.slice(-2)).toEqual(['another', 'a-third']);
  });
});

describeInBrowser('bad states', () => {
  const open = useBrowser();

  test('nothing is waiting', async () => {
    const server = new FixtureServer(emptyAnswers());
    await server.start();
    const { page } = await open(server.url);
    await page.getByRole('heading', { name: 'Nothing is waiting for you' }).waitFor();
    expect(await page.title()).toBe('teddy');
    await server.stop();
  });

  test('the server is gone, and comes back', async () => {
    const server = new FixtureServer(projectAnswers());
    await server.start();
    const { page } = await open(server.url);
    await page.getByText('Retry failed uploads').first().waitFor();
    await server.stop();
    const alert = page.getByRole('alert');
    await alert.getByText('teddy does not answer.').waitFor();
    await server.start();
    await alert.waitFor({ state: 'detached' });
    await server.stop();
  });

  test('another run is active, and one link away', async () => {
    const run = { ...RUNS[1]!, status: 'running', overall: null };
    const server = new FixtureServer({ ...emptyAnswers(), '/api/runs': [run] });
    await server.start();
    const { page } = await open(server.url);
    const status = page.getByRole('status').filter({ hasText: 'A run is active' });
    await status.getByRole('link', { name: run.title! }).waitFor();
    await server.stop();
  });

  test('the project is not trusted', async () => {
    const answers = emptyAnswers();
    const server = new FixtureServer({
      ...answers,
      '/api/inbox': { ...(answers['/api/inbox'] as object), trusted: false },
    });
    await server.start();
    const { page } = await open(server.url);
    await page.getByText('You have not trusted this project yet.').waitFor();
    await page.getByText('teddy trust', { exact: true }).waitFor();
    await server.stop();
  });
});
