import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, useBrowser } from './browser.js';
import { projectAnswers } from './fixture/answers.js';
import { FixtureServer } from './fixture/server.js';
import { showView, VIEWS } from './views.js';

/** What axe-core finds at WCAG 2.2 AA, one line for each problem. */
async function findProblems(page: Page): Promise<string[]> {
  // The policy of the page allows no injected script; the debugger's evaluation is not bound by it.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
    );
  });
}

describeInBrowser('accessibility at WCAG AA', () => {
  const open = useBrowser();
  const server = new FixtureServer(projectAnswers());
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  test.each(VIEWS.flatMap((view) => [false, true].map((dark) => ({ ...view, dark }))))(
    '$name, dark: $dark',
    async (view) => {
      server.forgetDrafts();
      const { page, problems } = await open(server.url, { dark: view.dark });
      await page.locator('.row-link').first().waitFor();
      await showView(page, view);
      expect(await findProblems(page)).toEqual([]);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );
});

/** Elements whose content is wider than they are, or that stick out of the window; what scrolls by itself may be wider. */
function findCutOff(): string[] {
  const scrolls = (element: Element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const isInside = (element: Element): boolean =>
    element.parentElement !== null && (scrolls(element.parentElement) || isInside(element.parentElement));
  const found: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window');
  for (const scroller of document.querySelectorAll('.scroller'))
    if (scroller.scrollWidth > scroller.clientWidth) found.push(`${scroller.className} scrolls sideways`);
  for (const element of document.querySelectorAll('#page *')) {
    const { left, right, width } = element.getBoundingClientRect();
    if (width === 0 || element.closest('.unseen, .graph-scroll, .cm-editor') !== null) continue;
    if ((right > innerWidth + 1 || left < -1) && !isInside(element))
      found.push(`${element.tagName}.${element.getAttribute('class')} at ${left} to ${right}`);
  }
  return found;
}

describeInBrowser('390 pixels wide', () => {
  const open = useBrowser();
  const server = new FixtureServer(projectAnswers());
  beforeAll(() => server.start());
  afterAll(() => server.stop());

  test.each(VIEWS)('$name: nothing is cut off', async (view) => {
    server.forgetDrafts();
    const { page } = await open(server.url, { width: 390, height: 844 });
    await page.locator('.row-link').first().waitFor();
    await showView(page, view);
    expect(await page.evaluate(findCutOff)).toEqual([]);
    await page.context().close();
  });
});
