import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Access } from '../../../src/faces/web/access.js';
import { buildApi } from '../../../src/faces/web/api-app.js';
import { EventHub } from '../../../src/faces/web/events.js';
import { IdleTimer } from '../../../src/faces/web/server.js';
import { UserError } from '../../../src/node/errors.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { startModelServer } from '../../model-server.mjs';
import { executeAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';
import { PageClient, startServer } from './page-client.js';

// What a server is given and what it leaves: its port, its end, and what others see of its secrets.

test('each server has a port of its own', async () => {
  const [one, other] = await Promise.all([startServer(), startServer()]);
  expect(one.port).not.toBe(other.port);
});

describe('of many links and pages, only the newest count', () => {
  test('32 links that nobody has opened', () => {
    const access = new Access();
    const codes = Array.from({ length: 40 }, () => access.issueCode());
    const ends = codes.map((code) => access.redeem(code).status);
    expect(ends).toEqual([...Array(8).fill('refused'), ...Array(32).fill('token')]);
  });

  test('32 pages', () => {
    const access = new Access();
    const sessions = Array.from({ length: 40 }, () => {
      const redeemed = access.redeem(access.issueCode());
      if (redeemed.status !== 'token') throw new Error('a new code gives a token');
      return access.sessionOf(`Bearer ${redeemed.token}`)!;
    });
    const open = sessions.map((session) => access.has(session));
    expect(open).toEqual([...Array(8).fill(false), ...Array(32).fill(true)]);
  });

  test('a link that was opened too late', () => {
    const access = new Access();
    expect(access.redeem(access.issueCode(-1))).toEqual({ status: 'refused', again: false });
  });
});

test('the second use of a link ends the stream of the page that it opened, at once', async () => {
  const access = new Access();
  const hub = new EventHub();
  const project = {
    workspace: new Workspace(makeFolder()),
    isTrusted: async () => false,
    readConfig: async () => undefined,
    requireTrusted: () => Promise.reject(new UserError('not trusted')),
  };
  const { app } = buildApi(access, hub, { project, version: '0', onNotice: () => {} });
  const sender = { onAccess: () => {}, isOtherUser: () => false };
  const sent = { method: 'POST', body: JSON.stringify({ code: access.issueCode() }) };
  const { token } = (await (await app.request('/api/session', sent, sender)).json()) as { token: string };
  await app.request('/api/events', { headers: { authorization: `Bearer ${token}` } }, sender);
  expect(hub.isOpen).toBe(true);
  await app.request('/api/session', sent, sender);
  expect(hub.isOpen).toBe(false);
});

test('a page that does not read its events is cut off, and the server keeps no more of them', () => {
  const hub = new EventHub();
  hub.open(
    0,
    () => true,
    () => {},
  );
  const text = 'x'.repeat(64 * 1024);
  const send = (count: number) => {
    for (let at = 0; at < count; at++)
      hub.send({ type: 'output', run: 'r', number: 1, stream: 'stdout', text });
  };
  send(32);
  expect(hub.isOpen).toBe(true);
  send(64);
  expect(hub.isOpen).toBe(false);
});

test('a server is idle once its time has passed since the last request', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const timer = new IdleTimer(1000);
  let isOver = false;
  void timer.over.then(() => {
    isOver = true;
  });
  for (let request = 0; request < 3; request++) {
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    timer.restart();
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(isOver).toBe(true);
});

test.each(['SIGHUP', 'SIGTERM'] as const)(
  '%s, as a terminal that closes: drafts are on disk',
  async (signal) => {
    const cwd = makeFolder({ '.git/HEAD': '' });
    teddy(['new', 'walk'], { cwd });
    const server = await startServer(cwd);
    const page = await PageClient.open(server);
    const draft = '/api/questions/message:walk/draft';
    expect(await page.post(draft, { text: 'half a tho' }, 'PUT')).toMatchObject({ status: 200 });
    const ended = new Promise((resolve) => server.process.on('exit', resolve));
    server.process.kill(signal);
    expect(await ended).toBe(0);
    const again = await PageClient.open(await startServer(cwd));
    expect(await again.get(draft)).toEqual({ text: 'half a tho' });
  },
);

test('a command that the page runs gets neither token nor code', async () => {
  const look = 'cat /proc/self/environ /proc/$PPID/environ /proc/$PPID/cmdline > seen.txt; env >> seen.txt';
  const model = await startModelServer([{ answer: planOf('Look', executeAction(look)) }]);
  onTestFinished(() => model.close());
  const cwd = makeFolder({
    '.git/HEAD': '',
    '.teddy/config.yaml': `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}"}\n`,
  });
  teddy(['trust', '--yes'], { cwd });
  teddy(['new', 'walk'], { cwd });
  const server = await startServer(cwd);
  const page = await PageClient.open(server);
  const { hash } = await page.get<{ hash: string }>('/api/sessions/walk');
  await page.post('/api/sessions/walk/message', { hash, text: 'Look.' });
  const question = await openQuestion(page);
  await page.post(`/api/questions/${question.id}`, { hash: question.hash, decision: 'approve' });
  while ((await page.get<{ isBusy: boolean }>('/api/sessions/walk')).isBusy) await pause();
  const seen = readFileSync(join(cwd, 'seen.txt'), 'latin1');
  expect(seen).toContain('PATH=');
  for (const secret of [server.code, page.token]) expect(seen).not.toContain(secret);
});

async function openQuestion(page: PageClient): Promise<{ id: string; hash: string }> {
  for (;;) {
    const { questions } = await page.get<{ questions: { id: string; hash: string }[] }>('/api/inbox');
    if (questions[0]) return questions[0];
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
