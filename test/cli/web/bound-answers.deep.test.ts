import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type AnswerRecord, keepAnswer, listRecords } from '../../../src/agents/records.js';
import { loadProject } from '../../../src/config/project.js';
import type { Inbox, InboxQuestion, RunItem, UndoPreview } from '../../../src/faces/web/api.js';
import { answerInbox, type InboxProject, listInbox } from '../../../src/inbox/inbox.js';
import { UserError } from '../../../src/node/errors.js';
import { browserOpener } from '../../../src/node/terminal/browser.js';
import { RestApproval } from '../../../src/review/compose.js';
import { openTree } from '../../../src/workspace/tree.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { homeOf, makeFolder } from '../../folder.js';
import { createAction, executeAction, planOf } from '../execute/program.js';
import { startTeddy, teddy } from '../teddy.js';
import { oneTask } from './one-task.js';
import { PageClient, send, startServer } from './page-client.js';

function readTree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

async function openWithRun() {
  const cwd = makeFolder({ 'plan.md': planOf('Once', createAction('a.txt')), '.git/HEAD': '' });
  expect(teddy(['execute', 'plan.md', '--yes', '--no-copy'], { cwd })).toMatchObject({ exit: 0 });
  const page = await PageClient.open(await startServer(cwd));
  const [run] = await page.get<RunItem[]>('/api/runs');
  return { cwd, page, path: `/api/runs/${run!.id}/undo` };
}

test('undo does what its preview showed, or nothing', async () => {
  const { cwd, page, path } = await openWithRun();
  const shown = await page.get<UndoPreview>(path);
  expect(shown).toMatchObject({ canUndo: true, restores: ['Deletes a.txt.'] });
  writeFileSync(join(cwd, 'a.txt'), 'mine now\n');
  expect(await page.post(path, {})).toMatchObject({ status: 400 });
  expect(await page.post(path, { hash: shown.hash })).toMatchObject({ status: 409 });
  const next = await page.get<UndoPreview>(path);
  expect(next).toMatchObject({ canUndo: false, restores: [] });
  expect(next.hash).not.toBe(shown.hash);
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('mine now\n');
  expect(await page.get('/api/runs')).toMatchObject([{ undone: false }]);
});

test('the preview of an undo takes no lock, and changes nothing', async () => {
  const { cwd, page, path } = await openWithRun();
  const workspace = new Workspace(cwd);
  const before = readTree(cwd);
  const locks = readdirSync(join(cwd, '.teddy')).filter((name) => name.includes('lock'));
  const held = locks.flatMap((name) => workspace.hold(`.teddy/${name}`) ?? []);
  expect(held).not.toEqual([]);
  try {
    expect(await page.get<UndoPreview>(path)).toMatchObject({ canUndo: true });
  } finally {
    for (const lock of held) lock.release();
  }
  expect(readTree(cwd)).toEqual(before);
});

const ANSWER: AnswerRecord = {
  task_id: 'T1',
  agent: 'reviewer',
  at: '2026-01-02T03:04:05Z',
  sha256: 'a'.repeat(64),
  compliant: true,
  route: 'human-review',
  confidence: 0.2,
  issues: [],
};

function inboxOf(root: string): InboxProject {
  const requireTrusted = () => Promise.reject(new UserError('not trusted'));
  return { workspace: new Workspace(root), tree: openTree(root), config: undefined, requireTrusted };
}

test('of two answers to one agent report, the first is recorded and the second is told', async () => {
  const root = makeFolder({ '.git/HEAD': '' });
  const projects = [inboxOf(root), inboxOf(root), inboxOf(root)];
  await keepAnswer(projects[0]!.workspace, ANSWER, 'text');
  const [question] = listInbox(projects[0]!);
  const decisions = ['approve', 'skip', 'approve'] as const;
  const ends = await Promise.all(
    projects.map((project, at) =>
      answerInbox(project, question!.id, { hash: question!.hash, decision: decisions[at]! }, 'page'),
    ),
  );
  expect(ends.map(({ status }) => status).sort()).toEqual(['accepted', 'answered', 'answered']);
  expect(listRecords(projects[0]!.workspace)[0]!.decisions).toHaveLength(1);
});

test('ids with slashes, dots and no end are not found, and nothing breaks', async () => {
  const { page } = await openWithRun();
  for (const id of ['a%2Fb', '..%2F..%2Fx', '%2e%2e%2fx', '%00', 'a%5Cb', '%E0%A4%A', `${'x'.repeat(5000)}`])
    for (const path of [
      `/api/runs/${id}`,
      `/api/runs/${id}/undo`,
      `/api/runs/${id}/actions/1`,
      `/api/sessions/${id}`,
      `/api/questions/${id}/draft`,
    ]) {
      const { status, text } = await send(page.server, path, { headers: page.headers });
      expect([path.slice(0, 60), status < 500 ? 'answered' : text]).toEqual([path.slice(0, 60), 'answered']);
    }
  for (const [path, body] of [
    ['/api/runs/a%2Fb/undo', { hash: 'x' }],
    ['/api/runs/a%2Fb/stop', {}],
    ['/api/questions/a%2Fb', { hash: 'x', decision: 'approve' }],
    ['/api/sessions/a%2Fb/message', { hash: 'x', text: 'hello' }],
  ] as const) {
    const { status } = await page.post(path, body);
    expect([path, status >= 400 && status < 500]).toEqual([path, true]);
  }
});

test('HEAD opens no stream of events: any number of them leaves room for a page', async () => {
  const page = await PageClient.open(await startServer());
  for (let count = 0; count < 40; count++)
    expect(await send(page.server, '/api/events', { method: 'HEAD', headers: page.headers })).toMatchObject({
      status: 405,
    });
  const events = await page.follow();
  events.close();
});

test('the port in the config of a project counts once it is trusted', async () => {
  const free = await startServer();
  const port = free.port;
  free.process.kill('SIGTERM');
  await new Promise((resolve) => free.process.on('exit', resolve));
  const cwd = makeFolder({ '.teddy/config.yaml': `web: {port: ${port}}\n`, '.git/HEAD': '' });
  const before = await startServer(cwd);
  expect(before.port).not.toBe(port);
  teddy(['trust', '--yes'], { cwd });
  expect((await startServer(cwd)).port).toBe(port);
});

test('approving the rest does not count where another face answered first', () => {
  const rest = new RestApproval();
  const question = { kind: 'state', section: 'Memos', changes: '+ a\n', hash: 'h1' } as const;
  const lost = new AbortController();
  rest.set(true, lost.signal);
  expect(rest.resolve(question)).toMatchObject({ decision: 'approve', by: 'rest' });
  lost.abort();
  expect(rest.resolve(question)).toBeUndefined();
});

test('on macOS the link is not among the words of a process', () => {
  const url = 'http://127.0.0.1:4711/#c=SECRET';
  const opener = browserOpener(url, { system: 'darwin', variable: () => undefined });
  expect(opener).toEqual({ program: 'osascript', words: ['-'], input: `open location "${url}"\n` });
});

test('a line of live output above 256 KB is sent, and so is what follows it', async () => {
  const cwd = makeFolder({
    'plan.md': planOf('Long', executeAction('echo before; sleep 600')),
    '.git/HEAD': '',
  });
  const page = await PageClient.open(await startServer(cwd));
  const events = await page.follow();
  const run = startTeddy(['execute', 'plan.md', '--yes', '--no-copy'], cwd);
  const live = await until(() => findLive(cwd));
  const line = JSON.stringify({ number: 1, stream: 'stdout', text: 'y'.repeat(700_000) });
  appendFileSync(live, `${line}\n${JSON.stringify({ number: 1, stream: 'stdout', text: 'the end' })}\n`);
  await events.until((event) => event.type === 'output' && event.text.includes('the end'));
  const sent = events.received.flatMap((event) => (event.type === 'output' ? event.text : [])).join('');
  expect(sent.split('y').length - 1).toBe(700_000);
  events.close();
  run.kill('SIGTERM');
  await new Promise((resolve) => run.on('exit', resolve));
});

function findLive(cwd: string): string | undefined {
  const runs = join(cwd, '.teddy/runs');
  if (!existsSync(runs)) return undefined;
  return readTree(runs)
    .map((name) => join(runs, name))
    .find((path) => path.endsWith('live.jsonl'));
}

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('a new question about a task reaches an open page', async () => {
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': oneTask('sleep 1; true'),
    '.teddy/config.yaml': `executors: {idle: {command: "cat"}}\n`,
  });
  teddy(['trust', '--yes'], { cwd });
  const page = await PageClient.open(await startServer(cwd));
  const events = await page.follow();
  const words = ['orchestrate', '--yes', '--executor', 'idle', '--max-attempts', '1', '--isolation', 'none'];
  startTeddy(words, cwd);
  for (let seen = 0; ; seen++) {
    const isInbox = () => events.received.filter((e) => e.type === 'changed' && e.what === 'inbox').length;
    await events.until(() => isInbox() > seen);
    const { questions } = await page.get<Inbox>('/api/inbox');
    if (questions.some(({ kind }) => kind === 'task')) break;
  }
  events.close();
});

test('of two answers to one question about a task, one is recorded', async () => {
  const cwd = makeFolder({
    '.planning/01-01-PLAN.md': oneTask('sleep 1; true'),
    '.teddy/config.yaml': `executors: {idle: {command: "cat"}}\n`,
  });
  teddy(['trust', '--yes'], { cwd });
  const words = ['orchestrate', '--yes', '--executor', 'idle', '--max-attempts', '1', '--isolation', 'none'];
  expect(teddy(words, { cwd })).toMatchObject({ exit: 1 });
  // The records of orchestrate have the seal of the user whose home this is.
  vi.stubEnv('HOME', homeOf(cwd));
  vi.stubEnv('XDG_STATE_HOME', undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const loaded = await loadProject(cwd);
  if (loaded.status !== 'loaded') throw new Error('the config cannot be read');
  // Each has found the question open before any of them answers it.
  let waiting = 0;
  const texts = ['skip', 'retry', 'done', 'abort', 'skip'];
  const requireTrusted = async () => {
    waiting++;
    while (waiting < texts.length) await new Promise((resolve) => setTimeout(resolve, 5));
    return loaded;
  };
  const open = () => ({ ...inboxOf(cwd), config: loaded.config, requireTrusted });
  const [{ id, hash }] = listInbox(open()) as [InboxQuestion];
  const ends = await Promise.allSettled(
    texts.map((text) => answerInbox(open(), id, { hash, decision: 'reply', text }, 'page')),
  );
  const accepted = ends.filter((end) => end.status === 'fulfilled' && end.value.status === 'accepted');
  expect(accepted).toHaveLength(1);
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(UserError);
});
