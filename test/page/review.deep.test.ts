import { expect, test } from 'vitest';
import { diffHunks } from '../../src/core/changeset/hunks.js';
import type { ActionQuestion } from '../../src/review/question.js';
import { describeInBrowser } from './browser.js';
import { AFTER, BEFORE, detailOf, QUESTION_ID, RUN, reviewRun, TITLE } from './fixture/data.js';
import { openEditor, press, waitUntilAnswerable, write } from './keys.js';
import { pressWhileNew, useFixturePage } from './review-page.js';

const HUNKS = diffHunks(BEFORE, AFTER, 'src/upload.ts');

describeInBrowser('the review, by keyboard only', () => {
  const fixture = useFixturePage();
  const { answers, waitForAnswer, openInbox, openReview: open } = fixture;
  const QUESTION = `/api/questions/${QUESTION_ID}`;

  test('a: approves what is shown, by its hash, and sends no text', async () => {
    const { page, problems } = await open();
    await press(page, 'a');
    expect(await waitForAnswer()).toEqual({ path: QUESTION, body: { hash: 'hash-2', decision: 'approve' } });
    expect(problems).toEqual([]);
  });

  test('s: takes a reason, and Enter skips', async () => {
    const { page } = await open();
    await write(page, 's', 'not now');
    await press(page, 'Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'hash-2', decision: 'skip', reason: 'not now' });
  });

  test('n, x: the second change is dropped; the others are kept by their ids', async () => {
    const { page } = await open();
    await press(page, 'n', 'x');
    await page.getByText(`${HUNKS.length - 1} of ${HUNKS.length} changes kept`).waitFor();
    await press(page, 'a');
    expect((await waitForAnswer()).body).toEqual({
      hash: 'hash-2',
      decision: 'approve',
      keep: HUNKS.filter((_, at) => at !== 1).map(({ id }) => id),
      dropReasons: {},
    });
  });

  test('c: a comment on the current change goes with the approval', async () => {
    const { page } = await open();
    await press(page, 'n', 'c');
    await page.getByRole('textbox', { name: 'Comment on line 9' }).waitFor();
    await page.keyboard.type('Why four?');
    await press(page, 'Control+Enter');
    await page.getByText('Why four?').waitFor();
    await press(page, 'a');
    expect((await waitForAnswer()).body).toEqual({
      hash: 'hash-2',
      decision: 'approve',
      comments: [{ line: 9, text: 'Why four?' }],
    });
  });

  test('e: an edit of the result is sent as the whole text', async () => {
    const { page } = await open();
    await openEditor(page);
    await page.keyboard.type('// first\n');
    await page.locator('.edit-panel[aria-busy="false"]').waitFor();
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
    await press(page, 'k');
    await page.getByRole('article', { name: 'Action 1: CREATE' }).waitFor();
    await press(page, 'a', 'j', 'j', 'j');
    await page.getByRole('article', { name: 'Action 4: EXECUTE' }).waitFor();
    await page.getByRole('region', { name: 'Command' }).getByText('npm test -- upload').waitFor();
    expect(answers()).toEqual([]);
  });

  test('after an answer, the next question is shown', async () => {
    const { page } = await open();
    fixture.server.onPost = () => {
      const run = reviewRun();
      run.actions[1]!.status = 'success';
      run.actions[1]!.question = null;
      run.actions[2]!.status = 'asked';
      run.actions[2]!.question = `${RUN}.3`;
      fixture.server.answers.set(`/api/runs/${RUN}`, run);
      fixture.server.answers.set(`/api/runs/${RUN}/actions/3`, {
        ...detailOf(3),
        open: { id: `${RUN}.3`, hash: 'hash-3' },
      });
      setTimeout(() => fixture.server.emit({ type: 'run', id: RUN }), 20);
      return { value: { status: 'accepted' } };
    };
    await press(page, 'a');
    await page.getByRole('article', { name: 'Action 3: EDIT' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  });

  test('an action that was answered stays in view while it runs', async () => {
    const { page } = await openInbox();
    await fixture.goTo(page, `#/runs/${RUN}`);
    await page.getByRole('article', { name: 'Action 2: EDIT' }).waitFor();
    const run = reviewRun();
    run.status = 'running';
    run.actions[1]!.status = 'running';
    run.actions[1]!.question = null;
    fixture.server.answers.set(`/api/runs/${RUN}`, run);
    fixture.server.emit({ type: 'run', id: RUN });
    await page.getByText('2 of 6 decided').waitFor();
    await page.locator('.entry.running').waitFor();
    await page.getByRole('article', { name: 'Action 2: EDIT' }).waitFor();
  });

  test('drafts are saved at every keystroke, and are there after a reload', async () => {
    const { page } = await open();
    await write(page, 's', 'half a rea');
    const saved = () => fixture.server.answers.get(`${QUESTION}/draft`) as { text: string } | undefined;
    while (JSON.parse(saved()?.text ?? '{}').reason !== 'half a rea') await page.waitForTimeout(5);
    await page.reload();
    await page.getByRole('textbox', { name: 'Reason' }).waitFor();
    while ((await page.getByRole('textbox', { name: 'Reason' }).inputValue()) !== 'half a rea')
      await page.waitForTimeout(5);
  });

  test('another face answered first: the page says so', async () => {
    const { page } = await open();
    fixture.server.onPost = () => ({ status: 409, error: 'This question was answered in the terminal.' });
    await press(page, 'a');
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
      '4 EXECUTE npm test -- upload Runs a command Allow Failure: the agent asks to continue even if the command fails',
      '5 EXECUTE rm -rf build/cache Runs a command May delete or discard something',
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
    detail.question.action = {
      ...detail.question.action,
      path: 'src/other.ts',
    } as ActionQuestion['action'];
    fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, detail);
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
    fixture.server.answers.set(`/api/runs/${RUN}`, run);
    const { page } = await open();
    await press(page, 'k', 'k');
    await page.getByRole('heading', { name: 'Memos' }).waitFor();
    await waitUntilAnswerable(page);
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
    fixture.server.onPost = () => {
      next();
      fixture.server.emit({ type: 'run', id: RUN });
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
      fixture.server.answers.set(`/api/runs/${RUN}`, run);
      fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, { ...detailOf(2), open: null });
      fixture.server.answers.set(`/api/runs/${RUN}/actions/3`, {
        ...detailOf(3),
        open: { id: `${RUN}.3`, hash: 'hash-3' },
      });
    });
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    const next = 'article[aria-label="Action 3: EDIT"] ~ .decision .button.primary';
    const again = pressWhileNew(page, next, { click: next });
    await approve.click();
    expect(await again).toBeGreaterThan(0);
    expect(answers().map(({ path }) => path)).toEqual([QUESTION]);
    await approve.click();
    expect(await waitForAnswer(2)).toEqual({
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
      fixture.server.answers.set(`/api/runs/${RUN}`, run);
      fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, {
        ...detail,
        open: { id: `${RUN}.3`, hash: 'rerun' },
        rerun: { number: 2, total: 6, action: detail.question.action, attempts: 1 },
      });
    });
    const again = pressWhileNew(page, '.decision p', { key: 'a' });
    await press(page, 'a');
    expect(await again).toBeGreaterThan(0);
    expect(answers().map(({ path }) => path)).toEqual([QUESTION]);
    await press(page, 'a');
    expect(await waitForAnswer(2)).toEqual({
      path: `/api/questions/${RUN}.3`,
      body: { hash: 'rerun', decision: 'approve' },
    });
  });

  test('the rationale is open until something is decided, and r opens it again', async () => {
    const fresh = reviewRun();
    fresh.actions[0]!.status = 'planned';
    fixture.server.answers.set(`/api/runs/${RUN}`, fresh);
    const { page } = await open();
    const text = page.getByText('Uploads fail now and then');
    await text.waitFor();
    fixture.server.answers.set(`/api/runs/${RUN}`, reviewRun());
    fixture.server.emit({ type: 'run', id: RUN });
    await text.waitFor({ state: 'detached' });
    await press(page, 'r');
    await text.waitFor();
  });

  test('a link in a text shows where it leads, and is no link; an image is not loaded', async () => {
    const run = reviewRun();
    run.plan!.rationale =
      'See [our docs](https://evil.example/docs) and ![logo](https://evil.example/logo.png).';
    fixture.server.answers.set(`/api/runs/${RUN}`, run);
    const { page } = await open();
    await press(page, 'r');
    const text = page.getByText('our docs');
    await text.getByText('https://evil.example/docs').waitFor();
    await text.getByText('https://evil.example/logo.png').waitFor();
    expect(await page.locator('.overview-body :is(a, img)').count()).toBe(0);
  });

  test('risks come first, and stay in view after the rationale is folded', async () => {
    const fresh = reviewRun();
    fresh.actions[0]!.status = 'planned';
    fresh.taskFiles = ['src/upload.ts', 'test/'];
    fixture.server.answers.set(`/api/runs/${RUN}`, fresh);
    const { page } = await open();
    const rationale = page.getByText('Uploads fail now and then');
    await rationale.waitFor();
    const risks = page.getByRole('list', { name: 'Risks' });
    expect(await risks.getByRole('listitem').allInnerTexts()).toEqual([
      'May delete: rm -rf build/cache',
      'Outside the task: src/retry.ts',
      'Runs commands: npm test -- upload, rm -rf build/cache',
      'Changes tests: test/upload.test.ts',
      'Limits set by the agent: npm test -- upload',
    ]);
    const [above, below] = await Promise.all([risks.boundingBox(), rationale.boundingBox()]);
    expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y);
    fixture.server.answers.set(`/api/runs/${RUN}`, reviewRun());
    fixture.server.emit({ type: 'run', id: RUN });
    await rationale.waitFor({ state: 'detached' });
    expect(await risks.getByRole('listitem').allInnerTexts()).toEqual([
      'May delete',
      'Runs commands (2)',
      'Changes tests',
      'Limits set by the agent',
    ]);
    await risks.getByRole('link', { name: 'May delete' }).press('Enter');
    await page.getByRole('article', { name: 'Action 5: EXECUTE' }).waitFor();
  });

  test('a narrow page shows the whole path of the action', async () => {
    const { page } = await openInbox({ width: 390, height: 844 });
    await page.getByRole('list', { name: 'Inbox' }).getByText(TITLE).click();
    const path = page.locator('.action-head .path');
    await path.waitFor();
    expect(await path.evaluate((shown) => shown.clientWidth >= shown.scrollWidth)).toBe(true);
    const box = await path.boundingBox();
    expect(box!.width).toBeGreaterThan(80);
  });

  test('open in my editor: the file as it is, at its first change, in the editor that was chosen', async () => {
    const { page } = await open();
    const link = page.getByRole('link', { name: 'Open in my editor' });
    const place = `file${reviewRun().root}/src/upload.ts:${HUNKS[0]!.before.start + 1}`;
    expect(await link.getAttribute('href')).toBe(`vscode://${place}`);
    await press(page, '?');
    await page.getByRole('dialog').getByRole('combobox').selectOption('Zed');
    await press(page, 'Escape');
    expect(await link.getAttribute('href')).toBe(`zed://${place}`);
    await page.reload();
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`zed://${place}`);
    // A command has no file.
    await press(page, 'j', 'j');
    await page.getByRole('article', { name: 'Action 4: EXECUTE' }).waitFor();
    expect(await link.count()).toBe(0);
  });

  test('search finds a line that is not shown', async () => {
    const { page } = await open();
    await write(page, '/', 'return files.length');
    await page.locator('.match.current').first().waitFor();
    expect((await page.locator('.match.current').allTextContents()).join('')).toBe('return files.length');
  });

  test('hidden characters, CRLF and a missing newline are shown as in the terminal', async () => {
    const detail = detailOf(2);
    detail.question.preview = {
      kind: 'write',
      path: 'src/upload.ts',
      before: 'a\nb\n',
      after: 'a\u202E\r\nb\u200B <script>alert(1)</script>',
      matched: null,
    };
    fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, detail);
    const { page, problems } = await open();
    const marks = await page.locator('.hidden-mark').allTextContents();
    expect(marks).toEqual(['<U+202E>', '<U+000D>', '<U+200B>']);
    await page.getByText('(There is no newline at the end of the file.)').waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    expect(problems).toEqual([]);
  });
});
