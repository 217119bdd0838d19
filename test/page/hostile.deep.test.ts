import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MetricResults } from '../../src/faces/web/api.js';
import { describeInBrowser, useBrowser } from './browser.js';
import { projectAnswers } from './fixture/answers.js';
import { FixtureServer } from './fixture/server.js';
import { showView, VIEWS } from './views.js';

const HOSTILE =
  '<img src=x onerror="window.owned=1"><script>window.owned=1</script>\u202Etxt\u001b[31mred\u0007\u200B&lt;b&gt;';

/** Fields that name something for the program: everything else may be written by a model. */
const NAMES = new Set([
  ...['id', 'kind', 'type', 'status', 'overall', 'hash', 'run', 'session', 'turn', 'question', 'section'],
  ...['askedAt', 'startedAt', 'endedAt', 'changedAt', 'severity', 'by', 'why', 'answers', 'task', 'day'],
  ...['dependsOn', 'criticalPath', 'effective', 'claimed', 'decision', 'sign', 'stream'],
]);

function poison(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return NAMES.has(key) ? value : `${HOSTILE}${value}`;
  if (Array.isArray(value)) return value.map((item) => poison(item, key));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' && NAMES.has(name) ? item : poison(item, name),
    ]),
  );
}

describeInBrowser('text of others is text', () => {
  const open = useBrowser();
  const answers = Object.fromEntries(
    Object.entries(projectAnswers()).map(([path, value]) => [path, poison(value)]),
  );
  // The names of the session and of the agent are parts of addresses.
  for (const report of (answers['/api/metrics/results'] as MetricResults).reports) report.agent = 'security';
  answers['/api/sessions'] = projectAnswers()['/api/sessions'];
  const server = new FixtureServer(answers);
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  test.each(VIEWS.filter(({ keys, press }) => keys === undefined && press === undefined))(
    '$name',
    async (view) => {
      const { page, problems } = await open(server.url);
      await page.locator('.row-link').first().waitFor();
      await showView(page, view);
      expect(await page.evaluate(() => 'owned' in window)).toBe(false);
      expect(await page.locator('#page script, #page img:not([src="/icon.svg"]), #page b').count()).toBe(0);
      // Neither direction marks, escape codes nor zero-width characters reach the screen as they are.
      const shown = await page.evaluate(() => {
        const attributes = [...document.querySelectorAll('#page *')].flatMap((element) =>
          ['title', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
        );
        return [document.querySelector('#page')!.textContent!, ...attributes].join('\n');
      });
      expect(shown).not.toMatch(/[\u202E\u001b\u0007]/);
      if (view.name !== 'sessions' && view.name !== 'unknown run') expect(shown).toContain('<U+202E>');
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  test('its links lead nowhere else', async () => {
    const { page } = await open(server.url);
    await page.locator('.row-link').first().waitFor();
    for (const view of VIEWS.slice(0, 3)) {
      await showView(page, view);
      const links = await page
        .locator('a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
      // A file of the project can be opened in the user's editor.
      expect(links.filter((link) => !/^(?:#|vscode:\/\/file\/)/.test(link))).toEqual([]);
    }
  });
});

describeInBrowser('nothing is asked of any other server', () => {
  const open = useBrowser();

  test('in every view', async () => {
    const server = new FixtureServer(projectAnswers());
    await server.start();
    const { page } = await open(server.url);
    const others: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${server.origin}/`)) others.push(request.url());
    });
    await page.locator('.row-link').first().waitFor();
    for (const view of VIEWS) {
      server.forgetDrafts();
      await page.reload();
      await page.locator('nav').waitFor();
      await showView(page, view);
    }
    expect(others).toEqual([]);
    await server.stop();
  });
});
