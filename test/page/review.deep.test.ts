import { afterEach, beforeEach, expect, test } from 'vitest';
import { diffHunks } from '../../src/core/changeset/hunks.js';
import type { ActionQuestion } from '../../src/review/question.js';
import { describeInBrowser, useBrowser } from './browser.js';
import { projectAnswers } from './fixture-answers.js';
import { AFTER, BEFORE, detailOf, QUESTION_ID, RUN, reviewRun, TITLE } from './fixture-data.js';
import { FixtureServer } from './fixture-server.js';

const HUNKS = diffHunks(BEFORE, AFTER, 'src/upload.ts');

/** A question takes no answer right after it appears. */
const SETTLED_MS = 700;

describeInBrowser('the review, by keyboard only', () => {
  const browse = useBrowser();
  let server: FixtureServer;
  beforeEach(async () => {
    server = new FixtureServer(projectAnswers());
    await server.start();
  });
  afterEach(() => server.stop());

  const open = async () => {
    const opened = await browse(server.url);
    const { page } = opened;
    await page.getByRole('list', { name: 'Inbox' }).getByText(TITLE).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: TITLE }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await page.waitForTimeout(SETTLED_MS);
    return opened;
  };
  const answers = () =>
    server.posted.filter(({ method }) => method === 'POST').map(({ path, body }) => ({ path, body }));
  const waitForAnswer = async () => {
    while (answers().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return answers()[0]!;
  };
  const QUESTION = `/api/questions/${QUESTION_ID}`;

  test('a: approves what is shown, by its hash, and sends no text', async () => {
    const { page, problems } = await open();
    await page.keyboard.press('a');
    expect(await waitForAnswer()).toEqual({ path: QUESTION, body: { hash: 'hash-2', decision: 'approve' } });
    expect(problems).toEqual([]);
  });

  test('s: takes a reason, and Enter skips', async () => {
    const { page } = await open();
    await page.keyboard.press('s');
    await page.keyboard.type('not now');
    await page.keyboard.press('Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'hash-2', decision: 'skip', reason: 'not now' });
  });

  test('n, x: the second change is dropped; the others are kept by their ids', async () => {
    const { page } = await open();
    await page.keyboard.press('n');
    await page.keyboard.press('x');
    await page.getByText(`${HUNKS.length - 1} of ${HUNKS.length} changes kept`).waitFor();
    await page.keyboard.press('a');
    expect((await waitForAnswer()).body).toEqual({
      hash: 'hash-2',
      decision: 'approve',
      keep: HUNKS.filter((_, at) => at !== 1).map(({ id }) => id),
      dropReasons: {},
    });
  });

  test('c: a comment on the current change goes with the approval', async () => {
    const { page } = await open();
    await page.keyboard.press('n');
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Comment on line 9' }).waitFor();
    await page.keyboard.type('Why four?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Why four?').waitFor();
    await page.keyboard.press('a');
    expect((await waitForAnswer()).body).toEqual({
      hash: 'hash-2',
      decision: 'approve',
      comments: [{ line: 9, text: 'Why four?' }],
    });
  });

  test('e: an edit of the result is sent as the whole text', async () => {
    const { page } = await open();
    await page.keyboard.press('e');
    await page.locator('.cm-merge-b .cm-content').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('// first\n');
    await page.waitForTimeout(SETTLED_MS);
    await page.getByRole('button', { name: 'Use this edit' }).press('Enter');
    expect((await waitForAnswer()).body).toEqual({
      hash: 'hash-2',
      decision: 'edit',
      edits: 'result',
      text: `// first\n${AFTER}`,
    });
  });

  test('j, k: other actions are shown, and cannot be answered', async () => {
    const { page } = await open();
    await page.keyboard.press('k');
    await page.getByRole('article', { name: 'Action 1: CREATE' }).waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByRole('article', { name: 'Action 4: EXECUTE' }).waitFor();
    await page.getByRole('region', { name: 'Command' }).getByText('npm test -- upload').waitFor();
    expect(answers()).toEqual([]);
  });

  test('after an answer, the next question is shown', async () => {
    const { page } = await open();
    server.onPost = () => {
      const run = reviewRun();
      run.actions[1]!.status = 'success';
      run.actions[1]!.question = null;
      run.actions[2]!.status = 'asked';
      run.actions[2]!.question = `${RUN}.3`;
      server.answers.set(`/api/runs/${RUN}`, run);
      server.answers.set(`/api/runs/${RUN}/actions/3`, {
        ...detailOf(3),
        open: { id: `${RUN}.3`, hash: 'hash-3' },
      });
      setTimeout(() => server.emit({ type: 'run', id: RUN }), 20);
      return { value: { status: 'accepted' } };
    };
    await page.keyboard.press('a');
    await page.getByRole('article', { name: 'Action 3: EDIT' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  });

  test('an action that was answered stays in view while it runs', async () => {
    const { page } = await browse(server.url);
    await page.getByRole('list', { name: 'Inbox' }).getByText(TITLE).waitFor();
    await page.evaluate((route) => {
      location.hash = route;
    }, `#/runs/${RUN}`);
    await page.getByRole('article', { name: 'Action 2: EDIT' }).waitFor();
    const run = reviewRun();
    run.status = 'running';
    run.actions[1]!.status = 'running';
    run.actions[1]!.question = null;
    server.answers.set(`/api/runs/${RUN}`, run);
    server.emit({ type: 'run', id: RUN });
    await page.getByText('2 of 6 decided').waitFor();
    await page.locator('.entry.running').waitFor();
    await page.getByRole('article', { name: 'Action 2: EDIT' }).waitFor();
  });

  test('drafts are saved at every keystroke, and are there after a reload', async () => {
    const { page } = await open();
    await page.keyboard.press('s');
    await page.keyboard.type('half a rea');
    const saved = () => server.answers.get(`${QUESTION}/draft`) as { text: string } | undefined;
    while (JSON.parse(saved()?.text ?? '{}').reason !== 'half a rea') await page.waitForTimeout(5);
    await page.reload();
    await page.getByRole('textbox', { name: 'Reason' }).waitFor();
    while ((await page.getByRole('textbox', { name: 'Reason' }).inputValue()) !== 'half a rea')
      await page.waitForTimeout(5);
  });

  test('another face answered first: the page says so', async () => {
    const { page } = await open();
    server.onPost = () => ({ status: 409, error: 'This question was answered in the terminal.' });
    await page.keyboard.press('a');
    await page.getByRole('alert').getByText('This question was answered in the terminal.').waitFor();
  });

  test('the rest is approved after its list is shown, and not before', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Approve the rest' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Approve the rest: 5' });
    const lines = await dialog.getByRole('listitem').allInnerTexts();
    expect(lines.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
      '2 EDIT src/upload.ts +4 −3',
      '3 EDIT test/upload.test.ts +18 −2',
      '4 EXECUTE npm test -- upload Runs a command its failure does not stop the run',
      '5 EXECUTE rm -rf build/cache Runs a command deletes files: rm -rf build/cache',
      '6 READ docs/uploads.md',
    ]);
    await dialog.getByRole('button', { name: 'Back' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(answers()).toEqual([]);
    await page.getByRole('button', { name: 'Approve the rest' }).press('Enter');
    await dialog.getByRole('button', { name: 'Approve all 5' }).press('Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'hash-2', decision: 'rest' });
  });

  test('the list of the rest has the action as it was edited', async () => {
    const detail = detailOf(2);
    detail.question!.action = {
      ...detail.question!.action,
      path: 'src/other.ts',
    } as ActionQuestion['action'];
    server.answers.set(`/api/runs/${RUN}/actions/2`, detail);
    const { page } = await open();
    await page.getByRole('button', { name: 'Approve the rest' }).press('Enter');
    await page.getByRole('dialog').getByText('src/other.ts').waitFor();
  });

  test('changes to context and memos are in the list of the rest', async () => {
    const run = reviewRun();
    run.status = 'waiting';
    run.actions[1]!.status = 'planned';
    run.actions[1]!.question = null;
    run.stateChanges = [
      {
        section: 'Memos',
        changes: '[+] One\n[-] Two\n',
        open: { id: QUESTION_ID, hash: 'memos' },
        record: null,
      },
    ];
    server.answers.set(`/api/runs/${RUN}`, run);
    const { page } = await open();
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Memos' }).waitFor();
    await page.waitForTimeout(SETTLED_MS);
    await page.getByRole('button', { name: 'Approve the rest' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Approve the rest: 6' });
    await dialog.getByText('Memos 2 changes').waitFor();
    await dialog.getByRole('button', { name: 'Approve all 6' }).press('Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'memos', decision: 'rest' });
  });

  test('stop', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'hash-2', decision: 'quit' });
  });

  /** Makes the server ask about another action as soon as this one is answered. */
  const askNext = (next: () => void) => {
    server.onPost = () => {
      next();
      server.emit({ type: 'run', id: RUN });
      return { value: { status: 'accepted' } };
    };
  };

  test('a double click does not answer the next question', async () => {
    const { page } = await open();
    const run = reviewRun();
    run.actions[1]!.question = null;
    run.actions[1]!.status = 'success';
    run.actions[2]!.question = `${RUN}.3`;
    run.actions[2]!.status = 'asked';
    askNext(() => {
      server.answers.set(`/api/runs/${RUN}`, run);
      server.answers.set(`/api/runs/${RUN}/actions/2`, { ...detailOf(2), open: null });
      server.answers.set(`/api/runs/${RUN}/actions/3`, {
        ...detailOf(3),
        open: { id: `${RUN}.3`, hash: 'hash-3' },
      });
    });
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.click();
    await page.getByRole('article', { name: 'Action 3: EDIT' }).waitFor();
    await approve.click();
    await page.waitForTimeout(SETTLED_MS);
    expect(answers().map(({ path }) => path)).toEqual([QUESTION]);
    await approve.click();
    while (answers().length === 1) await page.waitForTimeout(10);
    expect(answers()[1]).toEqual({
      path: `/api/questions/${RUN}.3`,
      body: { hash: 'hash-3', decision: 'approve' },
    });
  });

  test('a a: a command that failed at once is not run again unseen; the answer has the hash of what is shown', async () => {
    const { page } = await open();
    const run = reviewRun();
    run.actions[1]!.question = `${RUN}.3`;
    const detail = detailOf(2);
    askNext(() => {
      server.answers.set(`/api/runs/${RUN}`, run);
      server.answers.set(`/api/runs/${RUN}/actions/2`, {
        ...detail,
        open: { id: `${RUN}.3`, hash: 'rerun' },
        rerun: { number: 2, total: 6, action: detail.question!.action, attempts: 1 },
      });
    });
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.keyboard.press('a');
    await page.waitForTimeout(SETTLED_MS);
    expect(answers().map(({ path }) => path)).toEqual([QUESTION]);
    await page.keyboard.press('a');
    while (answers().length === 1) await page.waitForTimeout(10);
    expect(answers()[1]).toEqual({
      path: `/api/questions/${RUN}.3`,
      body: { hash: 'rerun', decision: 'approve' },
    });
  });

  test('the rationale is open until something is decided, and r opens it again', async () => {
    const fresh = reviewRun();
    fresh.actions[0]!.status = 'planned';
    server.answers.set(`/api/runs/${RUN}`, fresh);
    const { page } = await open();
    const text = page.getByText('Uploads fail now and then');
    await text.waitFor();
    server.answers.set(`/api/runs/${RUN}`, reviewRun());
    server.emit({ type: 'run', id: RUN });
    await text.waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    await text.waitFor();
  });

  test('a narrow page shows the whole path of the action', async () => {
    const { page } = await browse(server.url, { width: 390, height: 844 });
    await page.getByRole('list', { name: 'Inbox' }).getByText(TITLE).click();
    const path = page.locator('.action-head .path');
    await path.waitFor();
    expect(await path.evaluate((shown) => shown.clientWidth >= shown.scrollWidth)).toBe(true);
    const box = await path.boundingBox();
    expect(box!.width).toBeGreaterThan(80);
  });

  test('search finds a line that is not shown', async () => {
    const { page } = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('return files.length');
    await page.locator('.match.current').first().waitFor();
    expect((await page.locator('.match.current').allTextContents()).join('')).toBe('return files.length');
  });

  test('hidden characters, CRLF and a missing newline are shown as in the terminal', async () => {
    const detail = detailOf(2);
    detail.question!.preview = {
      kind: 'write',
      path: 'src/upload.ts',
      before: 'a\nb\n',
      after: 'a\u202E\r\nb\u200B <script>alert(1)</script>',
      matched: null,
    };
    server.answers.set(`/api/runs/${RUN}/actions/2`, detail);
    const { page, problems } = await open();
    const marks = await page.locator('.hidden-mark').allTextContents();
    expect(marks).toEqual(['<U+202E>', '<U+000D>', '<U+200B>']);
    await page.getByText('(There is no newline at the end of the file.)').waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    expect(problems).toEqual([]);
  });
});
