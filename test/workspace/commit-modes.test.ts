// What a commit keeps besides the bytes: modes, owners, groups, links. On a real file system.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { realPath } from '../../src/node/files.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { hash } from './faults/scenario.js';
import './faults/machine.js';

const isRoot = process.getuid!() === 0;
const text = (content: string) => Buffer.from(content);

let root: string;

beforeEach(() => {
  root = realPath(makeFolder({ 'a.txt': 'a\n' }))!;
});

async function commit(changes: Parameters<Workspace['commit']>[0]): Promise<void> {
  expect(await new Workspace(root).commit(changes)).toMatchObject({ status: 'committed' });
}

const edit = (path: string) => ({ path, before: hash(text('a\n')), after: text('A\n') });
const mode = (path: string) => fs.lstatSync(join(root, path)).mode & 0o7777;

describe('the umask', () => {
  const old = process.umask();
  afterEach(() => void process.umask(old));

  test.each([0o022, 0o002, 0o077, 0o000])('%o', async (umask) => {
    process.umask(umask);
    await commit([
      { path: 'new/deep/file.txt', before: null, after: text('x') },
      { path: 'new/log.txt', append: text('x'), offset: 0 },
      { path: 'new/asked.sh', before: null, after: text('x'), mode: 0o750 },
      { path: 'new/closed.txt', before: null, after: text('x'), mode: 0 },
      edit('a.txt'),
    ]);
    expect(mode('new')).toBe(0o777 & ~umask);
    expect(mode('new/deep')).toBe(0o777 & ~umask);
    expect(mode('new/deep/file.txt')).toBe(0o666 & ~umask);
    expect(mode('new/log.txt')).toBe(0o666 & ~umask);
    // What is asked for, and what was there, is not the umask's affair.
    expect(mode('new/asked.sh')).toBe(0o750);
    expect(mode('new/closed.txt')).toBe(0);
    expect(mode('a.txt')).toBe(0o644);
  });
});

test.each([0o444, 0o755, 0o600, 0o640, 0o2755])('a file of mode %o keeps it', async (kept) => {
  fs.chmodSync(join(root, 'a.txt'), kept);
  await commit([edit('a.txt')]);
  expect(mode('a.txt')).toBe(kept);
  expect(fs.readFileSync(join(root, 'a.txt'), 'utf8')).toBe('A\n');
});

test('a change of mode alone', async () => {
  await commit([{ path: 'a.txt', before: hash(text('a\n')), after: text('a\n'), mode: 0o755 }]);
  expect(mode('a.txt')).toBe(0o755);
  expect(fs.readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a\n');
});

test('what is the machine’s own is for this user’s eyes alone', async () => {
  expect(await new Workspace(root).commit([edit('a.txt')], { run: 'one' })).toMatchObject({
    status: 'committed',
  });
  for (const path of ['tx', 'runs', 'runs/one', 'runs/one/journal'])
    expect(mode(`.teddy/${path}`)).toBe(0o700);
  const journal = fs.readdirSync(join(root, '.teddy/runs/one/journal'));
  expect(journal).toHaveLength(2);
  for (const name of journal) expect(mode(`.teddy/runs/one/journal/${name}`)).toBe(0o600);
});

describe('links', () => {
  test('stay, and what they lead to is changed', async () => {
    fs.mkdirSync(join(root, 'd'));
    fs.writeFileSync(join(root, 'd/b.txt'), 'a\n');
    fs.symlinkSync('a.txt', join(root, 'link'));
    fs.symlinkSync(join(root, 'd'), join(root, 'folder'));
    await commit([
      edit('link'),
      edit('folder/b.txt'),
      { path: 'folder/c.txt', before: null, after: text('c') },
    ]);
    expect(fs.readlinkSync(join(root, 'link'))).toBe('a.txt');
    expect(fs.readlinkSync(join(root, 'folder'))).toBe(join(root, 'd'));
    expect(fs.readFileSync(join(root, 'a.txt'), 'utf8')).toBe('A\n');
    expect(fs.readFileSync(join(root, 'd/b.txt'), 'utf8')).toBe('A\n');
    expect(fs.readFileSync(join(root, 'd/c.txt'), 'utf8')).toBe('c');
  });

  test('removing through a link removes the file, not the link', async () => {
    fs.symlinkSync('a.txt', join(root, 'link'));
    await commit([{ path: 'link', before: hash(text('a\n')), after: null }]);
    expect(fs.readlinkSync(join(root, 'link'))).toBe('a.txt');
    expect(fs.existsSync(join(root, 'a.txt'))).toBe(false);
  });

  test('two paths to one file are refused', async () => {
    fs.symlinkSync('a.txt', join(root, 'link'));
    expect(await new Workspace(root).commit([edit('a.txt'), edit('link')])).toMatchObject({
      status: 'refused',
    });
  });

  test('a name that leads nowhere is refused', async () => {
    fs.symlinkSync('nowhere', join(root, 'link'));
    expect(
      await new Workspace(root).commit([{ path: 'link', before: null, after: text('x') }]),
    ).toMatchObject({ status: 'refused' });
    expect(fs.existsSync(join(root, 'nowhere'))).toBe(false);
  });
});

// Only root may give files away; other users skip these, which the report shows.
describe.runIf(isRoot)('as root', () => {
  const SOMEONE = 12_345;
  const GROUP = 23_456;
  const owner = (path: string) => {
    const { uid, gid } = fs.lstatSync(join(root, path));
    return `${uid}:${gid}`;
  };

  test('the owner stays', async () => {
    fs.chownSync(join(root, 'a.txt'), SOMEONE, GROUP);
    fs.chmodSync(join(root, 'a.txt'), 0o4755);
    fs.writeFileSync(join(root, 'log.txt'), 'a\n');
    fs.chownSync(join(root, 'log.txt'), SOMEONE, GROUP);
    await commit([edit('a.txt'), { path: 'log.txt', append: text('b\n'), offset: 2 }]);
    expect(owner('a.txt')).toBe(`${SOMEONE}:${GROUP}`);
    expect(mode('a.txt')).toBe(0o4755);
    expect(owner('log.txt')).toBe(`${SOMEONE}:${GROUP}`);
  });

  test('in a folder with the set-group-id bit, what is new is the group’s', async () => {
    fs.mkdirSync(join(root, 'shared'));
    fs.chownSync(join(root, 'shared'), 0, GROUP);
    fs.chmodSync(join(root, 'shared'), 0o2775);
    fs.writeFileSync(join(root, 'shared/b.txt'), 'a\n');
    fs.chownSync(join(root, 'shared/b.txt'), 0, 0);
    await commit([
      { path: 'shared/new.txt', before: null, after: text('x') },
      { path: 'shared/log.txt', append: text('x'), offset: 0 },
      { path: 'shared/deep/er/new.txt', before: null, after: text('x') },
      edit('shared/b.txt'),
    ]);
    for (const path of ['new.txt', 'log.txt', 'deep', 'deep/er', 'deep/er/new.txt'])
      expect(owner(`shared/${path}`), path).toBe(`0:${GROUP}`);
    expect(mode('shared/deep/er') & 0o2000).toBe(0o2000);
    expect(owner('shared/b.txt')).toBe('0:0');
  });

  test.runIf(canMount())('a folder that is another mount of the same file system', async () => {
    const elsewhere = realPath(makeFolder({ 'b.txt': 'a\n' }))!;
    fs.mkdirSync(join(root, 'mounted'));
    execFileSync('mount', ['--bind', elsewhere, join(root, 'mounted')]);
    onTestFinished(() => void execFileSync('umount', ['-l', join(root, 'mounted')]));
    await commit([
      edit('a.txt'),
      edit('mounted/b.txt'),
      { path: 'mounted/deep/new.txt', before: null, after: text('x') },
    ]);
    expect(fs.readFileSync(join(elsewhere, 'b.txt'), 'utf8')).toBe('A\n');
    expect(fs.readdirSync(elsewhere).sort()).toEqual(['b.txt', 'deep']);
    expect(fs.readdirSync(root).sort()).toEqual(['.teddy', 'a.txt', 'mounted']);
  });
});

function canMount(): boolean {
  if (!isRoot) return false;
  const folder = fs.mkdtempSync('/tmp/teddy-mount-');
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    fs.rmdirSync(folder);
  }
}
