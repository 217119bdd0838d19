import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from './browser.js';
import { INBOX, QUESTIONS } from './fixture/data.js';
import { METRIC_RESULTS, METRICS } from './fixture/project.js';
import { openLine, press } from './keys.js';
import { useFixturePage } from './review-page.js';

describeInBrowser('metrics', () => {
  const fixture = useFixturePage();

  /** A link of the metrics leads to so many results. */
  const expectResults = async (page: Page, link: string, title: string, count: number) => {
    await fixture.goTo(page, link);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    await page
      .locator('.page-head')
      .getByText(new RegExp(`^${count} .*, newest first`))
      .waitFor();
    if (count === 0) await page.getByRole('heading', { name: 'Nothing is counted here' }).waitFor();
    else await page.locator(`li[aria-setsize="${count}"]`).first().waitFor();
  };

  test('each number links to its results', async () => {
    const { page, problems } = await fixture.openInbox();
    await fixture.goTo(page, '#/metrics');
    await page.locator('.chart').first().waitFor();
    const links = await page.locator('.metrics a').evaluateAll((all) =>
      all.map((link) => ({
        href: link.getAttribute('href')!,
        words: link.querySelector('title')?.textContent ?? (link.textContent || ''),
      })),
    );
    const numbers = await page
      .locator('.figures dd, .claims-head > span:last-child, .chart-table td, .calibration .claims-head')
      .evaluateAll((all) => all.filter((element) => element.querySelector('a') === null).length);
    expect(numbers).toBe(0);
    const total = METRICS.days.reduce((sum, { results }) => sum + results, 0);
    const withCost = METRIC_RESULTS.results.filter(({ costUsd }) => costUsd !== null).length;
    const claims = METRICS.executors.reduce((sum, { falseClaims }) => sum + falseClaims, 0);
    expect(links.slice(0, 4)).toMatchObject([
      { href: '#/metrics/results', words: String(total) },
      { href: '#/metrics/false-claims', words: String(claims) },
      { href: '#/metrics/first', words: '67%' },
      { href: '#/metrics/cost' },
    ]);
    await expectResults(page, '#/metrics/results', 'Results', total);
    await expectResults(page, '#/metrics/false-claims', 'False claims', claims);
    await expectResults(page, '#/metrics/first', 'First results', 3);
    await expectResults(page, '#/metrics/cost', 'Costs', withCost);
    for (const { name, results, falseClaims } of METRICS.executors) {
      const own = links.filter(({ href }) => href.endsWith(`/${name}`));
      expect(own.map(({ words }) => words)).toEqual([String(falseClaims), `${results} results`]);
      await expectResults(page, own[0]!.href, `False claims of ${name}`, falseClaims);
      await expectResults(page, own[1]!.href, `Results of ${name}`, results);
    }
    for (const { agent, decided } of METRICS.calibration) {
      const [own] = links.filter(({ href }) => href.endsWith(`/${agent}`));
      expect(own!.words).toBe(`${decided} reports`);
      await expectResults(page, own!.href, `Agent reports of ${agent}`, decided);
    }
    // In each of three charts, a mark and a line of its table.
    for (const { day, results } of METRICS.days) {
      const own = links.filter(({ href }) => href.endsWith(`/${day}`));
      expect(own.map(({ href }) => href.split('/')[2])).toEqual(['day', 'day', 'day', 'day', 'cost', 'cost']);
      await expectResults(page, own[0]!.href, `Results of ${day}`, results);
    }
    expect(problems).toEqual([]);
  });

  test('a result leads to its task and to its log', async () => {
    const { page } = await fixture.openInbox();
    await fixture.goTo(page, '#/metrics/false-claims');
    const [first] = METRIC_RESULTS.results.filter(
      ({ claimed, status }) => claimed === 'success' && status === 'failure',
    );
    const row = page.getByRole('list', { name: 'Results' }).getByRole('listitem').first();
    await row.getByText('Claimed success').waitFor();
    const log = await row.getByRole('link', { name: 'Log' }).getAttribute('href');
    expect(log).toContain(first!.log);
    await openLine(page, first!.task);
    await page.getByRole('complementary', { name: 'Task' }).getByText(first!.task).first().waitFor();
  });
});

describeInBrowser('a task', () => {
  const fixture = useFixturePage();

  test('has the files that were claimed beside those that git names', async () => {
    const { page } = await fixture.openInbox();
    await fixture.goTo(page, '#/tasks/01-02:3');
    const attempt = page.getByRole('region', { name: 'Attempt 3' });
    const files = (name: string) =>
      attempt.getByRole('list', { name }).getByRole('listitem').allTextContents();
    await attempt.getByText('Last output').waitFor();
    expect(await files('Files that the executor claims')).toEqual([
      'src/session/store.ts',
      'test/session/store.test.tsnot changed',
    ]);
    expect(await files('Files that git says were changed')).toEqual([
      'package.jsonnot claimed',
      'src/session/store.ts',
    ]);
  });
});

describeInBrowser('the timeline', () => {
  const fixture = useFixturePage();

  test('has a legend, and shows the critical path', async () => {
    const { page } = await fixture.openInbox();
    await fixture.goTo(page, '#/tasks');
    await page.locator('.task-card').first().waitFor();
    await press(page, 't');
    const items = (name: string) => page.getByRole('list', { name }).getByRole('listitem').allInnerTexts();
    await page.getByRole('list', { name: 'Legend' }).waitFor();
    expect(await items('Legend')).toEqual(['succeeded', 'failed', 'running', 'on the critical path']);
    expect((await items('Critical path')).map((text) => text.trim())).toEqual([
      ...['01-01:1', '01-01:2', '01-02:3', '01-02:4', '01-03:1', '01-03:3'],
    ]);
    const lane = page.getByRole('list', { name: 'Timeline' }).getByRole('link', { name: /^01-02:3/ });
    expect(await lane.innerText()).toContain('on the critical path');
    expect(await lane.locator('.bar.not-ok').count()).toBe(3);
  });
});

describeInBrowser('notifications', () => {
  const fixture = useFixturePage();

  /** A desktop that records what it is asked to show: a browser without a screen has none. */
  function recordNotifications() {
    const desktop = { asked: 0, shown: [] as string[] };
    class RecordedNotification extends EventTarget {
      static permission = 'default';
      constructor(title: string, { body }: { body: string }) {
        super();
        desktop.shown.push(`${title}: ${body}`);
      }
      static async requestPermission() {
        desktop.asked++;
        RecordedNotification.permission = 'granted';
        return 'granted';
      }
    }
    Object.assign(window, { Notification: RecordedNotification, desktop });
  }

  test('are asked for once, by a click, and shown while the page is hidden', async () => {
    const { page } = await fixture.openInbox();
    await page.addInitScript(recordNotifications);
    await page.reload();
    const notify = page.getByRole('button', { name: 'Notify me' });
    await notify.waitFor();
    const desktop = () =>
      page.evaluate(() => (window as unknown as { desktop: { asked: number; shown: string[] } }).desktop);
    expect(await desktop()).toEqual({ asked: 0, shown: [] });
    await notify.press('Enter');
    await notify.waitFor({ state: 'detached' });
    expect(await desktop()).toEqual({ asked: 1, shown: [] });

    const ask = async (id: string, title: string, count: number) => {
      const { questions } = fixture.server.answers.get('/api/inbox') as typeof INBOX;
      const added = { ...QUESTIONS[1]!, id, title };
      fixture.server.answers.set('/api/inbox', { ...INBOX, questions: [...questions, added] });
      fixture.server.emit({ type: 'changed', what: 'inbox' });
      await page.waitForFunction((shown) => document.title === shown, `(${count}) teddy`);
    };
    await ask('seen', 'While the page is in front', QUESTIONS.length + 1);
    expect((await desktop()).shown).toEqual([]);
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true }));
    await ask('unseen', 'While it is hidden', QUESTIONS.length + 2);
    expect((await desktop()).shown).toEqual([
      'A question is waiting: While it is hidden\nEDIT src/upload.ts',
    ]);
  });
});
