import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import type { Run } from '../../../src/core/report/record.js';
import type {
  ActionDetail,
  ChangesItem,
  ChangesView,
  Inbox,
  InboxQuestion,
  PostedAnswer,
  RunView,
} from '../../../src/faces/web/api.js';
import { viewChanges } from '../../../src/faces/web/views/changesets.js';
import type { FileQuestion } from '../../../src/review/question.js';
import { type ListedWork, listWork, openWork } from '../../../src/workspace/copy/work.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { homeOf, makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { oneTask } from './one-task.js';
import { PageClient, startServer } from './page-client.js';

const confinable = await checkConfinement({ root: process.cwd(), environment: process.env });

/** A project with work of an agent that ran this script in its copy. */
function makeWork(script: string): string {
  const cwd = makeFolder({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  execFileSync('git', ['init', '-q'], { cwd });
  expect(teddy(['wrap', '--unconfined', '--', 'sh', '-c', script], { cwd }).exit).toBe(0);
  return cwd;
}

async function openClient(cwd: string): Promise<PageClient> {
  return PageClient.open(await startServer(cwd));
}

async function nextQuestion(page: PageClient, number: number): Promise<InboxQuestion & { run: string }> {
  for (;;) {
    const { questions } = await page.get<Inbox>('/api/inbox');
    const found = questions.find((one) => 'number' in one && one.number === number);
    if (found && 'run' in found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('work that waits is listed and shown, with secrets masked, and stays as it is', async () => {
  const token = `ghp_${'0123456789abcdefghijABCDEFGHIJ012345'}`;
  const cwd = makeWork(`echo A > a.txt; rm b.txt; echo token=${token} > c.txt`);
  const page = await openClient(cwd);
  const [item] = await page.get<ChangesItem[]>('/api/changes');
  expect(item).toMatchObject({ title: 'Changes by sh', status: 'pending' });
  expect(item!.command).not.toContain(token);
  const record = () => readFileSync(join(cwd, '.teddy/changes', item!.id, 'work.json'), 'utf8');
  const before = record();
  const view = await page.get<ChangesView>(`/api/changes/${item!.id}`);
  expect(view).toMatchObject({ status: 'pending', run: null, problem: null });
  expect(view.files.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'EDIT a.txt',
    'DELETE b.txt',
    'CREATE c.txt',
  ]);
  expect(view.files[0]!.texts).toEqual({ before: 'a\n', after: 'A\n' });
  expect(view.files[1]!.risks.map(({ kind }) => kind)).toEqual(['deletes']);
  expect(JSON.stringify(view)).not.toContain(token);
  expect(record()).toBe(before);
  await expect(page.get('/api/changes/20260102-030405-none')).rejects.toThrow('404');
});

test('who looks at work keeps nobody from it, and several see the same', async () => {
  const cwd = realpathSync(makeWork('echo A > a.txt'));
  vi.stubEnv('HOME', homeOf(cwd));
  vi.stubEnv('XDG_STATE_HOME', undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const workspace = new Workspace(cwd);
  const statuses = () => listWork(workspace).map(({ status }) => status);
  const [{ record }] = listWork(workspace) as [ListedWork];
  const looks = Array.from({ length: 4 }, () => viewChanges(workspace, record.id, undefined));
  expect(statuses()).toEqual(['pending']);
  const opened = await openWork(workspace, record.id);
  expect(opened.status).toBe('ok');
  for (const look of await Promise.all(looks))
    expect(look).toMatchObject({ status: 'pending', problem: null, files: [{ path: 'a.txt' }] });
  expect(readdirSync(join(cwd, '.teddy/changes', record.id)).sort()).toEqual(
    expect.not.arrayContaining([expect.stringMatching(/^look-/)]),
  );
  if (opened.status === 'ok') opened.work.close();
});

test('the work of a task: other files than those that it names are a risk', async () => {
  const cwd = makeFolder({ 'a.txt': 'a\n', '.planning/01-01-PLAN.md': oneTask('true') });
  execFileSync('git', ['init', '-q'], { cwd });
  const words = ['wrap', '--unconfined', '--', 'sh', '-c', 'echo A > a.txt'];
  expect(teddy(words, { cwd, env: { TEDDY_TASK_ID: '01-01:1' } }).exit).toBe(0);
  const page = await openClient(cwd);
  const [{ id }] = (await page.get<ChangesItem[]>('/api/changes')) as [ChangesItem];
  const { files } = await page.get<ChangesView>(`/api/changes/${id}`);
  expect(files[0]!.risks).toContainEqual({
    kind: 'outside-task',
    message: 'is not among the files of the task',
  });
  const landed = teddy(['changes', 'review', '--yes', '--json', '--no-copy'], { cwd });
  expect((JSON.parse(landed.stdout) as { task?: string }).task).toBe('01-01:1');
});

const NUMBERS = Array.from({ length: 40 }, (_, at) => `${at + 1}\n`).join('');

/** Changes to two distant lines of long.txt, and to b.txt. */
function makeLongWork(words: string[] = []): string {
  const cwd = makeFolder({ 'b.txt': 'b\n', 'long.txt': NUMBERS });
  execFileSync('git', ['init', '-q'], { cwd });
  const script = "sed -i 's/^3$/three/; s/^38$/last/' long.txt; echo B > b.txt";
  expect(teddy(['wrap', '--unconfined', ...words, '--', 'sh', '-c', script], { cwd }).exit).toBe(0);
  return cwd;
}

/** Starts the review of the only work that waits. */
async function startReview(page: PageClient) {
  const { questions } = await page.get<Inbox>('/api/inbox');
  const [question] = questions as [InboxQuestion];
  return { question, reply: await reply(page, question, { decision: 'approve' }) };
}

function reply(page: PageClient, { id, hash }: InboxQuestion, answer: Omit<PostedAnswer, 'hash'>) {
  return page.post(`/api/questions/${id}`, { hash, ...answer });
}

/** Keeps b.txt and the first change of long.txt, and drops the second for a reason. */
async function keepOneChange(page: PageClient): Promise<string> {
  const first = await nextQuestion(page, 1);
  expect(first).toMatchObject({ kind: 'file', subject: 'EDIT b.txt', total: 2 });
  expect((await reply(page, first, { decision: 'approve' })).status).toBe(200);
  const second = await nextQuestion(page, 2);
  const { question } = await page.get<ActionDetail>(`/api/runs/${second.run}/actions/2`);
  const [kept, dropped] = (question as FileQuestion).parts.map(({ id }) => id) as [string, string];
  const choice = { keep: [kept], dropReasons: { [dropped]: '38 is fine' } };
  expect((await reply(page, second, { decision: 'approve', ...choice })).status).toBe(200);
  await vi.waitUntil(async () => (await page.get<RunView>(`/api/runs/${second.run}`)).status === 'ended', {
    timeout: 60_000,
  });
  return second.run;
}

function runsOf(cwd: string): string[] {
  return readdirSync(join(cwd, '.teddy/runs')).filter((name) => name !== '.gitignore');
}

function readRun(cwd: string): Run {
  const [id] = runsOf(cwd) as [string];
  return JSON.parse(readFileSync(join(cwd, '.teddy/runs', id, 'run.json'), 'utf8')) as Run;
}

/** What differs from one review to the next. */
function withoutTimes({ actions, kind, plan, overall }: Run) {
  return { kind, overall, title: plan.title, actions };
}

describe('started from the inbox', () => {
  test('the changes wait in the inbox of every face, until they are decided on', async () => {
    const cwd = makeLongWork();
    const page = await openClient(cwd);
    const { question, reply: started } = await startReview(page);
    const [{ id }] = (await page.get<ChangesItem[]>('/api/changes')) as [ChangesItem];
    expect(question).toMatchObject({
      id: `changes:${id}`,
      kind: 'changes',
      title: 'Changes by sh',
      work: id,
    });
    expect(question.subject).toMatch(/^sh -c sed /);
    expect(started.status).toBe(200);
    const run = await keepOneChange(page);
    expect(readFileSync(join(cwd, 'long.txt'), 'utf8')).toBe(NUMBERS.replace('\n3\n', '\nthree\n'));
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('B\n');
    expect(readRun(cwd)).toMatchObject({ id: run, kind: 'changeset', overall: 'Completed' });
    expect(readFileSync(join(cwd, '.teddy/runs', run, 'report.md'), 'utf8')).toContain('38 is fine');
    expect((await page.get<Inbox>('/api/inbox')).questions).toEqual([]);
    expect(await page.get('/api/changes')).toMatchObject([{ id, status: 'pending', reviewed: true }]);
    expect(teddy(['undo'], { cwd }).exit).toBe(0);
    expect(readFileSync(join(cwd, 'long.txt'), 'utf8')).toBe(NUMBERS);
  });

  test('an answer to what has changed is refused, and so is one that starts no review', async () => {
    const cwd = makeWork('echo A > a.txt');
    const page = await openClient(cwd);
    const [question] = (await page.get<Inbox>('/api/inbox')).questions as [InboxQuestion];
    expect(await reply(page, question, { decision: 'skip' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('Answer with approve (start the review).'),
    });
    expect((await reply(page, { ...question, hash: 'h' }, { decision: 'approve' })).status).toBe(409);
    expect(existsSync(join(cwd, '.teddy/runs'))).toBe(false);
    expect((await page.get<Inbox>('/api/inbox')).questions).toEqual([question]);
  });

  test('a server that stops leaves the changes for the next review, with what was decided', async () => {
    const cwd = makeLongWork();
    const page = await openClient(cwd);
    expect((await startReview(page)).reply.status).toBe(200);
    const first = await nextQuestion(page, 1);
    await reply(page, first, { decision: 'approve' });
    await nextQuestion(page, 2);
    page.server.process.kill('SIGTERM');
    await once(page.server.process, 'exit');
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('b\n');
    const again = await openClient(cwd);
    expect((await startReview(again)).reply.status).toBe(200);
    expect(await nextQuestion(again, 2)).toMatchObject({ subject: 'EDIT long.txt' });
  });

  test('without a terminal, teddy inbox names the page', () => {
    const cwd = makeWork('echo A > a.txt');
    const listed = teddy(['inbox'], { cwd });
    expect(listed.stdout).toMatch(/^changes:\S+ +sh -c echo A > a\.txt +Changes by sh\n/);
    const [id] = listed.stdout.split(' ') as [string];
    const refused = { exit: 2, stderr: 'teddy: There is no terminal to answer at. Use teddy web.\n' };
    expect(teddy(['inbox', id], { cwd })).toMatchObject(refused);
  });

  test.skipIf(!confinable.available)('what the verify command does not pass does not land', async () => {
    const cwd = makeLongWork(['--verify', 'grep -q last long.txt']);
    const page = await openClient(cwd);
    expect((await startReview(page)).reply.status).toBe(200);
    await keepOneChange(page);
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('b\n');
    expect(readRun(cwd).actions.at(-1)).toMatchObject({
      type: 'EXECUTE',
      outcome: { status: 'failure' },
      verification: { command: 'grep -q last long.txt', confined: true },
    });
    const { questions } = await page.get<Inbox>('/api/inbox');
    expect(questions.map(({ kind }) => kind)).toEqual(['changes']);
  });
});

describe.skipIf(noPython !== '')(`in review${noPython}`, () => {
  const review = (cwd: string) =>
    new TestTerminal([process.execPath, TEDDY, 'changes', 'review', '--no-copy'], { cwd });

  test('the work leads to its run, which has all files before they are asked about', async () => {
    const cwd = makeWork('echo A > a.txt; echo c > c.txt; echo d > d.txt');
    const page = await openClient(cwd);
    const [{ id }] = (await page.get<ChangesItem[]>('/api/changes')) as [ChangesItem];
    const terminal = review(cwd);
    const { run, ...first } = await nextQuestion(page, 1);
    expect(await page.get<ChangesView>(`/api/changes/${id}`)).toMatchObject({ status: 'in-review', run });
    const statuses = async () =>
      (await page.get<RunView>(`/api/runs/${run}`)).actions.map((one) => one.status);
    expect(await statuses()).toEqual(['asked', 'planned', 'planned']);
    expect(await page.get(`/api/runs/${run}/actions/3`)).toMatchObject({
      open: null,
      question: { path: 'd.txt', texts: { before: null, after: 'd\n' } },
    });
    const answer = (question: InboxQuestion, decision: string) =>
      page.post(`/api/questions/${question.id}`, { hash: question.hash, decision });
    expect((await answer({ ...first, run } as InboxQuestion, 'approve')).status).toBe(200);
    const second = await nextQuestion(page, 2);
    expect(await statuses()).toEqual(['approved', 'asked', 'planned']);
    expect((await answer(second, 'rest')).status).toBe(200);
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(await statuses()).toEqual(['success', 'success', 'success']);
    expect(readFileSync(join(cwd, 'd.txt'), 'utf8')).toBe('d\n');
    expect(await page.get('/api/changes')).toEqual([]);
  });

  test('an overview that teddy did not write is not shown', async () => {
    const cwd = makeWork('echo A > a.txt; echo c > c.txt');
    const page = await openClient(cwd);
    const terminal = review(cwd);
    const { run } = await nextQuestion(page, 1);
    const file = join(cwd, '.teddy/runs', run, 'journal/questions/overview.json');
    const forged = readFileSync(file, 'utf8').replaceAll('c.txt', 'x.txt');
    execFileSync('sh', ['-c', `cat > ${file}`], { input: forged });
    const other = await openClient(cwd);
    expect(await other.get(`/api/runs/${run}/actions/2`)).toMatchObject({ question: null });
    terminal.signal('KILL');
    await terminal.ended;
  });

  test('a review on the page leaves what a review in a terminal leaves', async () => {
    const [byPage, byTerminal] = [makeLongWork(), makeLongWork()];
    const page = await openClient(byPage);
    expect((await startReview(page)).reply.status).toBe(200);
    await keepOneChange(page);
    const terminal = review(byTerminal);
    await terminal.shows(/1 of 2 [\s\S]*q quit/);
    terminal.send('y');
    await terminal.shows(/2 of 2 [\s\S]*q quit/);
    terminal.send('h');
    await terminal.shows(/Change 1 of 2[\s\S]*n drop/);
    terminal.send('y');
    await terminal.shows(/Change 2 of 2[\s\S]*n drop/);
    terminal.send('n');
    await terminal.shows('Why drop it?');
    terminal.send('38 is fine\r');
    await terminal.shows(/Kept: 1 of 2 changes[\s\S]*y keep this/);
    terminal.send('y');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    for (const path of ['b.txt', 'long.txt'])
      expect(readFileSync(join(byPage, path))).toEqual(readFileSync(join(byTerminal, path)));
    expect(withoutTimes(readRun(byPage))).toEqual(withoutTimes(readRun(byTerminal)));
  });

  test('another process that reviews the changes is named, and nothing starts', async () => {
    const cwd = makeWork('echo A > a.txt');
    const page = await openClient(cwd);
    const [question] = (await page.get<Inbox>('/api/inbox')).questions as [InboxQuestion];
    const terminal = review(cwd);
    const { run, ...asked } = await nextQuestion(page, 1);
    const work = question.id.slice('changes:'.length);
    const named = `${work} is being reviewed already, as run ${run}. Its questions are in the inbox.`;
    expect(await reply(page, question, { decision: 'approve' })).toMatchObject({
      status: 409,
      text: JSON.stringify({ error: named }),
    });
    for (const words of [
      ['inbox', work],
      ['changes', 'review', '--yes'],
    ])
      expect(teddy(words, { cwd })).toMatchObject({ exit: 2, stderr: `teddy: ${named}\n` });
    expect(runsOf(cwd)).toEqual([run]);
    await reply(page, asked as InboxQuestion, { decision: 'approve' });
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('A\n');
  });

  test('teddy inbox reviews them as teddy changes review does', async () => {
    const cwd = makeWork('echo A > a.txt');
    const [{ id }] = JSON.parse(teddy(['inbox', '--json'], { cwd }).stdout) as [{ id: string }];
    const terminal = new TestTerminal([process.execPath, TEDDY, 'inbox', id.slice(-4)], { cwd });
    await terminal.shows(/1 of 1 {2}EDIT [\s\S]*q quit/);
    terminal.send('y');
    await terminal.shows('Landed: 1 file.');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('A\n');
    expect(teddy(['inbox'], { cwd }).stdout).toBe('Nothing is waiting for you.\n');
  });
});
