import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffHunks } from '../../../src/core/changeset/hunks.js';
import type { ActionDetail, Inbox, InboxQuestion, UndoPreview } from '../../../src/faces/web/api.js';
import { proposedText } from '../../../src/review/question.js';
import { makeFolder } from '../../folder.js';
import { createAction, editAction, executeAction, planOf } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { PageClient, startServer } from './page-client.js';

const NUMBERS = Array.from({ length: 30 }, (_, at) => `${at + 1}\n`).join('');

/** A review in a terminal and a page, of one user. */
async function openBoth(...actions: string[]) {
  const cwd = makeFolder({
    'plan.md': planOf('Two faces', ...actions),
    'long.txt': '1\n2\n3\n',
    'two.txt': 'a\r\nb\r\nc',
    'n.txt': NUMBERS,
    '.git/HEAD': '',
  });
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
      executeAction(
        'echo first; while [ ! -e go ]; do sleep 0.05; done; rm go; echo made > made.txt; echo last',
      ),
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
    const preview = await page.get<UndoPreview>(`/api/runs/${run}/undo`);
    expect(preview).toMatchObject({
      canUndo: true,
      restores: ['Deletes a.txt.', 'Deletes made.txt.'],
      leaves: [
        'What the command of action 2 (A command.) did to ignored files, nested git repositories and outside the project is not undone.',
      ],
    });
    expect(await page.post(`/api/runs/${run}/undo`, { hash: preview.hash })).toMatchObject({ status: 200 });
    expect(['a.txt', 'made.txt'].filter((name) => existsSync(join(cwd, name)))).toEqual([]);
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

  test('comments, chosen changes and an edited file reach the files and the report', async () => {
    const { cwd, page, terminal } = await openBoth(
      editAction('long.txt', '2\n', 'two\n'),
      editAction('two.txt', 'a\r\n', 'A\r\n'),
    );
    const first = await waitForQuestion(page, isAction(1));
    await answer(page, first, {
      decision: 'approve',
      comments: [
        { line: 2, text: 'Numbers as words everywhere?' },
        { line: null, text: 'Good.\nGo on like this.' },
      ],
    });
    const second = await waitForQuestion(page, isAction(2));
    const edited = { decision: 'edit', edits: 'result', text: 'A!\r\nb\r\nc' };
    const reply = await page.post(`/api/questions/${second.id}`, { hash: second.hash, ...edited });
    expect(reply).toMatchObject({ status: 200, text: '{"status":"replaced"}' });
    const again = await waitForQuestion(page, (question) => question.id !== second.id);
    await answer(page, again, { decision: 'approve' });
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(readFileSync(join(cwd, 'two.txt'), 'utf8')).toBe('A!\r\nb\r\nc');
    expect(readRecord(cwd).actions[0].decision).toEqual({
      status: 'approved',
      by: 'person',
      comments: [
        { line: 2, text: 'Numbers as words everywhere?' },
        { line: null, text: 'Good.\nGo on like this.' },
      ],
    });
    const { id } = readRecord(cwd);
    const report = readFileSync(join(cwd, '.teddy/runs', id, 'report.md'), 'utf8');
    expect(report).toContain('- **Comment on line 2:** Numbers as words everywhere?\n');
    expect(report).toContain('- **Modified by user:** yes\n');
  });

  test('only the chosen changes are written, and the others are named with their reason', async () => {
    const changed = NUMBERS.replace('2\n', 'two\n').replace('28\n', 'twenty-eight\n');
    const { cwd, page, terminal } = await openBoth(createAction('n.txt', changed, '- **Overwrite:** true\n'));
    const question = await waitForQuestion(page, isAction(1));
    const run = 'run' in question ? question.run : '';
    const { question: asked } = await page.get<ActionDetail>(`/api/runs/${run}/actions/1`);
    const text = proposedText(asked!)!;
    const [kept, dropped] = diffHunks(text.before!, text.after, text.path);
    const wrong = { decision: 'approve', keep: ['0000000000000000'] };
    const refused = await page.post(`/api/questions/${question.id}`, { hash: question.hash, ...wrong });
    expect(refused).toMatchObject({ status: 400 });
    await answer(page, question, {
      decision: 'approve',
      keep: [kept!.id],
      dropReasons: { [dropped!.id]: 'Not this one.' },
    });
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(readFileSync(join(cwd, 'n.txt'), 'utf8')).toBe(NUMBERS.replace('2\n', 'two\n'));
    expect(readRecord(cwd).actions[0].outcome.kept).toMatchObject({
      count: 1,
      dropped: [{ reason: 'Not this one.' }],
    });
  });

  test('an answer to something else is refused: an old hash, a used question, another run', async () => {
    const { page, terminal } = await openBoth(createAction('a.txt'), createAction('b.txt'));
    const question = await waitForQuestion(page, isAction(1));
    const post = (id: string, hash: string) =>
      page.post(`/api/questions/${id}`, { hash, decision: 'approve' });
    expect(await post(question.id, 'f'.repeat(64))).toMatchObject({ status: 409 });
    expect(await post('20200101-000000-aaaa.1', question.hash)).toMatchObject({ status: 409 });
    await answer(page, question, { decision: 'approve' });
    expect(await post(question.id, question.hash)).toMatchObject({ status: 409 });
    await answer(page, await waitForQuestion(page, isAction(2)), { decision: 'quit', reason: 'Enough.' });
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
  });

  test('what was being typed in the terminal is kept when the page answers', async () => {
    const { cwd, page, terminal } = await openBoth(createAction('a.txt'));
    const question = await waitForQuestion(page, isAction(1));
    await showsKeys(terminal, '1 of 1  CREATE');
    terminal.send('n');
    await terminal.shows('Why skip it?');
    terminal.send('Because of');
    await terminal.shows('Because of');
    await answer(page, question, { decision: 'approve' });
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    const { id } = readRecord(cwd);
    const drafts = join(cwd, '.teddy/runs', id, 'journal/drafts');
    expect(readFileSync(join(drafts, 'reason-1.md'), 'utf8')).toBe('Because of\n');
  });

  test('teddy inbox lists what is open, and answers it with the screens of the review', async () => {
    const { cwd, page, terminal } = await openBoth(createAction('a.txt'), createAction('b.txt'));
    const question = await waitForQuestion(page, isAction(1));
    const listed = teddy(['inbox'], { cwd });
    expect(listed).toMatchObject({ exit: 0, stderr: '' });
    expect(listed.stdout).toContain('CREATE a.txt');
    expect(JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout)).toMatchObject([{ id: question.id }]);
    expect(teddy(['inbox', 'nothing'], { cwd })).toMatchObject({ exit: 2 });
    const open = (id: string) =>
      new TestTerminal([process.execPath, TEDDY, 'inbox', id], { cwd, columns: 100, rows: 50 });
    const first = open(question.id);
    await showsKeys(first, '1 of 2  CREATE');
    first.send('y');
    expect(await first.ended).toEqual({ exit: 0, signal: null });
    await terminal.shows('Approved in teddy inbox.');
    const next = await waitForQuestion(page, isAction(2));
    const left = open(next.id);
    await showsKeys(left, '2 of 2  CREATE');
    left.send('\u0003');
    expect(await left.ended).toEqual({ exit: 130, signal: null });
    const late = open(next.id);
    await showsKeys(late, '2 of 2  CREATE');
    await answer(page, next, { decision: 'approve' });
    expect(await late.ended).toEqual({ exit: 1, signal: null });
    expect(late.history()).toContain('It was answered elsewhere.');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(teddy(['inbox'], { cwd }).stdout).toBe('Nothing is waiting for you.\n');
  });
});
