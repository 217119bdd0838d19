import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ActionDetail, Inbox, InboxQuestion, RunView } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, executeAction, planOf } from '../execute/program.js';
import { startTeddy } from '../teddy.js';
import { PageClient, serverOf } from './page-client.js';

/** A review on the page alone. */
async function reviewOnPage(...actions: string[]) {
  const cwd = makeFolder({ 'plan.md': planOf('On the page', ...actions), '.git/HEAD': '' });
  const child = startTeddy(['execute', 'plan.md', '--web', '--no-copy'], cwd);
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  const page = await PageClient.open(await serverOf(child, cwd));
  const question = await nextQuestion(page);
  const run = 'run' in question ? question.run : '';
  return { cwd, child, ended, page, question, run, folder: join(cwd, '.teddy/runs', run) };
}

/** The open question, once it is another one than `last`. */
async function nextQuestion(page: PageClient, last?: InboxQuestion): Promise<InboxQuestion> {
  for (;;) {
    const [question] = (await page.get<Inbox>('/api/inbox')).questions;
    if (question && question.id !== last?.id) return question;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}

function answer(page: PageClient, { id, hash }: InboxQuestion, given: object) {
  return page.post(`/api/questions/${id}`, { hash, ...given });
}

test('a changed copy of the plan is not shown, and the rest is not approved with it', async () => {
  const { page, folder, run, question, ended } = await reviewOnPage(
    createAction('a.txt'),
    executeAction('echo real > real.txt'),
  );
  expect(await page.get<RunView>(`/api/runs/${run}`)).toMatchObject({
    actions: [{ label: 'a.txt' }, { label: expect.stringContaining('echo real') }],
  });
  const plan = readFileSync(join(folder, 'plan.md'), 'utf8');
  writeFileSync(join(folder, 'plan.md'), plan.replace('echo real > real.txt', 'echo harmless'));
  const view = await page.get<RunView>(`/api/runs/${run}`);
  expect(view).toMatchObject({ plan: null, actions: [{ question: question.id }, { type: 'EXECUTE' }] });
  expect(JSON.stringify(view)).not.toContain('harmless');
  const second = await page.get<ActionDetail>(`/api/runs/${run}/actions/2`);
  expect(second).toMatchObject({ source: '', question: null });
  expect(await answer(page, question, { decision: 'rest' })).toMatchObject({ status: 400 });
  const events = await page.follow();
  expect(await answer(page, question, { decision: 'quit' })).toMatchObject({ status: 200 });
  await until(() => existsSync(join(folder, 'run.json')));
  writeFileSync(join(folder, 'report.md'), 'All is well.\n');
  const { report } = await page.get<RunView>(`/api/runs/${run}`);
  expect(report).toContain('# Execution Report');
  events.close();
  expect(await ended).toBe(0);
});

test('an action is edited as it is asked now, with its secrets and the edits before', async () => {
  const { cwd, page, run, question, ended } = await reviewOnPage(
    executeAction(
      'echo "$API_TOKEN" sk-secret-12345678 > out.txt',
      '- **Env:** API_TOKEN=sk-secret-12345678\n',
    ),
  );
  const sourceOf = async () => (await page.get<ActionDetail>(`/api/runs/${run}/actions/1`)).source;
  const first = await sourceOf();
  expect(first).toContain('sk-secret-12345678 > out.txt');
  const masked = first.replace('sk-secret-12345678 > out', '[masked:0a1b2c3d] > out');
  expect(await answer(page, question, { decision: 'edit', text: masked })).toMatchObject({ status: 400 });
  const edited = first.replace('> out.txt', '> edited.txt');
  expect(await answer(page, question, { decision: 'edit', text: edited })).toMatchObject({ status: 200 });
  const again = await Promise.race([nextQuestion(page, question), ended.then(() => null)]);
  if (again === null) throw new Error('the edit ran unseen');
  expect(existsSync(join(cwd, 'edited.txt'))).toBe(false);
  expect(await answer(page, question, { decision: 'approve' })).toMatchObject({ status: 409 });
  expect(await sourceOf()).toContain('sk-secret-12345678 > edited.txt');
  expect(await answer(page, again, { decision: 'approve' })).toMatchObject({ status: 200 });
  expect(await ended).toBe(0);
  expect(existsSync(join(cwd, 'edited.txt'))).toBe(true);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a review on the page alone', async (signal) => {
  const { cwd, child, ended, page, folder } = await reviewOnPage(createAction('a.txt'));
  await page.follow();
  child.kill(signal);
  expect(await ended).toBe(130);
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  expect(existsSync(join(folder, 'run.json'))).toBe(true);
});

test('a forged question file blocks no answer', async () => {
  const { page, question, ended, folder } = await reviewOnPage(createAction('a.txt'));
  const forged = join(folder, 'journal/questions/99999.json');
  writeFileSync(forged, 'x\n{}\n');
  expect((await page.get<Inbox>('/api/inbox')).questions).toMatchObject([{ id: question.id }]);
  expect(await answer(page, question, { decision: 'approve' })).toMatchObject({ status: 200 });
  expect(await ended).toBe(0);
});
