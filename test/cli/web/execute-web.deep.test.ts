import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ActionDetail, Inbox, RunItem, RunView } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, editAction, executeAction, planOf } from '../execute/program.js';
import { startTeddy, teddy } from '../teddy.js';
import { PageClient, serverOf, startServer } from './page-client.js';

test('execute --web is reviewed on the page alone, and ends with the page', async () => {
  const cwd = makeFolder({ 'plan.md': planOf('On the page', createAction('a.txt')), '.git/HEAD': '' });
  const child = startTeddy(['execute', 'plan.md', '--web', '--no-copy'], cwd);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const server = await serverOf(child, cwd);
  const page = await PageClient.open(server);
  const events = await page.follow();
  await events.until((event) => event.type === 'run');
  const { questions } = await page.get<Inbox>('/api/inbox');
  const { id, hash } = questions[0]!;
  expect(await page.post(`/api/questions/${id}`, { hash, decision: 'approve' })).toMatchObject({
    status: 200,
  });
  await events.until((event) => event.type === 'changed' && event.what === 'runs');
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  expect(await page.get('/api/runs')).toMatchObject([{ overall: 'Completed' }]);
  events.close();
  expect(await ended).toBe(0);
});

test('an action that was not asked about is shown as it was proposed, with what it did to its file', async () => {
  const secret = 'sk-secret-12345678';
  const cwd = makeFolder({
    'plan.md': planOf(
      'Unasked',
      editAction('a.txt', 'b\n', 'B\n'),
      createAction('new.txt'),
      executeAction(`echo ${secret} > /dev/null`, `- **Env:** API_TOKEN=${secret}\n`),
    ),
    'a.txt': 'a\r\nb\r\nc',
    '.git/HEAD': '',
  });
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd }).exit).toBe(0);
  const page = await PageClient.open(await startServer(cwd));
  const [run] = await page.get<RunItem[]>('/api/runs');
  const detail = (number: number) => page.get<ActionDetail>(`/api/runs/${run!.id}/actions/${number}`);
  expect(await detail(1)).toMatchObject({
    question: null,
    action: { type: 'EDIT', path: 'a.txt' },
    changed: { path: 'a.txt', before: 'a\r\nb\r\nc', after: 'a\r\nB\r\nc' },
  });
  expect(await detail(2)).toMatchObject({ changed: { before: null, after: expect.any(String) } });
  const command = await detail(3);
  expect(command).toMatchObject({ action: { type: 'EXECUTE' }, changed: null });
  expect(JSON.stringify(command)).not.toContain(secret);
  const { actions } = await page.get<RunView>(`/api/runs/${run!.id}`);
  expect(actions.map(({ lines }) => lines)).toEqual([
    { added: 1, removed: 1 },
    { added: 1, removed: 0 },
    null,
  ]);
});
