import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { diffHunks } from '../../src/core/changeset/hunks.js';
import { SHORTCUTS } from '../../src/faces/web/page/keys.js';
import type { ActionQuestion } from '../../src/review/question.js';
import { describeInBrowser } from './browser.js';
import { AFTER, BEFORE, detailOf, QUESTION_ID, RUN, reviewRun } from './fixture/data.js';
import { ENDED_RUN } from './fixture/project.js';
import { press, tabTo, waitUntilAnswerable } from './keys.js';
import { useFixturePage } from './review-page.js';

const HUNKS = diffHunks(BEFORE, AFTER, 'src/upload.ts');

/** Keys faster than the page can draw. */
async function pressAtOnce(page: Page, keys: string): Promise<void> {
  await page.evaluate((all) => {
    for (const key of all)
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  }, keys);
}

describeInBrowser('everything by keyboard', () => {
  const fixture = useFixturePage();
  const { answers, waitForAnswer, openInbox, openReview, goTo } = fixture;

  test('m, w, d, v: more lines, the whole file, side by side, viewed', async () => {
    const { page } = await openReview();
    const rows = page.locator('.diff-row');
    const isShown = (text: string) => page.locator('.diff-rows').getByText(text).count();
    expect(await isShown('let size')).toBe(0);
    await press(page, 'm');
    await page.locator('.diff-rows').getByText('let size').waitFor();
    await press(page, 'w');
    await page.getByRole('button', { name: 'Whole file', pressed: true }).waitFor();
    expect(await page.locator('.diff-gap').count()).toBe(0);
    expect(await rows.count()).toBe(BEFORE.split('\n').length - 1 + 4);
    await press(page, 'd');
    await page.locator('.diff-pair.current-hunk').first().waitFor();
    expect(await rows.count()).toBe(0);
    await press(page, 'd', 'w');
    await rows.first().waitFor();
    await press(page, 'v');
    await page.getByRole('button', { name: 'Viewed', pressed: true }).waitFor();
    await page.getByRole('list', { name: 'Actions' }).getByText('viewed').waitFor();
    expect(answers()).toEqual([]);
  });

  test('a comment on any line: by its change, by a search, and moved from there', async () => {
    const { page } = await openReview();
    await press(page, 'n', 'c');
    await page.keyboard.type('first');
    await press(page, 'Alt+ArrowDown', 'Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Comment on line 11' }).waitFor();
    await press(page, 'Alt+ArrowUp', 'Control+Enter', '/');
    await page.keyboard.type('size +=');
    await page.locator('.match.current').first().waitFor();
    await press(page, 'Escape', 'c');
    await page.keyboard.type('second');
    await press(page, 'Control+Enter', 'C');
    await page.keyboard.type('third');
    await press(page, 'Control+Enter', 'a');
    expect((await waitForAnswer()).body).toMatchObject({
      decision: 'approve',
      comments: [
        { line: 10, text: 'first' },
        { line: 16, text: 'second' },
        { line: null, text: 'third' },
      ],
    });
  });

  test('x, y: a change is dropped, with its reason', async () => {
    const { page } = await openReview();
    await press(page, 'n', 'x', 'y');
    await page.getByRole('textbox', { name: 'Why drop change 2' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('as it was');
    await press(page, 'Enter', 'a');
    expect((await waitForAnswer()).body).toMatchObject({ dropReasons: { [HUNKS[1]!.id]: 'as it was' } });
  });

  test('A: the rest, after its list', async () => {
    const { page } = await openReview();
    await press(page, 'A', 'a', 'a');
    await page.getByRole('dialog', { name: 'Approve the rest: 5' }).waitFor();
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(answers()).toEqual([]);
    await press(page, 'A');
    await tabTo(page, 'Approve all 5');
    await press(page, 'Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'hash-2', decision: 'rest' });
  });

  test('Stop, from the reason on', async () => {
    const { page } = await openReview();
    await press(page, 's');
    await page.keyboard.type('enough');
    await tabTo(page, 'Stop');
    await press(page, 'Enter');
    expect((await waitForAnswer()).body).toEqual({ hash: 'hash-2', decision: 'quit', reason: 'enough' });
  });

  test('u: undo, after its preview', async () => {
    const { page } = await openInbox();
    await goTo(page, `#/runs/${ENDED_RUN}`);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await press(page, 'u');
    await page.getByRole('dialog').getByText('Deletes src/retry.ts.').waitFor();
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(answers()).toEqual([]);
    // A key that is pressed right after the dialog was closed is not lost.
    for (let times = 0; times < 20; times++) await press(page, 'u', 'Escape');
    await press(page, 'u');
    await tabTo(page, 'Undo the run');
    await press(page, 'Enter');
    expect(await waitForAnswer()).toEqual({ path: `/api/runs/${ENDED_RUN}/undo`, body: { hash: 'u1' } });
  });

  test('the message of a session', async () => {
    const { page } = await openInbox();
    await press(page, '3');
    await page.getByRole('list', { name: 'Sessions' }).getByRole('link').first().waitFor();
    await press(page, 'j', 'Enter');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await press(page, 'c');
    await page.keyboard.type('On first use.');
    await press(page, 'Control+Enter');
    expect(await waitForAnswer()).toEqual({
      path: '/api/sessions/search/message',
      body: { hash: 's1', text: 'On first use.' },
    });
  });

  test('the question about a task, on the board and by itself', async () => {
    const { page } = await openInbox();
    await press(page, '4');
    await page.locator('.task-card').first().waitFor();
    for (let steps = 0; steps < 6; steps++) await press(page, 'j');
    await page.getByRole('complementary', { name: 'Task' }).getByText('01-02:3').first().waitFor();
    await waitUntilAnswerable(page);
    await press(page, 'c');
    await page.keyboard.type('use WAL');
    await tabTo(page, 'Retry with this instruction');
    await press(page, 'Enter');
    const path = '/api/questions/01-02:3';
    expect(decodeURIComponent((await waitForAnswer()).path)).toBe(path);
    expect(answers()[0]!.body).toEqual({ hash: 'h1', decision: 'reply', text: 'fix: use WAL' });
    await press(page, 'Escape');
    await page.getByRole('complementary', { name: 'Task' }).waitFor({ state: 'detached' });
    await press(page, '1');
    await page.getByRole('list', { name: 'Inbox' }).getByRole('link').first().waitFor();
    await press(page, 'j', 'Enter');
    await waitUntilAnswerable(page);
    await tabTo(page, 'Retry');
    await press(page, 'Enter');
    expect((await waitForAnswer(2)).body).toEqual({ hash: 'h1', decision: 'reply', text: 'retry' });
  });

  test('g, t, b: the graph, the timeline and the board, whose tasks can be opened and left', async () => {
    const { page } = await openInbox();
    await press(page, '4');
    await page.locator('.task-card').first().waitFor();
    await press(page, 'g');
    await page.getByRole('region', { name: 'Dependencies' }).waitFor();
    await press(page, 't');
    const lane = page.getByRole('list', { name: 'Timeline' }).getByRole('link').first();
    await lane.press('Enter');
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
    await press(page, 'Escape');
    await lane.and(page.locator(':focus')).waitFor();
    await press(page, 'b');
    await page.locator('.task-card').first().waitFor();
  });

  test('1 to 5 show the views; j, k and Enter open a run', async () => {
    const { page } = await openInbox();
    for (const [key, heading] of [
      ['5', 'Metrics'],
      ['3', 'Sessions'],
      ['2', 'Runs'],
    ] as const) {
      await press(page, key);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    }
    await page.getByRole('list', { name: 'Runs' }).getByRole('link').first().waitFor();
    await press(page, 'j', 'j', 'k', 'j', 'Enter');
    await page.getByRole('heading', { name: 'Compress uploads larger than 1 MB' }).waitFor();
  });

  test('the help lists every key, and so every key that a button names', async () => {
    const { page } = await openReview();
    const named = await page
      .locator('[aria-keyshortcuts]')
      .evaluateAll((all) => all.map((element) => element.getAttribute('aria-keyshortcuts')!));
    await press(page, '?');
    const keys = await page.getByRole('dialog', { name: 'Keyboard' }).locator('kbd').allInnerTexts();
    const all = SHORTCUTS.flatMap((shortcut): readonly string[] => shortcut.keys);
    expect(keys.slice(0, all.length)).toEqual(all.map((key) => (key === 'Escape' ? 'Esc' : key)));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((key) => !keys.includes(key))).toEqual([]);
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describeInBrowser('what is typed for a text box is never a shortcut', () => {
  const fixture = useFixturePage();
  const { answers, waitForAnswer, openReview, goTo } = fixture;
  const paused = (page: Page) => page.getByRole('status').filter({ hasText: 'Shortcuts are paused' });

  /** Whatever was typed, nothing was answered: the next answer is the first one. */
  const expectFirstAnswer = async (page: Page, body: object) => {
    await press(page, 'a');
    expect((await waitForAnswer()).body).toMatchObject(body);
    expect(answers().length).toBe(1);
  };

  test('e: while the editor is loaded', async () => {
    const { page } = await openReview();
    let load = () => {};
    const loadable = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route('**/*.js', async (route) => {
      await loadable;
      await route.continue();
    });
    await press(page, 'e');
    await page.keyboard.type('as a 1 j?');
    await paused(page).waitFor();
    load();
    const editor = page.locator('.cm-merge-b .cm-content');
    await editor.and(page.locator(':focus')).waitFor();
    await paused(page).waitFor({ state: 'detached' });
    await page.keyboard.type('a');
    await editor.getByText("aimport { request } from './http.js';").waitFor();
    expect(answers()).toEqual([]);
  });

  test('e: the editor cannot be loaded', async () => {
    const { page } = await openReview();
    await page.route('**/*.js', (route) => route.abort());
    await press(page, 'e');
    await page.getByRole('alert').getByText('The editor could not be loaded.').waitFor();
    await page.keyboard.type('a');
    await paused(page).waitFor();
    await press(page, 'Escape');
    await waitUntilAnswerable(page);
    await expectFirstAnswer(page, { decision: 'approve' });
  });

  test('s, c, C, /: typed at once', async () => {
    const { page } = await openReview();
    for (const key of ['c', 'C', '/', 's', 'e']) {
      await pressAtOnce(page, `${key}a`);
      await page.locator('input:focus, textarea:focus, .cm-content:focus').waitFor();
      if (key === 'e') await tabTo(page, 'Cancel').then(() => press(page, 'Enter'));
      else await press(page, 'Escape');
    }
    expect(answers()).toEqual([]);
    await waitUntilAnswerable(page);
    await page.keyboard.type('ca comment');
    await press(page, 'Control+Enter');
    await page.keyboard.type('Canother as well');
    await press(page, 'Control+Enter');
    await page.keyboard.type('/size a');
    await press(page, 'Escape');
    await page.keyboard.type('sa reason');
    await press(page, 'Escape');
    await expectFirstAnswer(page, {
      decision: 'approve',
      comments: [{ text: 'a comment' }, { line: null, text: 'another as well' }],
    });
    expect(await page.getByRole('searchbox').inputValue()).toBe('size a');
  });

  test('c: the current change is far from what is shown', async () => {
    const lines = Array.from({ length: 4000 }, (_, at) => `line ${at + 1}\n`);
    const detail = detailOf(2);
    detail.question.preview = {
      kind: 'write',
      path: 'src/upload.ts',
      before: lines.join(''),
      after: lines.map((line, at) => (at % 4 === 1 ? `new ${line}` : line)).join(''),
      matched: null,
    };
    fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, detail);
    const { page } = await openReview();
    await page.locator('.run-main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
    await page.getByText('new line 3998').waitFor();
    await pressAtOnce(page, 'ca');
    const box = page.getByRole('textbox', { name: 'Comment on line 2' });
    await box.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('n answer');
    await press(page, 'Control+Enter');
    await expectFirstAnswer(page, { decision: 'approve', comments: [{ line: 2, text: 'an answer' }] });
  });

  test('c: a comment was left open', async () => {
    const { page } = await openReview();
    await press(page, 'c');
    await page.keyboard.type('half');
    await page.getByRole('heading', { level: 1 }).click();
    await press(page, 'c');
    await page.keyboard.type(' a comment');
    await press(page, 'Control+Enter');
    await expectFirstAnswer(page, { decision: 'approve', comments: [{ text: 'half a comment' }] });
  });

  test('another face answers while a reason is typed: the next question is not answered by it', async () => {
    const { page } = await openReview();
    await press(page, 's');
    await page.keyboard.type('as');
    const run = reviewRun();
    run.actions[1]!.question = null;
    run.actions[1]!.status = 'success';
    run.actions[2]!.question = `${RUN}.3`;
    run.actions[2]!.status = 'asked';
    fixture.server.answers.set(`/api/runs/${RUN}`, run);
    fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, { ...detailOf(2), open: null });
    fixture.server.answers.set(`/api/runs/${RUN}/actions/3`, {
      ...detailOf(3),
      open: { id: `${RUN}.3`, hash: 'hash-3' },
    });
    fixture.server.emit({ type: 'run', id: RUN });
    await page.getByRole('article', { name: 'Action 3: EDIT' }).waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.type(' a reason');
    await paused(page).waitFor();
    expect(answers()).toEqual([]);
    await press(page, 'Escape');
    await paused(page).waitFor({ state: 'detached' });
    await expectFirstAnswer(page, { hash: 'hash-3', decision: 'approve' });
  });

  test('a: a message to the user is replied to, and not approved by what is typed', async () => {
    const detail = detailOf(2);
    detail.question.action = {
      type: 'CHAT_WITH_USER',
      line: 1,
      metadata: {},
      message: 'Which one?',
    } as ActionQuestion['action'];
    detail.question.preview = { kind: 'none' };
    fixture.server.answers.set(`/api/runs/${RUN}/actions/2`, detail);
    const { page } = await fixture.openInbox();
    await goTo(page, `#/runs/${RUN}`);
    await page.getByRole('textbox', { name: 'Reply' }).waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.type('aa table');
    await press(page, 'Control+Enter');
    expect(await waitForAnswer()).toEqual({
      path: `/api/questions/${QUESTION_ID}`,
      body: { hash: 'hash-2', decision: 'reply', text: 'a table' },
    });
  });
});
