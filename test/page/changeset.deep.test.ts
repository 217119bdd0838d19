import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Run } from '../../src/core/report/record.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { TEDDY, teddy } from '../cli/teddy.js';
import { startServer } from '../cli/web/page-client.js';
import { type Files, readAllFiles, writeAll } from '../file-trees.js';
import { makeFolder } from '../folder.js';
import { describeInBrowser, useBrowser } from './browser.js';
import { approve, openEditor, openLine, press, waitUntilAnswerable, write } from './keys.js';

/** Texts that a careless review changes, and everything else that a file can become. */
const BEFORE: Files = {
  'bom.txt': '\uFEFFa\r\nb\r\nc\r\n',
  'crlf.txt': 'a\r\nb\r\nc\r\n',
  'gone.txt': 'gone\n',
  'lone.txt': 'a\rx\nb\nc\r\n',
  'mixed.txt': 'a\nb\r\nc\n',
  'old-name.txt': 'one\ntwo\nthree\nfour\nfive\nsix\n',
  'program.sh': '#!/bin/sh\nb\n',
  'unended.txt': 'a\r\nb\r\nc',
};
const AFTER: Files = {
  'bom.txt': '\uFEFFa\r\nB\r\nc\r\n',
  'bytes.bin': Buffer.from([0x61, 0xff, 0x00, 0x0a]),
  'crlf.txt': 'a\r\nB\r\nc\r\n',
  'gone.txt': null,
  'link.txt': '-> crlf.txt',
  'lone.txt': 'a\rx\nB\nc\r\n',
  'mixed.txt': 'a\nB\r\nc\n',
  'new-name.txt': 'one\ntwo\nthree\nfour\nfive\nsix and more\n',
  'new.txt': 'new\r\nfile',
  'old-name.txt': null,
  'program.sh': '!#!/bin/sh\nB\n',
  'unended.txt': 'a\r\nB\r\nc',
};
const COUNT = 11;

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`);
const withLines = (...changed: [line: number, text: string][]) => {
  const lines = [...LINES];
  for (const [line, text] of changed) lines[line - 1] = text;
  return lines.join('');
};

function startReview(root: string): TestTerminal {
  return new TestTerminal([process.execPath, TEDDY, 'changes', 'review', '--no-copy'], {
    cwd: root,
    columns: 100,
    rows: 50,
  });
}

/** Work of an agent that made these changes in its copy. */
function makeWork(before: Files, after: Files): string {
  const root = realpathSync(makeFolder());
  execFileSync('git', ['init', '-q'], { cwd: root });
  writeAll(root, before);
  const made = makeFolder();
  writeAll(made, after);
  const gone = Object.keys(after).filter((path) => after[path] === null);
  const script = `cp -a ${made}/. . && rm -f ./none ${gone.join(' ')}`;
  const { exit, stderr } = teddy(['wrap', '--unconfined', '--', 'sh', '-c', script], {
    cwd: root,
  });
  expect(stderr).toContain('teddy changes review');
  expect(exit).toBe(0);
  return root;
}

/** Without what teddy keeps in the home folder, which is the project's here. */
function filesOf(root: string): Record<string, string> {
  return Object.fromEntries(Object.entries(readAllFiles(root)).filter(([path]) => !/^\.|\/$/.test(path)));
}

function readRun(root: string): Run {
  const runs = join(root, '.teddy/runs');
  const id = readdirSync(runs).find((name) => /^\d{8}-/.test(name))!;
  return JSON.parse(readFileSync(join(runs, id, 'run.json'), 'utf8')) as Run;
}

async function showsFile(page: Page, number: number, type: string): Promise<void> {
  await page.getByRole('article', { name: `Action ${number}: ${type}` }).waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await waitUntilAnswerable(page);
}

describeInBrowser('the page with the changes of an agent', () => {
  if (noPython !== '') return;
  const browse = useBrowser();

  /** The review, opened by keyboard. */
  const open = async (root: string) => {
    const server = await startServer(root);
    const opened = await browse(`${server.origin}/#c=${server.code}`);
    const terminal = startReview(root);
    // Until the terminal has taken them, the changes themselves are in the inbox.
    await opened.page.getByRole('link', { name: /Review 1 of/ }).waitFor();
    await openLine(opened.page, 'Changes by sh');
    await opened.page.getByRole('heading', { name: 'Changes by sh' }).waitFor();
    return { ...opened, terminal };
  };

  test('approving each file leaves the bytes that approving in the terminal leaves', async () => {
    const byTerminal = makeWork(BEFORE, AFTER);
    const terminal = startReview(byTerminal);
    for (let number = 1; number <= COUNT; number++) {
      await terminal.until(() => {
        const text = terminal.text();
        const title = `${number} of ${COUNT}  `;
        return text.includes(title) && text.lastIndexOf('y keep') > text.lastIndexOf(title);
      }, `question ${number}`);
      terminal.send('y');
    }
    expect(await terminal.ended).toMatchObject({ exit: 0 });

    const byPage = makeWork(BEFORE, AFTER);
    const { page, problems, terminal: other } = await open(byPage);
    for (let number = 1; number <= COUNT; number++) {
      await page.getByRole('article', { name: `Action ${number}:` }).waitFor();
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
      await approve(page);
    }
    expect(await other.ended).toMatchObject({ exit: 0 });
    const landed = filesOf(byPage);
    expect(landed).toEqual(filesOf(byTerminal));
    for (const [path, content] of Object.entries(AFTER))
      if (typeof content === 'string') expect(landed[path], path).toBe(content);
      else expect(path in landed, path).toBe(content !== null);
    expect(readFileSync(join(byPage, 'bytes.bin')).equals(AFTER['bytes.bin'] as Buffer)).toBe(true);
    await page.getByText(`${COUNT} actions: ${COUNT} done.`).waitFor();
    await press(page, 'u');
    await page.getByRole('dialog').getByText('Deletes new.txt.').waitFor();
    expect(problems).toEqual([]);
  });

  test('hunks and the mode are dropped one by one, with reasons and comments', async () => {
    const root = makeWork(
      { 'src/a.sh': LINES.join('') },
      { 'src/a.sh': `!${withLines([5, 'five\n'], [30, 'thirty\n'])}` },
    );
    const { page, terminal } = await open(root);
    await showsFile(page, 1, 'EDIT');
    await page
      .getByRole('list', { name: 'Risks', exact: true })
      .getByText('Makes files executable')
      .waitFor();
    await press(page, 'n', 'x');
    await write(page, 'y', 'Keep the digits.');
    await press(page, 'Enter', 'n', 'x');
    await page.getByText('1 of 3 changes kept').waitFor();
    await press(page, 'p', 'p');
    await write(page, 'c', 'Why five?');
    await press(page, 'Control+Enter');
    await approve(page);
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(filesOf(root)['src/a.sh']).toBe(withLines([5, 'five\n']));
    const { decision, outcome } = readRun(root).actions[0]!;
    expect(decision).toMatchObject({ status: 'approved', by: 'person', comments: [{ line: 5 }] });
    expect(outcome).toMatchObject({
      kept: { count: 1, dropped: [{ reason: 'Keep the digits.' }, { change: '-file\n+executable\n' }] },
    });
  });

  test('an edit, a skip with its reason, and the rest', async () => {
    const root = makeWork(
      { 'a.txt': 'a\nb\r\n', 'b.txt': 'b\n' },
      { 'a.txt': 'a\nB\r\n', 'b.txt': 'c\n', 'c.txt': 'c\n', 'd.txt': 'd\n' },
    );
    const { page, terminal } = await open(root);
    await showsFile(page, 1, 'EDIT');
    await openEditor(page);
    await page.keyboard.type('X');
    await page.locator('.edit-panel[aria-busy="false"]').waitFor();
    await page.getByRole('button', { name: 'Use this edit' }).press('Enter');
    await page.getByText('as you edited it').waitFor();
    await approve(page);
    await showsFile(page, 2, 'EDIT');
    const list = page.getByRole('list', { name: 'Actions' });
    await list.getByRole('link', { name: /approved.*a\.txt/s }).waitFor();
    await write(page, 's', 'Not needed.');
    await press(page, 'Enter');
    await showsFile(page, 3, 'CREATE');
    await list.getByRole('link', { name: /skipped.*b\.txt/s }).waitFor();
    await press(page, 'A');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('d.txt').waitFor();
    expect(filesOf(root)['a.txt']).toBe('a\nb\r\n');
    await dialog.getByRole('button', { name: 'Approve all 2' }).press('Enter');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(filesOf(root)).toEqual({
      'a.txt': 'Xa\nB\r\n',
      'b.txt': 'b\n',
      'c.txt': 'c\n',
      'd.txt': 'd\n',
    });
    const decisions = readRun(root).actions.map(({ decision }) => decision);
    expect(decisions).toMatchObject([
      { status: 'approved', by: 'person' },
      { status: 'skipped', reason: 'Not needed.' },
      { status: 'approved', by: 'rest' },
      { status: 'approved', by: 'rest' },
    ]);
  });

  test('a conflict is merged by hand, and not with its markers', async () => {
    const root = makeWork({ 'a.txt': 'one\n' }, { 'a.txt': 'two\n' });
    writeFileSync(join(root, 'a.txt'), 'three\n');
    const { page, terminal } = await open(root);
    await showsFile(page, 1, 'EDIT');
    await page.getByRole('list', { name: 'Risks', exact: true }).getByText('Conflicts').waitFor();
    await openEditor(page);
    await page.keyboard.type('X');
    await page.locator('.edit-panel[aria-busy="false"]').waitFor();
    await page.getByRole('button', { name: 'Use this edit' }).press('Enter');
    await page.getByText('Conflict markers are left.').waitFor();
    await page.locator('.cm-merge-b .cm-content').press('Control+a');
    await page.keyboard.type('both\n');
    await page.getByRole('button', { name: 'Use this edit' }).press('Enter');
    await page.getByText('as you edited it').waitFor();
    await approve(page);
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(filesOf(root)).toEqual({ 'a.txt': 'both\n' });
  });

  test('Stop lands nothing, and the work waits with what was decided', async () => {
    const root = makeWork({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n', 'b.txt': 'b\n' });
    const { page, terminal } = await open(root);
    await showsFile(page, 1, 'EDIT');
    await press(page, 'a');
    await showsFile(page, 2, 'CREATE');
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await terminal.ended;
    expect(filesOf(root)).toEqual({ 'a.txt': 'a\n' });
    await page.getByText('2 actions: 1 skipped, 1 not run.').waitFor();
    await press(page, '1');
    const work = page.getByRole('list', { name: 'Inbox' }).getByRole('link', { name: /Changes by sh/ });
    await work.press('Enter');
    await page.getByRole('button', { name: 'Review', exact: true }).waitFor();
    await openLine(page, 'a.txt');
    await page.locator('.diff-row.added').getByText('A').waitFor();
  });

  test('Review starts the review here, and leads to what is asked', async () => {
    const root = makeWork({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n' });
    const server = await startServer(root);
    const { page, problems } = await browse(`${server.origin}/#c=${server.code}`);
    await page
      .getByRole('list', { name: 'Inbox' })
      .getByRole('link', { name: /Changes by sh/ })
      .press('Enter');
    const button = page.getByRole('button', { name: 'Review', exact: true });
    await button.waitFor();
    await page.locator('.start-review[aria-busy=false]').waitFor();
    await press(page, 'a');
    await showsFile(page, 1, 'EDIT');
    await press(page, 'a');
    await page.getByText('1 action: 1 done.').waitFor();
    expect(filesOf(root)).toEqual({ 'a.txt': 'A\n' });
    await press(page, '1');
    await page.getByText('Nothing is waiting for you').waitFor();
    expect(problems).toEqual([]);
  });
});
