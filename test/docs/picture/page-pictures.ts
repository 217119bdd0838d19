import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../page/chromium.js';
import { copyExamples } from '../copy-examples.js';
import { PtyScreen } from './pty-screen.js';

/** A question takes no answer right after it appears. */
const SETTLED_MS = 700;

/** Pictures of the page, by name: the review of examples/first-turn, by the real program and in a real browser. */
export async function makePagePictures(root: string): Promise<Map<string, Uint8Array>> {
  const folder = mkdtempSync(join(tmpdir(), 'teddy-picture-'));
  copyExamples(root, folder);
  const cwd = join(folder, 'examples/first-turn');
  const env = { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  const teddy = join(root, 'bin/teddy.cjs');
  const server = spawn(process.execPath, [teddy, 'web', '--no-open', '--json'], { cwd, env });
  const browser = await launchChromium();
  const screen = new PtyScreen(root, [process.execPath, teddy, 'execute', 'plan.md', '--no-copy'], {
    columns: 90,
    rows: 60,
    cwd,
    env,
  });
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const page = await browser.newPage({ viewport: { width: 1080, height: 640 }, reducedMotion: 'reduce' });
    await page.goto((JSON.parse(line) as { url: string }).url);
    return await takePictures(page);
  } finally {
    await screen.close();
    await browser.close();
    const ended = once(server, 'close');
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function takePictures(page: Page): Promise<Map<string, Uint8Array>> {
  const pictures = new Map<string, Uint8Array>();
  const chromium = await page.context().newCDPSession(page);
  const take = async (name: string) => {
    const { data } = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    pictures.set(name, Buffer.from(data, 'base64'));
  };
  await page.getByRole('list', { name: 'Inbox' }).getByRole('link').first().waitFor();
  await page.getByRole('list', { name: 'Inbox' }).getByRole('link').first().click();
  await approve(page, page.getByRole('heading', { name: 'Memos' }));
  for (const action of ['1: READ', '2: CREATE']) await approve(page, articleOf(page, action));
  await articleOf(page, '3: EDIT').locator('.diff-row').first().waitFor();
  await take('page-review.webp');
  await approve(page, articleOf(page, '3: EDIT'));
  await approve(page, articleOf(page, '4: EXECUTE'));
  await articleOf(page, '5: CHAT_WITH_USER').waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await page.getByRole('button', { name: 'Skip' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.keyboard.press('k');
  await articleOf(page, '4: EXECUTE').getByText('# pass').waitFor();
  await take('page-result.webp');
  return pictures;
}

const articleOf = (page: Page, name: string) => page.getByRole('article', { name: `Action ${name}` });

async function approve(page: Page, shown: ReturnType<Page['locator']>): Promise<void> {
  await shown.waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  await page.keyboard.press('a');
}
