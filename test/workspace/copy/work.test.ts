import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskUsage } from '../../../src/node/files.js';
import { dropWork, listWork, openWork, startWork, type Work } from '../../../src/workspace/copy/work.js';
import { openTree } from '../../../src/workspace/tree.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { listContent, makeFolder } from '../../folder.js';

function makeProject(files: Record<string, string> = { 'a.txt': 'a\n' }): Workspace {
  const root = realpathSync(makeFolder(files));
  execFileSync('git', ['init', '-q'], { cwd: root });
  return new Workspace(root);
}

async function start(workspace: Workspace): Promise<Work> {
  const started = await startWork(workspace, { command: ['claude', '-p', 'do'], agent: 'claude' });
  if (started.status !== 'ok') throw new Error(started.reason);
  return started.work;
}

function statuses(workspace: Workspace): string[] {
  return listWork(workspace).map(({ record, status }) => `${record.id} ${status}`);
}

test('a work runs, is interrupted or pending, is opened by one process at a time, and is dropped', async () => {
  const workspace = makeProject();
  const work = await start(workspace);
  expect(readFileSync(join(work.copy.copy, 'a.txt'), 'utf8')).toBe('a\n');
  expect(statSync(work.copy.folder).mode & 0o777).toBe(0o700);
  expect(statuses(workspace)).toEqual([`${work.id} running`]);
  expect(await openWork(workspace, work.id)).toEqual({ status: 'busy' });
  work.close();
  expect(statuses(workspace)).toEqual([`${work.id} interrupted`]);

  const opened = await openWork(workspace, work.id);
  if (opened.status !== 'ok') throw new Error(opened.status);
  expect(opened.work.copy).toEqual(work.copy);
  opened.work.update({ end: { exitCode: 3, at: '2026-01-26T10:30:45Z' } });
  expect(statuses(workspace)).toEqual([`${work.id} in-review`]);
  opened.work.close();
  const [listed] = listWork(workspace);
  expect(listed).toMatchObject({
    status: 'pending',
    record: { agent: 'claude', command: ['claude', '-p', 'do'], end: { exitCode: 3 } },
  });
  expect(diskUsage(listed!.folder)).toBeGreaterThan(4096);

  const again = await openWork(workspace, work.id);
  expect(again.status === 'ok' && dropWork(again.work)).toBeUndefined();
  expect(statuses(workspace)).toEqual([]);
  expect(await openWork(workspace, work.id)).toEqual({ status: 'unknown' });
  expect(listContent(join(workspace.root, '.teddy/changes'))).toEqual(['lock']);
});

test('a copy does not have the works of the project, nor does git or a plan see them', async () => {
  const workspace = makeProject();
  const first = await start(workspace);
  const second = await start(workspace);
  expect(existsSync(join(second.copy.copy, '.teddy/changes'))).toBe(false);
  const status = execFileSync('git', ['status', '--porcelain', '-uall'], {
    cwd: workspace.root,
    encoding: 'utf8',
  });
  expect(status).not.toContain('changes');
  const tree = openTree(workspace.root);
  expect(tree.text('a.txt')).toMatchObject({ text: 'a\n' });
  expect(tree.text(`.teddy/changes/${first.id}/copy/a.txt`)).toMatchObject({
    reason: 'is in a protected folder',
  });
  expect(second.id > first.id).toBe(true);
  first.close();
  second.close();
});

test('only what this user made in this project counts', async () => {
  const workspace = makeProject();
  const work = await start(workspace);
  work.close();
  const changes = join(workspace.root, '.teddy/changes');
  // Under another id, in another project, and with another command.
  cpSync(join(changes, work.id), join(changes, '20260101-000000-aaaa'), { recursive: true });
  const elsewhere = makeProject();
  mkdirSync(join(elsewhere.root, '.teddy/changes'), { recursive: true, mode: 0o700 });
  cpSync(join(changes, work.id), join(elsewhere.root, '.teddy/changes', work.id), { recursive: true });
  expect(statuses(workspace)).toEqual([`${work.id} interrupted`]);
  expect(statuses(elsewhere)).toEqual([]);
  expect(await openWork(elsewhere, work.id)).toEqual({ status: 'unknown' });
  const record = join(changes, work.id, 'work.json');
  writeFileSync(record, readFileSync(record, 'utf8').replace('"do"', '"harm"'));
  expect(statuses(workspace)).toEqual([]);
  expect(await openWork(workspace, work.id)).toEqual({ status: 'unknown' });
  expect(await openWork(workspace, '../../x')).toEqual({ status: 'unknown' });
});

test('in a project that was moved it is listed, and opened once the project is back', async () => {
  const workspace = makeProject();
  const work = await start(workspace);
  work.close();
  const moved = new Workspace(join(realpathSync(makeFolder()), 'moved'));
  renameSync(workspace.root, moved.root);
  expect(statuses(moved)).toEqual([`${work.id} interrupted`]);
  const opened = await openWork(moved, work.id);
  expect(opened.status === 'failed' && opened.reason).toContain(`at ${workspace.root}.`);
  renameSync(moved.root, workspace.root);
  expect((await openWork(workspace, work.id)).status).toBe('ok');
});

test('what processes left that died while they made or dropped a copy is removed by the next start', async () => {
  const workspace = makeProject();
  const living = await start(workspace);
  const changes = join(workspace.root, '.teddy/changes');
  for (const name of ['new-dead', 'old-20260101-000000-aaaa-x']) {
    mkdirSync(join(changes, name, 'copy'), { recursive: true });
    writeFileSync(join(changes, name, 'lock'), '');
  }
  const next = await start(workspace);
  expect(readdirSync(changes).sort()).toEqual(['.gitignore', living.id, next.id, 'lock'].sort());
  living.close();
  next.close();
});

test('a project that cannot be copied has no work', async () => {
  const workspace = makeProject();
  const path = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    const started = await startWork(workspace, { command: ['true'] });
    expect(started.status).toBe('failed');
  } finally {
    process.env.PATH = path;
  }
  expect(listWork(workspace)).toEqual([]);
  expect(listContent(join(workspace.root, '.teddy/changes'))).toEqual(['lock']);
});

test('works that start at the same moment get ids of their own', async () => {
  const workspace = makeProject();
  const works = await Promise.all([start(workspace), start(workspace), start(workspace)]);
  expect(new Set(works.map(({ id }) => id)).size).toBe(3);
  expect(listWork(workspace)).toHaveLength(3);
  for (const work of works) work.close();
  expect(spawnSync('git', ['fsck'], { cwd: workspace.root }).status).toBe(0);
});
