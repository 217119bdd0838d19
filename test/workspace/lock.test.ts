import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { realPath } from '../../src/node/files.js';
import { Folder } from '../../src/node/folder.js';
import { acquireLock, tryAcquire } from '../../src/workspace/lock.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

const PROGRAM = join('node_modules', '.cache', 'teddy-stress', `lock-holder-${process.pid}.mjs`);

const state = mkdtempSync(join(tmpdir(), 'teddy-state-'));
process.env.XDG_STATE_HOME = state;
afterAll(() => {
  for (const path of [state, PROGRAM]) rmSync(path, { recursive: true, force: true });
});

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'stress', 'lock-holder.ts')],
    outfile: PROGRAM,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
});

function makeRoot(): string {
  const root = realPath(makeFolder())!;
  mkdirSync(join(root, '.teddy/tx'), { recursive: true });
  return root;
}

interface Other {
  process: ChildProcess;
  /** The next word that it says. */
  hear(): Promise<string>;
  tell(): void;
  ended: Promise<{ code: number | null; signal: string | null }>;
}

/** Another process that does something with the lock. */
function start(deed: string, root: string, argument = ''): Other {
  const child = spawn(process.execPath, [PROGRAM, deed, root, argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    process: child,
    hear: async () => (await lines.next()).value ?? 'nothing',
    tell: () => void child.stdin.write('go\n'),
    ended: new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    }),
  };
}

/** Whether anybody holds the lock right now. */
function isHeld(root: string): boolean {
  const folder = Folder.open(join(root, '.teddy'));
  try {
    const lock = tryAcquire(folder, 'lock');
    lock?.release();
    return lock === undefined;
  } finally {
    folder.close();
  }
}

const change = (path: string) => ({ path, before: null, after: new TextEncoder().encode(path) });

test('processes take turns: never two at once, and none is left out', async () => {
  const root = makeRoot();
  writeFileSync(join(root, 'inside'), '0');
  const others = Array.from({ length: 4 }, () => start('turns', root, '30'));
  for (const { ended } of others) expect(await ended).toEqual({ code: 0, signal: null });
  const notes = readFileSync(join(root, 'notes'), 'utf8').trimEnd().split('\n');
  expect(notes).toHaveLength(4 * 30 * 2);
  for (let i = 0; i < notes.length; i += 2) {
    const [who, what] = notes[i]!.split(' ');
    expect([what, notes[i + 1]]).toEqual(['in', `${who} out`]);
  }
  expect(readFileSync(join(root, 'inside'), 'utf8')).toBe('120');
});

test('two workspaces in one process take turns, too', async () => {
  const root = makeRoot();
  const folder = Folder.open(join(root, '.teddy'));
  const lock = await acquireLock(folder, 'lock', 0);
  expect(tryAcquire(folder, 'lock')).toBeUndefined();
  expect(await new Workspace(root, root, 20).commit([change('a')])).toEqual({ status: 'locked' });
  const waiting = new Workspace(root).commit([change('a')]);
  lock!.release();
  expect((await waiting).status).toBe('committed');
  folder.close();
});

test('a holder that is stopped is not robbed', async () => {
  const root = makeRoot();
  const holder = start('hold', root);
  expect(await holder.hear()).toBe('held');
  holder.process.kill('SIGSTOP');
  expect(await new Workspace(root, root, 400).commit([change('a')])).toEqual({ status: 'locked' });
  expect(await new Workspace(root, root, 50).recover()).toEqual({ status: 'locked' });
  expect(existsSync(join(root, 'a'))).toBe(false);
  holder.process.kill('SIGCONT');
  expect(isHeld(root)).toBe(true);
  holder.tell();
  expect(await holder.hear()).toBe('released');
  expect((await new Workspace(root).commit([change('a')])).status).toBe('committed');
});

test('a commit that is stopped halfway is left alone, and goes on', async () => {
  const root = makeRoot();
  const holder = start('stop-inside', root);
  expect(await holder.hear()).toBe('stopping');
  expect(await new Workspace(root, root, 400).commit([change('a')])).toEqual({ status: 'locked' });
  expect(readdirSync(join(root, '.teddy/tx')).some((name) => name.endsWith('.log'))).toBe(true);
  const waiting = new Workspace(root).commit([change('b')]);
  holder.process.kill('SIGCONT');
  expect(await holder.hear()).toBe('committed');
  expect((await waiting).status).toBe('committed');
  expect(readFileSync(join(root, 'slow.txt'), 'utf8')).toBe('stopped and went on');
  expect(readdirSync(join(root, '.teddy/tx'))).toEqual(['.gitignore']);
});

test('the lock of a holder that is killed is free, and its file stays', async () => {
  const root = makeRoot();
  const holder = start('hold', root);
  expect(await holder.hear()).toBe('held');
  expect(isHeld(root)).toBe(true);
  const file = statSync(join(root, '.teddy/lock')).ino;
  holder.process.kill('SIGKILL');
  expect((await holder.ended).signal).toBe('SIGKILL');
  expect(isHeld(root)).toBe(false);
  expect((await new Workspace(root, root, 0).commit([change('a')])).status).toBe('committed');
  expect(statSync(join(root, '.teddy/lock')).ino).toBe(file);
});

test('a commit that is stopped halfway and killed is completed by the next', async () => {
  const root = makeRoot();
  const holder = start('stop-inside', root);
  expect(await holder.hear()).toBe('stopping');
  holder.process.kill('SIGKILL');
  await holder.ended;
  expect((await new Workspace(root, root, 0).commit([change('a')])).status).toBe('committed');
  expect(readFileSync(join(root, 'slow.txt'), 'utf8')).toBe('stopped and went on');
});

test('a child started under the lock does not have it', async () => {
  const root = makeRoot();
  const holder = start('parent', root);
  const child = Number(await holder.hear());
  onTestFinished(() => void process.kill(child, 'SIGKILL'));
  if (process.platform === 'linux') {
    const open = readdirSync(`/proc/${child}/fd`).map((fd) => readlinkSync(`/proc/${child}/fd/${fd}`));
    expect(open.filter((path) => path.startsWith(root))).toEqual([]);
  }
  expect(isHeld(root)).toBe(true);
  holder.process.kill('SIGKILL');
  await holder.ended;
  process.kill(child, 0);
  expect(isHeld(root)).toBe(false);
});

describe('a worktree', () => {
  function makeWorktree(): { main: string; tree: string } {
    const house = realPath(makeFolder())!;
    const [main, tree] = [join(house, 'main'), join(house, 'tree')];
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: main,
        stdio: 'pipe',
      });
    mkdirSync(main);
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', tree);
    mkdirSync(join(main, '.teddy'));
    return { main, tree };
  }

  test('waits for its main root', async () => {
    const { main, tree } = makeWorktree();
    const holder = start('hold', main);
    expect(await holder.hear()).toBe('held');
    expect(await new Workspace(tree, main, 200).commit([change('a')])).toEqual({ status: 'locked' });
    expect(existsSync(join(tree, 'a'))).toBe(false);
    holder.tell();
    expect(await holder.hear()).toBe('released');
    expect((await new Workspace(tree, main).commit([change('a')])).status).toBe('committed');
    expect(readFileSync(join(tree, 'a'), 'utf8')).toBe('a');
    expect(existsSync(join(main, 'a'))).toBe(false);
  });

  test('and the other way round', async () => {
    const { main, tree } = makeWorktree();
    const folder = Folder.open(join(main, '.teddy'));
    const lock = await acquireLock(folder, 'lock', 0);
    const [one, other] = [
      new Workspace(tree, main).commit([change('a')]),
      new Workspace(main).commit([change('a')]),
    ];
    lock!.release();
    expect((await one).status).toBe('committed');
    expect((await other).status).toBe('committed');
    folder.close();
  });

  test('is known by itself', async () => {
    const { main, tree } = makeWorktree();
    const holder = start('hold', main);
    expect(await holder.hear()).toBe('held');
    const waiting = new Workspace(tree).commit([change('a')]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(existsSync(join(tree, 'a'))).toBe(false);
    holder.tell();
    expect((await waiting).status).toBe('committed');
  });

  // What is unpacked from an archive may claim to be anybody's worktree.
  test.each<[string, Record<string, string>]>([
    ['a .git file', { '.git': 'gitdir: fake\n', 'fake/commondir': '../../outside/.git\n' }],
    ['a .git folder', { '.git/commondir': '../../outside/.git\n' }],
    ['a config', { '.git/commondir': '../fake\n', 'fake/config': '[core]\n\tworktree = ../../outside\n' }],
  ])('that only says so itself, by %s, is none', async (_, files) => {
    const house = realPath(makeFolder({ 'outside/.git/HEAD': '' }))!;
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(house, 'root', path)), { recursive: true });
      writeFileSync(join(house, 'root', path), content);
    }
    const result = await new Workspace(join(house, 'root')).commit([change('a')]);
    expect(result.status).toBe('committed');
    expect(readdirSync(join(house, 'outside'))).toEqual(['.git']);
    expect(readdirSync(join(house, 'root/.teddy'))).toContain('lock');
  });

  test('its .git file is protected', async () => {
    const { main, tree } = makeWorktree();
    const before = readFileSync(join(tree, '.git'), 'utf8');
    expect(await new Workspace(tree, main).commit([change('.git')])).toMatchObject({ status: 'refused' });
    expect(readFileSync(join(tree, '.git'), 'utf8')).toBe(before);
  });
});
