import type { Page } from 'playwright-core';

// Keys of a user, who presses them when they count: the page shows by itself when that is.

/** Nothing is being loaded, and the question that is shown, if there is one, takes answers. */
async function waitUntilReady(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('main') !== null &&
      document.querySelector('.skeleton, [aria-busy="true"]') === null,
  );
}

/** Presses keys one after the other, each once it counts. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await waitUntilReady(page);
    await page.keyboard.press(key);
  }
}

/** Presses the key that opens a text box, and types into it. */
export async function write(page: Page, key: string, text: string): Promise<void> {
  await press(page, key);
  await page.locator('input:focus, textarea:focus').waitFor();
  await page.keyboard.type(text);
}

/** Opens the editor of a result, with the cursor at its start. */
export async function openEditor(page: Page): Promise<void> {
  await press(page, 'e');
  await page.locator('.cm-merge-b .cm-content:focus').waitFor();
  await page.keyboard.press('Control+Home');
}

/** Opens the line with this text of the list that is shown; without one, its first line. */
export async function openLine(page: Page, text = ''): Promise<void> {
  const chosen = page.locator('a:focus, summary:focus').filter({ hasText: text });
  do await press(page, 'j');
  while ((await chosen.count()) === 0);
  await press(page, 'Enter');
}

/** Moves the focus with Tab until a button has it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await button.waitFor();
  for (let steps = 0; steps < 40; steps++) {
    if (await button.evaluate((element) => element === document.activeElement)) return;
    await press(page, 'Tab');
  }
  throw new Error(`Tab does not reach ${name}.`);
}

/** Once the question that is shown takes answers: it takes none right after it appears. */
export async function waitUntilAnswerable(page: Page): Promise<void> {
  await page.locator('.decision[aria-busy="false"], .task-answer[aria-busy="false"]').first().waitFor();
}

/** Approves what is shown. */
export async function approve(page: Page): Promise<void> {
  await waitUntilAnswerable(page);
  await press(page, 'a');
}
