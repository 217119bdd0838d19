import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ChangesItem, ChangesView, Inbox, InboxQuestion, RunView } from '../../../src/faces/web/api.js';
import { viewChanges } from '../../../src/faces/web/views/changesets.js';
import { type ListedWork, listWork, openWork } from '../../../src/workspace/copy/work.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { homeOf, makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';
import { oneTask } from './one-task.js';
import { PageClient, startServer } from './page-client.js';

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
});
