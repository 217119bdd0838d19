import type { Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import { useBrowser } from './browser.js';
import { projectAnswers } from './fixture/answers.js';
import { TITLE } from './fixture/data.js';
import { FixtureServer } from './fixture/server.js';
import { openLine, waitUntilAnswerable } from './keys.js';

/** Presses a key or a button again and again for as long as the question that appears takes no answer. */
export function pressWhileNew(page: Page, appears: string, press: { key: string } | { click: string }) {
  return page.evaluate(
    ([selector, given]) =>
      new Promise<number>((resolve) => {
        let count = 0;
        const step = () => {
          const decision = document.querySelector(selector)?.closest('.decision');
          if (decision?.getAttribute('aria-busy') === 'false') {
            resolve(count);
            return;
          }
          if (decision) {
            count++;
            if ('key' in given)
              document.body.dispatchEvent(new KeyboardEvent('keydown', { key: given.key, bubbles: true }));
            else document.querySelector<HTMLElement>(given.click)!.click();
          }
          requestAnimationFrame(step);
        };
        step();
      }),
    [appears, press] as const,
  );
}

/** A server and a browser with the page at its inbox, and what the page has answered. */
export function useFixturePage() {
  const browse = useBrowser();
  let server: FixtureServer;
  beforeEach(async () => {
    server = new FixtureServer(projectAnswers());
    await server.start();
  });
  afterEach(() => server.stop());

  const answers = () =>
    server.posted.filter(({ method }) => method === 'POST').map(({ path, body }) => ({ path, body }));
  const waitForAnswer = async (number = 1) => {
    while (answers().length < number) await new Promise((resolve) => setTimeout(resolve, 10));
    return answers()[number - 1]!;
  };
  const openInbox = async (options?: { width: number; height: number }) => {
    const opened = await browse(server.url, options);
    await opened.page.getByRole('list', { name: 'Inbox' }).getByText(TITLE).waitFor();
    return opened;
  };
  /** The review, by keyboard. */
  const openReview = async () => {
    const opened = await openInbox();
    const { page } = opened;
    await openLine(page, TITLE);
    await page.getByRole('heading', { name: TITLE }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await waitUntilAnswerable(page);
    return opened;
  };
  const goTo = async (page: Page, route: string) => {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, route);
  };
  return {
    get server() {
      return server;
    },
    answers,
    waitForAnswer,
    openInbox,
    openReview,
    goTo,
  };
}
