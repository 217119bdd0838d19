import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { hasChromium, launchChromium } from './chromium.js';

/** Tests in a real browser; where there is none, they are skipped, and their titles say so. */
export const describeInBrowser = (title: string, tests: () => void): void => {
  if (hasChromium) describe(title, tests);
  else describe.skip(`${title} (chromium is not installed)`, tests);
};

/** No wait has a limit in time; this only ends one that hangs. */
const HANGS_MS = 600_000;

interface PageOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** A browser for all tests of a file. A page that reports an error fails its test at `problems`. */
export function useBrowser(): (url: string, options?: PageOptions) => Promise<OpenedPage> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  return (url, options) => openPage(browser, url, options);
}

interface OpenedPage {
  page: Page;
  /** Errors of scripts, and what the content security policy refused. */
  problems: string[];
}

async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, dark = false }: PageOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(HANGS_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // A server that is gone on purpose is not a problem of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  await page.goto(url);
  return { page, problems };
}

/** Resolves once a draft with this text is on disk; called before it is typed. */
export async function draftSaved(page: Page, text: string): Promise<void> {
  await page.waitForResponse((response) => {
    const request = response.request();
    return request.method() === 'PUT' && response.ok() && (request.postData() ?? '').includes(text);
  });
}
