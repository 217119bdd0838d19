import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Inbox, InboxQuestion, SessionView } from '../../../src/faces/web/api.js';
import { Sessions } from '../../../src/sessions/turns/sessions.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { type ModelStep, startModelServer } from '../../model-server.mjs';
import { createAction, planOf } from '../execute/program.js';
import { teddy } from '../teddy.js';
import { PageClient, startServer } from './page-client.js';

const CHAT = '/api/sessions/walk';

async function openSession(script: ModelStep[], { trust = true } = {}) {
  const model = await startModelServer(script);
  onTestFinished(() => model.close());
  const config = `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}"}\n`;
  const cwd = makeFolder({ '.teddy/config.yaml': config, '.git/HEAD': '' });
  teddy(['trust', '--yes'], { cwd });
  expect(teddy(['new', 'walk'], { cwd })).toMatchObject({ exit: 0 });
  if (!trust) writeFileSync(join(cwd, '.teddy/config.yaml'), `${config}\nreport: {copy: false}\n`);
  const server = await startServer(cwd);
  return { cwd, model, server, page: await PageClient.open(server) };
}

function view(page: PageClient): Promise<SessionView> {
  return page.get<SessionView>(CHAT);
}

async function say(page: PageClient, text: string) {
  const { hash } = await view(page);
  return page.post(`${CHAT}/message`, { hash, text });
}

async function nextQuestion(page: PageClient): Promise<InboxQuestion> {
  for (;;) {
    const [question] = (await page.get<Inbox>('/api/inbox')).questions;
    if (question) return question;
    await pause();
  }
}

async function whenIdle(page: PageClient): Promise<SessionView> {
  for (;;) {
    const session = await view(page);
    if (!session.isBusy) return session;
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

test('a message is sent, the plan arrives, and is reviewed and run on the page', async () => {
  const { cwd, page, model } = await openSession([
    { answer: planOf('Walk on', createAction('a.txt')), pieceDelayMs: 20, chunk: 20 },
  ]);
  expect(await view(page)).toMatchObject({ canSend: true, whenEmpty: 'none', isBusy: false });
  const events = await page.follow();
  expect(await say(page, ' ')).toMatchObject({ status: 400 });
  expect(await say(page, 'Go for a walk.')).toMatchObject({ status: 200 });
  await events.until((event) => event.type === 'planning' && event.line.includes('tiny is writing'));
  const question = await nextQuestion(page);
  expect(question).toMatchObject({ kind: 'action', title: 'Walk on', subject: 'CREATE a.txt' });
  const { id, hash } = question;
  expect(await view(page)).toMatchObject({ isBusy: true, reviewing: id.split('.')[0] });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  expect(await page.post(`/api/questions/${id}`, { hash, decision: 'approve' })).toMatchObject({
    status: 200,
  });
  const session = await whenIdle(page);
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  expect(session).toMatchObject({
    reviewing: null,
    problem: null,
    conversation: [{ message: 'Go for a walk.', planTitle: 'Walk on', overall: 'Completed' }, {}],
  });
  expect(model.requests).toHaveLength(1);
  events.close();
});

test('a stale page cannot send: of ten messages for one state, one reaches the model', async () => {
  const { page, model } = await openSession([{ answer: 'Which way?' }]);
  const { hash } = await view(page);
  const texts = Array.from({ length: 10 }, (_, at) => `message ${at}`);
  const replies = await Promise.all(texts.map((text) => page.post(`${CHAT}/message`, { hash, text })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  expect(await whenIdle(page)).toMatchObject({ conversation: [{ prose: 'Which way?' }], whenEmpty: 'none' });
  expect(await page.post(`${CHAT}/message`, { hash, text: 'once more' })).toMatchObject({ status: 409 });
  expect(model.requests).toHaveLength(1);
});

test('the message is on disk before the model is asked, and a model that fails loses nothing', async () => {
  const { page, cwd, server } = await openSession([{ answer: 'Wait …', stallAfter: 3 }]);
  expect(await say(page, 'Remember this.')).toMatchObject({ status: 200 });
  const files = () =>
    readdirSync(join(cwd, '.teddy/sessions/walk/01')).map((name) =>
      readFileSync(join(cwd, '.teddy/sessions/walk/01', name), 'utf8'),
    );
  expect(files().some((text) => text.includes('Remember this.'))).toBe(true);
  expect(await page.post(`${CHAT}/stop`, {})).toMatchObject({ status: 200 });
  expect(await whenIdle(page)).toMatchObject({
    problem: expect.stringContaining('Stopped'),
    whenEmpty: 'ask',
  });
  expect(await page.post(`${CHAT}/stop`, {})).toMatchObject({ status: 409 });
  expect(await say(page, 'Once more.')).toMatchObject({ status: 200 });
  const ended = new Promise((resolve) => server.process.on('exit', (code) => resolve(code)));
  server.process.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(files().some((text) => text.includes('Once more.'))).toBe(true);
});

test('a message whose server was killed before it was sent is offered again', async () => {
  const { page, cwd } = await openSession([{ answer: 'Yes.' }]);
  const sessions = new Sessions(new Workspace(cwd));
  await sessions.keepMessage(sessions.lastTurn('walk'), 'Not sent yet.');
  expect(await view(page)).toMatchObject({ unsent: 'Not sent yet.' });
  await say(page, 'Not sent yet.');
  expect(await whenIdle(page)).toMatchObject({ unsent: null, conversation: [{ message: 'Not sent yet.' }] });
});

test('a plan that waits when the server stops is reviewed with an empty message later', async () => {
  const { cwd, page, server, model } = await openSession([
    { answer: planOf('Later', createAction('b.txt')) },
  ]);
  await say(page, 'Go.');
  await nextQuestion(page);
  const ended = new Promise((resolve) => server.process.on('exit', (code) => resolve(code)));
  server.process.kill('SIGTERM');
  expect(await ended).toBe(0);
  const again = await PageClient.open(await startServer(cwd));
  expect(await whenIdle(again)).toMatchObject({ whenEmpty: 'review' });
  expect(await again.get('/api/inbox')).toMatchObject({ questions: [] });
  expect(await say(again, '')).toMatchObject({ status: 200 });
  const { id, hash } = await nextQuestion(again);
  await again.post(`/api/questions/${id}`, { hash, decision: 'approve' });
  await whenIdle(again);
  expect(existsSync(join(cwd, 'b.txt'))).toBe(true);
  expect(model.requests).toHaveLength(1);
});

test('a project that is not trusted, an unknown session and another key are refused', async () => {
  const { page, model } = await openSession([{ answer: 'no' }], { trust: false });
  expect(await say(page, 'hello')).toMatchObject({
    status: 409,
    text: expect.stringContaining('teddy trust'),
  });
  const { hash } = await view(page);
  const refused = async (path: string, body: object) => (await page.post(path, body)).status;
  expect(await refused('/api/sessions/other/message', { hash, text: 'x' })).toBe(404);
  expect(await refused(`${CHAT}/message`, { text: 'x' })).toBe(400);
  expect(await refused(`${CHAT}/message`, { hash, text: 'x', model: 'big' })).toBe(400);
  expect(model.requests).toEqual([]);
});

test('what is typed for the next message is on disk, and gone once it is sent', async () => {
  const { page } = await openSession([{ answer: 'Yes.' }]);
  const path = '/api/questions/message:walk/draft';
  expect(await page.post(path, { text: 'half a' }, 'PUT')).toMatchObject({ status: 200 });
  expect(await page.get(path)).toEqual({ text: 'half a' });
  expect(await page.post('/api/questions/message:none/draft', { text: 'x' }, 'PUT')).toMatchObject({
    status: 409,
  });
  await say(page, 'half a message');
  expect(await page.get(path)).toEqual({ text: null });
  await whenIdle(page);
});
