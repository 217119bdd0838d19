import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Inbox } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { createAction, planOf } from '../execute/program.js';
import { startTeddy } from '../teddy.js';
import { PageClient, serverOf } from './page-client.js';

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
