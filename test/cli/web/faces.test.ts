import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Inbox, InboxQuestion } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, executeAction, planOf } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { PageClient, startServer } from './page-client.js';

/** A review in a terminal and a page, of one user. */
async function openBoth(...actions: string[]) {
  const cwd = makeFolder({ 'plan.md': planOf('Two faces', ...actions), '.git/HEAD': '' });
  const server = await startServer(cwd);
  const page = await PageClient.open(server);
  const words = [process.execPath, TEDDY, 'execute', 'plan.md', '--no-copy'];
  const terminal = new TestTerminal(words, { cwd, columns: 100, rows: 50 });
  return { cwd, page, terminal };
}

/** The open question, once there is one that `fits`. */
async function waitForQuestion(
  page: PageClient,
  fits: (question: InboxQuestion) => boolean = () => true,
): Promise<InboxQuestion> {
  for (;;) {
    const [question] = (await page.get<Inbox>('/api/inbox')).questions;
    if (question && fits(question)) return question;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function answer(page: PageClient, { id, hash }: InboxQuestion, given: object): Promise<void> {
  expect(await page.post(`/api/questions/${id}`, { hash, ...given })).toMatchObject({ status: 200 });
}

function isAction(number: number): (question: InboxQuestion) => boolean {
  return (question) => question.kind === 'action' && question.number === number;
}

/** Keys count once they are below the question. */
async function showsKeys(terminal: TestTerminal, title: string): Promise<void> {
  await terminal.until(() => {
    const text = terminal.text();
    return text.includes(title) && text.lastIndexOf('y approve') > text.lastIndexOf(title);
  }, `${title} with its keys`);
}

function readRecord(cwd: string) {
  const [run] = readdirSync(join(cwd, '.teddy/runs')).filter((name) => /^\d/.test(name));
  return JSON.parse(readFileSync(join(cwd, '.teddy/runs', run!, 'run.json'), 'utf8'));
}

describe.skipIf(noPython)(`one question, many faces${noPython}`, () => {
  test('an answer on the page ends the question in the terminal, which shows it and continues', async () => {
    const { cwd, page, terminal } = await openBoth(createAction('a.txt'), createAction('b.txt'));
    const question = await waitForQuestion(page, isAction(1));
    expect(question).toMatchObject({ title: 'Two faces', subject: 'CREATE a.txt', total: 2 });
    await showsKeys(terminal, '1 of 2  CREATE');
    await answer(page, question, { decision: 'approve' });
    await terminal.shows('Approved on the page.');
    await showsKeys(terminal, '2 of 2  CREATE');
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(readRecord(cwd)).toMatchObject({ overall: 'Completed' });
    expect(await page.get('/api/inbox')).toMatchObject({ questions: [] });
  });

  test('the page sees a run as it goes: plan, diff, live output, outcome, undo', async () => {
    const { cwd, page, terminal } = await openBoth(
      createAction('a.txt', 'one\ntwo\n'),
      executeAction('echo first; while [ ! -e go ]; do sleep 0.05; done; echo last'),
    );
    const question = await waitForQuestion(page, isAction(1));
    const run = 'run' in question ? question.run : '';
    expect(await page.get('/api/runs')).toMatchObject([{ id: run, status: 'waiting', overall: null }]);
    expect(await page.get(`/api/runs/${run}`)).toMatchObject({
      plan: { title: 'Two faces' },
      actions: [
        {
          number: 1,
          status: 'asked',
          label: 'a.txt',
          lines: { added: 2, removed: 0 },
          question: question.id,
        },
        { number: 2, type: 'EXECUTE', status: 'planned', lines: null, question: null },
      ],
      report: null,
    });
    expect(await page.get(`/api/runs/${run}/actions/1`)).toMatchObject({
      question: { hash: question.hash, preview: { kind: 'write', before: null, after: 'one\ntwo\n' } },
      record: null,
    });
    await answer(page, question, { decision: 'approve' });
    const events = await page.follow();
    await answer(page, await waitForQuestion(page, isAction(2)), { decision: 'approve' });
    await events.until((event) => event.type === 'output' && event.text.includes('first'));
    expect(await page.get(`/api/runs/${run}/actions/2`)).toMatchObject({ output: { text: 'first\n' } });
    writeFileSync(join(cwd, 'go'), '');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(await page.get(`/api/runs/${run}`)).toMatchObject({
      status: 'ended',
      overall: 'Completed',
      actions: [{ status: 'success', lines: { added: 2, removed: 0 } }, { status: 'success' }],
    });
    expect(await page.get(`/api/runs/${run}/undo`)).toMatchObject({
      canUndo: true,
      restores: ['Deletes a.txt.'],
      leaves: [expect.stringContaining('The command of action 2')],
    });
    expect(await page.post(`/api/runs/${run}/undo`, {})).toMatchObject({ status: 200 });
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(await page.get('/api/runs')).toMatchObject([{ id: run, undone: true }]);
  });

  test('Stop ends the command that runs, and the run', async () => {
    const { cwd, page, terminal } = await openBoth(
      executeAction('echo started; sleep 1000'),
      createAction('never.txt'),
    );
    const question = await waitForQuestion(page, isAction(1));
    const run = 'run' in question ? question.run : '';
    const events = await page.follow();
    await answer(page, question, { decision: 'rest' });
    await events.until((event) => event.type === 'output');
    expect(await page.post(`/api/runs/${run}/stop`, {})).toMatchObject({ status: 200 });
    expect(await terminal.ended).toEqual({ exit: 130, signal: null });
    expect(readRecord(cwd)).toMatchObject({
      interrupted: 'The run was interrupted by Stop on the page.',
      actions: [{ outcome: { status: 'failure', ended: 'by stop' } }, { outcome: { status: 'not-run' } }],
    });
    expect(existsSync(join(cwd, 'never.txt'))).toBe(false);
    expect(await page.post(`/api/runs/${run}/stop`, {})).toMatchObject({ status: 409 });
  });

  test('a draft is on disk, and gone with its answer', async () => {
    const { page, terminal } = await openBoth(createAction('a.txt'));
    const question = await waitForQuestion(page);
    const draft = `/api/questions/${question.id}/draft`;
    expect(await page.get(draft)).toEqual({ text: null });
    expect(await page.post(draft, { text: 'half a tho\r\n' }, 'PUT')).toMatchObject({ status: 200 });
    expect(await page.get(draft)).toEqual({ text: 'half a tho\r\n' });
    await answer(page, question, { decision: 'skip', reason: 'Not today.' });
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(await page.get(draft)).toEqual({ text: null });
    expect(await page.post(draft, { text: 'late' }, 'PUT')).toMatchObject({ status: 409 });
  });
});
