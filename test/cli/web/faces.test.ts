import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Inbox, InboxQuestion } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
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
    const { hash } = question;
    const reply = await page.post(`/api/questions/${question.id}`, { hash, decision: 'approve' });
    expect(reply).toMatchObject({ status: 200, text: '{"status":"accepted"}' });
    await terminal.shows('Approved on the page.');
    await showsKeys(terminal, '2 of 2  CREATE');
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
    terminal.send('y');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(readRecord(cwd)).toMatchObject({ overall: 'Completed' });
    expect(await page.get('/api/inbox')).toMatchObject({ questions: [] });
  });
});
