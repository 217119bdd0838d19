import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Inbox, InboxQuestion } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { startTeddy, TEDDY, teddy } from '../teddy.js';
import { oneTask } from './one-task.js';
import { PageClient, startServer } from './page-client.js';

// `done` runs the task's verify command before it is recorded, and another face may answer while it runs.

/** A question of orchestrate at its terminal, and the page. */
async function openBoth(executor = 'cat') {
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': oneTask('sh wait.sh'),
    '.teddy/config.yaml': `executors: {idle: {command: ${JSON.stringify(executor)}}}\n`,
    'evil.sh': 'touch evil\n',
    'wait.sh': 'touch verifying; while [ ! -e go ]; do sleep 0.05; done\n',
  });
  teddy(['trust', '--yes'], { cwd });
  const page = await PageClient.open(await startServer(cwd));
  const words = ['orchestrate', '--yes', '--executor', 'idle', '--max-attempts', '1', '--isolation', 'none'];
  const terminal = new TestTerminal([process.execPath, TEDDY, ...words], { cwd, columns: 100, rows: 40 });
  await terminal.shows('Esc later');
  return { cwd, page, terminal, question: (await openQuestion(page))! };
}

async function openQuestion(page: PageClient): Promise<InboxQuestion | undefined> {
  return (await page.get<Inbox>('/api/inbox')).questions[0];
}

function reply(page: PageClient, { id, hash }: InboxQuestion, text: string) {
  return page.post(`/api/questions/${id}`, { hash, decision: 'reply', text });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}

// A key right after a question appears, or right after another key, does not count.

async function pressUntilVerifying(terminal: TestTerminal, cwd: string): Promise<void> {
  const again = setInterval(() => terminal.send('d'), 1500);
  terminal.send('d');
  await until(() => existsSync(join(cwd, 'verifying')));
  clearInterval(again);
}

async function pressUntilEnded(terminal: TestTerminal, key: string): Promise<void> {
  let hasEnded = false;
  const ended = terminal.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    terminal.send(key);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1500))]);
  }
}

/** What is recorded on the task: decisions of the user, and results. */
function records(cwd: string): string[] {
  const read = (name: string) => {
    const path = join(cwd, '.ultraplan/logs', name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  const decisions = read('resolutions.jsonl').map((line) => JSON.parse(line).decision as string);
  const successes = read('ledger.jsonl').filter((line) => JSON.parse(line).status === 'success');
  return [...decisions, ...successes.map(() => 'done')];
}

describe.skipIf(noPython)(`one question about a task, two faces${noPython}`, () => {
  test('done at the terminal is first: the page is refused while it is verified, and then the question is gone', async () => {
    const { cwd, page, terminal, question } = await openBoth();
    await pressUntilVerifying(terminal, cwd);
    for (const word of ['skip', 'retry', 'done'])
      expect(await reply(page, question, word)).toMatchObject({
        status: 409,
        text: expect.stringContaining('Another answer to 01-01:1 is being recorded'),
      });
    expect(teddy(['task', 'resolve', '01-01:1', 'skip'], { cwd })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('Another answer to 01-01:1 is being recorded'),
    });
    writeFileSync(join(cwd, 'go'), '');
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(await openQuestion(page)).toBeUndefined();
    expect(await reply(page, question, 'skip')).toMatchObject({ status: 409 });
    expect(records(cwd)).toEqual(['done']);
  });

  test('done on the page is first: the terminal says so, and then shows it', async () => {
    const { cwd, page, terminal, question } = await openBoth();
    const answered = reply(page, question, 'done');
    await until(() => existsSync(join(cwd, 'verifying')));
    await terminal.press('s', /Another answer to 01-01:1 is being recorded/);
    writeFileSync(join(cwd, 'go'), '');
    expect(await answered).toMatchObject({ status: 200 });
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    expect(terminal.history()).toContain('01-01:1  answered: done');
    expect(records(cwd)).toEqual(['done']);
  });

  test('done that is not true leaves the question open for the other face', async () => {
    const { cwd, page, terminal } = await openBoth();
    writeFileSync(join(cwd, 'wait.sh'), 'touch verifying; while [ ! -e go ]; do sleep 0.05; done; exit 1\n');
    await pressUntilVerifying(terminal, cwd);
    writeFileSync(join(cwd, 'go'), '');
    await terminal.shows('01-01:1 is not done');
    await terminal.shows('Esc later');
    expect(await reply(page, (await openQuestion(page))!, 'skip')).toMatchObject({ status: 200 });
    expect(await terminal.ended).toMatchObject({ signal: null });
    expect(terminal.history()).toContain('01-01:1  answered: skip');
    expect(records(cwd)).toEqual(['skip']);
  });

  test('done runs the verify command that was shown, and none that an executor has put in its place', async () => {
    const { cwd, page, terminal } = await openBoth(
      'cat > /dev/null; sed -i s/wait.sh/evil.sh/ .planning/01-01-PLAN.md; echo no',
    );
    writeFileSync(join(cwd, 'go'), '');
    await terminal.press('d', /is not the one that was shown/);
    expect(existsSync(join(cwd, 'evil'))).toBe(false);
    // The page shows the task as it is now.
    const question = (await openQuestion(page))!;
    expect(question).toMatchObject({ question: { detail: expect.stringContaining('evil.sh') } });
    const path = join(cwd, '.planning/01-01-PLAN.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace('evil.sh', 'wait.sh'));
    expect(await reply(page, question, 'done')).toMatchObject({ status: 409 });
    expect(existsSync(join(cwd, 'evil'))).toBe(false);
    expect(records(cwd)).toEqual([]);
    await pressUntilEnded(terminal, 's');
    expect(records(cwd)).toEqual(['skip']);
  });

  test('of a crowd that answers at once, one is recorded', async () => {
    const { cwd, page, terminal, question } = await openBoth();
    writeFileSync(join(cwd, 'go'), '');
    terminal.send('d');
    const commands = ['skip', 'abort'].map(
      (word) =>
        new Promise((resolve) =>
          startTeddy(['task', 'resolve', '01-01:1', word], cwd).on('exit', (code) => resolve(code)),
        ),
    );
    const replies = await Promise.all(['done', 'skip', 'done'].map((word) => reply(page, question, word)));
    for (const { status } of replies) expect([200, 409]).toContain(status);
    await Promise.all(commands);
    // Where another face was first, `d` has opened the list of changes.
    await pressUntilEnded(terminal, 'q');
    expect(records(cwd)).toHaveLength(1);
  });
});
