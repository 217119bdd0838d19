import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAction, editAction, executeAction, planOf } from '../cli/execute/program.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { startTeddy, TEDDY } from '../cli/teddy.js';
import { serverOf, startServer } from '../cli/web/page-client.js';
import { makeFolder } from '../folder.js';
import { describeInBrowser, draftSaved, useBrowser } from './browser.js';
import { approve, openEditor, openLine, press, waitUntilAnswerable, write } from './keys.js';

/** Texts that a careless editor changes. */
const FILES: Record<string, string> = {
  'crlf.txt': 'a\r\nb\r\nc\r\n',
  'mixed.txt': 'a\nb\r\nc\n',
  'lone.txt': 'a\rx\nb\nc\r\n',
  'unended.txt': 'a\r\nb\r\nc',
  'bom.txt': '\uFEFFa\r\nb\r\nc\r\n',
};
const NAMES = Object.keys(FILES);

function makeProject(plan: string, files: Record<string, string | Uint8Array> = {}): string {
  return makeFolder({ 'plan.md': plan, '.git/HEAD': '', ...files });
}

function startReview(cwd: string): TestTerminal {
  return new TestTerminal([process.execPath, TEDDY, 'execute', 'plan.md', '--no-copy'], {
    cwd,
    columns: 100,
    rows: 50,
  });
}

const approveButton = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true });

/** Approves by keyboard, once an action is shown and its keys count. */
async function approveAction(page: Page, number: number, type: string): Promise<void> {
  await page.getByRole('article', { name: `Action ${number}: ${type}` }).waitFor();
  await approveButton(page).waitFor();
  await approve(page);
}

describeInBrowser('the page with a real teddy web', () => {
  if (noPython !== '') return;
  const browse = useBrowser();

  const open = async (cwd: string) => {
    const server = await startServer(cwd);
    const opened = await browse(`${server.origin}/#c=${server.code}`);
    const terminal = startReview(cwd);
    const list = opened.page.getByRole('list', { name: 'Inbox' });
    await list.getByRole('link').first().waitFor();
    await openLine(opened.page);
    return { ...opened, server, terminal };
  };

  test('an approval without typing writes the bytes that an approval in the terminal writes', async () => {
    const plan = planOf('Endings', ...NAMES.map((name) => editAction(name, 'b\n', 'B\n')));
    const byTerminal = makeProject(plan, FILES);
    const terminal = startReview(byTerminal);
    for (let number = 1; number <= NAMES.length; number++) {
      await terminal.until(() => {
        const text = terminal.text();
        const title = `${number} of ${NAMES.length}  EDIT`;
        return text.includes(title) && text.lastIndexOf('y approve') > text.lastIndexOf(title);
      }, `question ${number}`);
      terminal.send('y');
    }
    expect(await terminal.ended).toMatchObject({ exit: 0 });

    const byPage = makeProject(plan, FILES);
    const { page, problems, terminal: other } = await open(byPage);
    for (let number = 1; number <= NAMES.length; number++) await approveAction(page, number, 'EDIT');
    expect(await other.ended).toMatchObject({ exit: 0 });
    for (const name of NAMES) {
      const bytes = readFileSync(join(byPage, name));
      expect(bytes.equals(readFileSync(join(byTerminal, name))), name).toBe(true);
      expect(bytes.toString('utf8'), name).toBe(FILES[name]!.replace('b', 'B'));
    }
    expect(problems).toEqual([]);
  });

  test('an edit of the result changes only what was typed', async () => {
    const cwd = makeProject(planOf('Endings', editAction('mixed.txt', 'b\n', 'B\n')), FILES);
    const { page, terminal } = await open(cwd);
    await page.getByRole('article', { name: 'Action 1: EDIT' }).waitFor();
    await approveButton(page).waitFor();
    await openEditor(page);
    await page.keyboard.type('X');
    await page.locator('.edit-panel[aria-busy="false"]').waitFor();
    await page.getByRole('button', { name: 'Use this edit' }).press('Enter');
    await page.getByText('as you edited it').waitFor();
    await approve(page);
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(readFileSync(join(cwd, 'mixed.txt'), 'utf8')).toBe('Xa\nB\r\nc\n');
  });

  test('a file that is not UTF-8 is shown as refused', async () => {
    const plan = planOf('Bytes', createAction('ok.txt'), editAction('bytes.txt', 'b\n', 'B\n'));
    const cwd = makeProject(plan, { 'bytes.txt': new Uint8Array([0x61, 0xff, 0x0a, 0x62, 0x0a]) });
    const server = await startServer(cwd);
    const { page } = await browse(`${server.origin}/#c=${server.code}`);
    const terminal = startReview(cwd);
    await terminal.until(() => /UTF-8|1 of 2/.test(terminal.history()), 'the plan');
    await page.getByRole('link', { name: /Bytes/ }).first().click();
    await page.getByText(/UTF-8/).first().waitFor();
    expect(readFileSync(join(cwd, 'bytes.txt')).equals(Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a]))).toBe(
      true,
    );
    terminal.signal('KILL');
    await terminal.ended;
  });

  test('live output, the summary, and undo with its preview', async () => {
    const command = 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo last';
    const cwd = makeProject(
      planOf('Live', createAction('a.txt'), executeAction(command), createAction('go')),
    );
    const { page, terminal, problems } = await open(cwd);
    await approveAction(page, 1, 'CREATE');
    await approveAction(page, 2, 'EXECUTE');
    await page.getByRole('log').getByText('first').waitFor();
    writeFileSync(join(cwd, 'go'), 'text\n');
    await approveAction(page, 3, 'CREATE');
    await terminal.ended;
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByRole('dialog').getByText('Deletes a.txt.').waitFor();
    await page.getByRole('button', { name: 'Undo the run' }).press('Enter');
    await page.getByText('This run was undone.').waitFor();
    expect(problems).toEqual([]);
  });

  test('Stop ends a command', async () => {
    const cwd = makeProject(planOf('Endless', executeAction('echo started; sleep 1000')));
    const { page, terminal } = await open(cwd);
    await approveAction(page, 1, 'EXECUTE');
    await page.getByRole('log').getByText('started').waitFor();
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    await page
      .getByText(/interrupted/)
      .first()
      .waitFor();
  });

  test('execute --web: comments are in the report that it prints', async () => {
    const cwd = makeProject(planOf('Remarks', editAction('crlf.txt', 'b\n', 'B\n')), FILES);
    const child = startTeddy(['execute', 'plan.md', '--web', '--no-copy'], cwd);
    let printed = '';
    child.stdout!.on('data', (chunk) => {
      printed += chunk;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const server = await serverOf(child, cwd);
    const { page } = await browse(`${server.origin}/#c=${server.code}`);
    await page.getByRole('list', { name: 'Inbox' }).getByRole('link').first().press('Enter');
    await page.getByRole('article', { name: 'Action 1: EDIT' }).waitFor();
    await waitUntilAnswerable(page);
    await write(page, 'c', 'Capitals?');
    await press(page, 'Control+Enter');
    await write(page, 'C', 'Good.');
    await press(page, 'Control+Enter', 'a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.close();
    expect(await ended).toBe(0);
    expect(printed).toContain('- **Comment on line 2:** Capitals?\n- **Comment:** Good.\n');
  });

  test('a draft survives a reload, and goes with the answer', async () => {
    const cwd = makeProject(planOf('Draft', createAction('a.txt')));
    const { page, terminal } = await open(cwd);
    await page.getByRole('article', { name: 'Action 1: CREATE' }).waitFor();
    await approveButton(page).waitFor();
    const saved = draftSaved(page, 'not like this');
    await write(page, 's', 'not like this');
    await saved;
    await page.reload();
    const reason = page.getByRole('textbox', { name: 'Reason' });
    await reason.waitFor();
    while ((await reason.inputValue()) !== 'not like this') await page.waitForTimeout(20);
    await waitUntilAnswerable(page);
    await page.getByRole('button', { name: 'Skip' }).press('Enter');
    await terminal.ended;
    await page.locator('.result').getByText('not like this').waitFor();
  });
});
