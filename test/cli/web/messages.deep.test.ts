import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Inbox, InboxQuestion, SessionView } from '../../../src/faces/web/api.js';
import { Sessions } from '../../../src/sessions/turns/sessions.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';
import { type ModelStep, startModelServer } from '../../model-server.mjs';
import { createAction, planOf } from '../execute/program.js';
import { startTeddy, teddy } from '../teddy.js';
import { PageClient, type RunningServer, startServer } from './page-client.js';

const CHAT = '/api/sessions/walk';

async function openSession(script: ModelStep[], { trust = true, more = '' } = {}) {
  const model = await startModelServer(script);
  onTestFinished(() => model.close());
  const config = `model: {provider: openai-compatible, name: tiny, baseURL: "${model.url}"${more}}\n`;
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

async function nextQuestion(page: PageClient, kind?: InboxQuestion['kind']): Promise<InboxQuestion> {
  for (;;) {
    const [question] = (await page.get<Inbox>('/api/inbox')).questions;
    if (question && (kind === undefined || question.kind === kind)) return question;
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

test('a plan that waits when the server stops is in the inbox, and its review starts from there', async () => {
  const { cwd, page, server, model } = await openSession([
    { answer: planOf('Later', createAction('b.txt')) },
  ]);
  await say(page, 'Go.');
  await nextQuestion(page);
  await stopServer(server);
  expect(teddy(['inbox'], { cwd }).stdout).toContain('session:walk  Session walk  Later');
  expect(teddy(['inbox', 'session:walk'], { cwd }).stdout).toBe(
    'Session walk has a plan to review: Later\nReview it with: teddy resume walk\n',
  );
  const again = await PageClient.open(await startServer(cwd));
  expect(await whenIdle(again)).toMatchObject({ whenEmpty: 'review' });
  const waiting = await nextQuestion(again);
  expect(waiting).toMatchObject({
    kind: 'plan',
    session: 'walk',
    turn: 'walk/01',
    title: 'Later',
    subject: 'Session walk',
  });
  const start = (hash: string, given: object) =>
    again.post(`/api/questions/${waiting.id}`, { hash, ...given });
  expect(await start('0'.repeat(64), { decision: 'approve' })).toMatchObject({ status: 409 });
  expect(await start(waiting.hash, { decision: 'skip' })).toMatchObject({ status: 400 });
  const starts = await Promise.all([1, 2, 3].map(() => start(waiting.hash, { decision: 'approve' })));
  expect(starts.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const { id, hash } = await nextQuestion(again, 'action');
  expect((await again.get<Inbox>('/api/inbox')).questions).toHaveLength(1);
  await again.post(`/api/questions/${id}`, { hash, decision: 'approve' });
  await whenIdle(again);
  expect(existsSync(join(cwd, 'b.txt'))).toBe(true);
  expect(model.requests).toHaveLength(1);
  expect(await again.get('/api/inbox')).toMatchObject({ questions: [] });
});

test('what an agent asks in prose is in the inbox, and a reply there goes to the model', async () => {
  const { page, model } = await openSession([
    { answer: 'Which way?' },
    { answer: planOf('West', createAction('w.txt')) },
  ]);
  await say(page, 'Go.');
  const asked = await nextQuestion(page);
  expect(asked).toMatchObject({ kind: 'message', title: 'Which way?', asked: 'Which way?' });
  const reply = (given: object) => page.post(`/api/questions/${asked.id}`, { hash: asked.hash, ...given });
  expect(await reply({ decision: 'approve' })).toMatchObject({ status: 400 });
  expect(await reply({ decision: 'reply', text: ' ' })).toMatchObject({ status: 400 });
  expect(await reply({ decision: 'reply', text: 'West.' })).toMatchObject({ status: 200 });
  expect(await nextQuestion(page, 'action')).toMatchObject({ title: 'West' });
  expect(JSON.stringify(model.requests.at(-1))).toContain('West.');
});

test('a plan that another process received reaches an open page', async () => {
  const { cwd, page } = await openSession([{ answer: planOf('From afar', createAction('a.txt')) }]);
  const events = await page.follow();
  startTeddy(['plan', '-m', 'Go.', '--session', 'walk'], cwd);
  for (let seen = 0; ; seen++) {
    const count = () => events.received.filter((e) => e.type === 'changed' && e.what === 'inbox').length;
    await events.until(() => count() > seen);
    const { questions } = await page.get<Inbox>('/api/inbox');
    if (questions.some(({ kind }) => kind === 'plan')) break;
  }
  events.close();
});

const PRICED = { more: ', budget: 0.01, inputPrice: 1, outputPrice: 1000' };

test('a message beyond the budget becomes a question, and the model is asked once it is allowed', async () => {
  const { page, cwd, model } = await openSession(
    [{ answer: 'Which way?' }, { answer: planOf('West', createAction('w.txt')) }],
    PRICED,
  );
  expect(await say(page, 'Go.')).toMatchObject({ status: 200 });
  const asked = await nextQuestion(page);
  expect(asked).toMatchObject({
    kind: 'budget',
    session: 'walk',
    title: 'Continue beyond the budget?',
    message: expect.stringMatching(
      /^The budget of session walk is not enough: \$0\.0000 of \$0\.0100 spent, and the next question may cost up to \$/,
    ),
  });
  expect(model.requests).toEqual([]);
  expect(await view(page)).toMatchObject({ problem: null, whenEmpty: 'ask' });
  expect(teddy(['inbox', 'session:walk'], { cwd }).stdout).toContain(
    'Continue with: teddy chat --session walk',
  );
  const answer = (given: object) => page.post(`/api/questions/${asked.id}`, { hash: asked.hash, ...given });
  expect(await answer({ decision: 'reply', text: 'x' })).toMatchObject({ status: 400 });
  const answers = await Promise.all([1, 2, 3].map(() => answer({ decision: 'approve' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await nextQuestion(page, 'message')).toMatchObject({ asked: 'Which way?' });
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0])).toContain('Go.');
  // It was allowed for one question only.
  expect(await say(page, 'West.')).toMatchObject({ status: 200 });
  expect(await nextQuestion(page, 'budget')).not.toMatchObject({ hash: asked.hash });
  expect(model.requests).toHaveLength(1);
});

test('a question about the budget survives its server, and can be left', async () => {
  const { page, cwd, server, model } = await openSession([{ answer: 'Yes.' }], PRICED);
  await say(page, 'Go.');
  await nextQuestion(page);
  await stopServer(server);
  const again = await PageClient.open(await startServer(cwd));
  const { id, hash } = await nextQuestion(again, 'budget');
  expect(await again.post(`/api/questions/${id}`, { hash, decision: 'skip' })).toMatchObject({ status: 200 });
  expect(await again.get('/api/inbox')).toMatchObject({ questions: [] });
  expect(await view(again)).toMatchObject({ conversation: [{ message: 'Go.' }], whenEmpty: 'ask' });
  expect(model.requests).toEqual([]);
});

test('a terminal that nobody sits at leaves its question about the budget in the inbox', async () => {
  const { page, cwd } = await openSession([{ answer: 'Yes.' }], PRICED);
  expect(teddy(['plan', '-m', 'Go.', '--session', 'walk'], { cwd })).toMatchObject({ exit: 1 });
  expect(await nextQuestion(page)).toMatchObject({ kind: 'budget', session: 'walk' });
});

async function stopServer({ process: child }: RunningServer): Promise<void> {
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}

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
