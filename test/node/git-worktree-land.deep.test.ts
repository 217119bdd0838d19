import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type LandingMark, landCommit } from '../../src/node/git/land.js';
import { openWorkTree, type WorkTree } from '../../src/node/git/work-tree.js';
import { makeFolder } from '../folder.js';

const SOAK = process.env.TEDDY_SOAK === '1';
const PATH = process.env.PATH;
afterEach(() => {
  process.env.PATH = PATH;
});

/** git as a user runs it, without our doors. */
function plainGit(cwd: string, ...words: string[]): string {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  return execFileSync('git', [...identity, ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

interface Two {
  root: string;
  tree: WorkTree;
  head: string;
  commit: string;
}

/** A repository on `head`, and a commit that follows it. */
async function makeTwo(before: (root: string) => void, after: (root: string) => void): Promise<Two> {
  const root = realpathSync(makeFolder());
  plainGit(root, 'init', '-q', '-b', 'main');
  const commits = [before, after].map((fill) => {
    fill(root);
    plainGit(root, 'add', '-A');
    plainGit(root, 'commit', '-q', '-m', 'a commit');
    return plainGit(root, 'rev-parse', 'HEAD').trim();
  });
  plainGit(root, 'reset', '-q', '--hard', commits[0]!);
  const opened = await openWorkTree(root);
  if (opened.status !== 'ok') throw new Error(opened.reason);
  return { root, tree: opened.tree, head: commits[0]!, commit: commits[1]! };
}

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}
const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8');
/** A landing that was begun, by a process that is no more. */
/** As whoever lands keeps it: in the git folder, where a kill leaves it. */
function markOf({ gitFolder }: WorkTree): LandingMark {
  const path = join(gitFolder, 'teddy-landing');
  return {
    names: ({ commit }) => existsSync(path) && readFileSync(path, 'utf8') === commit,
    set: ({ commit }) => writeFileSync(path, commit),
    clear: () => rmSync(path, { force: true }),
  };
}
const land = (tree: WorkTree, landing: { head: string; commit: string }) =>
  landCommit(tree, landing, markOf(tree));
const pretendBegun = ({ tree, head, commit }: Two) => markOf(tree).set({ head, commit });

function expectLanded({ root, commit }: Two): void {
  expect(plainGit(root, 'rev-parse', 'main').trim()).toBe(commit);
  expect(plainGit(root, 'status', '--porcelain')).toBe('');
  expect(readdirSync(join(root, '.git')).filter((name) => name.startsWith('teddy'))).toEqual([]);
}

/** Everything that a landing that was cut off can leave in the way of another. */
const SHAPES = {
  before(root: string) {
    write(root, 'changed', 'old\n');
    write(root, 'gone/deep/file', 'g\n');
    write(root, 'file-to-folder', 'f\n');
    write(root, 'folder-to-file/inner', 'i\n');
    mkdirSync(join(root, 'target'));
    write(root, 'target/inner', 't\n');
    symlinkSync('target', join(root, 'link-to-folder'));
    write(root, 'mode', 'm\n');
    write(root, '.gitattributes', '*.txt text eol=crlf\n');
    write(root, 'crlf.txt', 'one\r\n');
  },
  after(root: string) {
    write(root, 'changed', 'new content\n');
    rmSync(join(root, 'gone'), { recursive: true });
    rmSync(join(root, 'file-to-folder'));
    write(root, 'file-to-folder/inner', 'i\n');
    rmSync(join(root, 'folder-to-file'), { recursive: true });
    write(root, 'folder-to-file', 'f\n');
    rmSync(join(root, 'link-to-folder'));
    write(root, 'link-to-folder/inner', 'l\n');
    chmodSync(join(root, 'mode'), 0o755);
    write(root, 'crlf.txt', 'two\r\n');
    write(root, 'created\nhere', 'c\n');
    symlinkSync('changed', join(root, 'link'));
  },
};

describe('a landing that was cut off', () => {
  test('before anything, after all files, after the index: it is finished', async () => {
    const two = await makeTwo(SHAPES.before, SHAPES.after);
    const { root, tree, head, commit } = two;
    for (const cut of [
      () => {},
      () => plainGit(root, 'read-tree', '-m', '-u', commit),
      // Files of the new, index of the old.
      () => {
        plainGit(root, 'read-tree', '-m', '-u', commit);
        plainGit(root, 'read-tree', head);
      },
      // Index of the new, files of the old.
      () => plainGit(root, 'read-tree', commit),
    ]) {
      plainGit(root, 'reset', '-q', '--hard', head);
      cut();
      expect(await land(tree, { head, commit })).toEqual({ status: 'landed' });
      expectLanded(two);
      expect(read(root, 'target/inner') + read(root, 'crlf.txt')).toBe('t\ntwo\r\n');
      expect(readlinkSync(join(root, 'link'))).toBe('changed');
      expect(existsSync(join(root, 'gone'))).toBe(false);
    }
  });

  test('half a file or none is ours only where we had begun', async () => {
    const two = await makeTwo(SHAPES.before, SHAPES.after);
    const { root, tree, head, commit } = two;
    plainGit(root, 'read-tree', '-m', '-u', commit);
    plainGit(root, 'read-tree', head);
    truncateSync(join(root, 'changed'), 5);
    rmSync(join(root, 'crlf.txt'));
    const refused = await land(tree, { head, commit });
    expect(refused).toMatchObject({ status: 'refused', reason: expect.stringMatching(/^"changed"/) });
    expect(read(root, 'changed')).toBe('new c');
    pretendBegun(two);
    expect(await land(tree, { head, commit })).toEqual({ status: 'landed' });
    expectLanded(two);
  });

  test('what a person wrote meanwhile is named, and nothing is touched', async () => {
    const two = await makeTwo(SHAPES.before, SHAPES.after);
    const { root, tree, head, commit } = two;
    pretendBegun(two);
    write(root, 'folder-to-file/own', 'a person\n');
    write(root, 'crlf.txt', 'a person\n');
    rmSync(join(root, 'file-to-folder'));
    symlinkSync('target', join(root, 'file-to-folder'));
    const refused = await land(tree, { head, commit });
    if (refused.status !== 'refused') throw new Error(refused.status);
    for (const path of ['"crlf.txt"', '"file-to-folder"', '"folder-to-file/own"'])
      expect(refused.reason).toContain(path);
    expect(refused.reason).toContain('git stash push -u -- ');
    expect(read(root, 'changed') + read(root, 'crlf.txt') + read(root, 'gone/deep/file')).toBe(
      'old\na person\ng\n',
    );
    expect(readlinkSync(join(root, 'file-to-folder'))).toBe('target');
    plainGit(root, 'stash', '-u');
    expect(await land(tree, { head, commit })).toEqual({ status: 'landed' });
    expectLanded(two);
  });

  test('what landed, and what came after it, is not landed again', async () => {
    const { root, tree, head, commit } = await makeTwo(SHAPES.before, SHAPES.after);
    expect(await land(tree, { head, commit })).toEqual({ status: 'landed' });
    plainGit(root, 'commit', '-q', '--allow-empty', '-m', 'later');
    const later = plainGit(root, 'rev-parse', 'HEAD').trim();
    expect(await land(tree, { head, commit })).toEqual({ status: 'landed' });
    plainGit(root, 'reset', '-q', '--hard', head);
    plainGit(root, 'commit', '-q', '--allow-empty', '-m', 'elsewhere');
    expect(await land(tree, { head, commit })).toEqual({ status: 'moved' });
    expect(await land(tree, { head, commit: later })).toEqual({ status: 'moved' });
  });

  test('an index that another git holds is waited for a little, then named and left', async () => {
    const two = await makeTwo(SHAPES.before, SHAPES.after);
    const { root, tree, head, commit } = two;
    const lock = join(root, '.git/index.lock');
    writeFileSync(lock, '');
    const refused = await land(tree, { head, commit });
    expect(refused).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining(JSON.stringify(lock)),
    });
    expect(existsSync(lock)).toBe(true);
    expect(read(root, 'changed')).toBe('old\n');
    // Nothing had begun: an emptied file is a person's.
    rmSync(lock);
    write(root, 'changed', '');
    expect(await land(tree, { head, commit })).toMatchObject({
      reason: expect.stringMatching(/^"changed"/),
    });
    write(root, 'changed', 'old\n');
    writeFileSync(lock, '');
    const landing = land(tree, { head, commit });
    setTimeout(() => rmSync(lock), 150);
    expect(await landing).toEqual({ status: 'landed' });
    expectLanded(two);
  });
});

test('git killed on its way, anywhere: it is finished, or asks for the lock to be removed and is finished then', async () => {
  const big = (word: string, i: number) => `${word} ${i}\n`.repeat(400);
  const name = (i: number) => `f${String(i).padStart(3, '0')}`;
  const all = Array.from({ length: 200 }, (_, i) => i);
  const two = await makeTwo(
    (root) => {
      for (const i of all) if (i % 3 !== 0) write(root, name(i), big('old', i));
    },
    (root) => {
      for (const i of all) {
        if (i % 3 === 2) rmSync(join(root, name(i)));
        else write(root, name(i), big('new', i));
      }
    },
  );
  const { root, tree, head, commit } = two;
  const bin = makeFolder();
  const realGit = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  let killed = 0;
  for (const round of Array.from({ length: SOAK ? 60 : 3 }, (_, i) => i)) {
    plainGit(root, 'reset', '-q', '--hard', head);
    // Files that are new come one after the other; once this one is there, the git that writes them is no more.
    const sign = join(root, name(3 * Math.floor(((round * 37) % 60) + 1)));
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh
case " $* " in *" merge -q "*) ;; *) exec '${realGit}' "$@" ;; esac
'${realGit}' "$@" & git=$!
until [ -e '${sign}' ]; do kill -0 $git 2>/dev/null || break; done
kill -9 $git; wait $git; code=$?
[ $code -gt 128 ] && kill -9 $$
exit $code
`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    process.env.PATH = `${bin}:${PATH}`;
    let landed = await land(tree, { head, commit });
    process.env.PATH = PATH;
    if (landed.status === 'refused') {
      killed++;
      expect(landed.reason).toContain('index.lock');
      rmSync(join(root, '.git/index.lock'));
      landed = await land(tree, { head, commit });
    }
    expect(landed).toEqual({ status: 'landed' });
    expectLanded(two);
    // What a git leaves that was killed while it moved HEAD. It says so to whoever uses it next.
    rmSync(join(root, '.git/HEAD.lock'), { force: true });
    for (const i of all) {
      if (i % 3 === 2) expect(existsSync(join(root, name(i)))).toBe(false);
      else expect(read(root, name(i))).toBe(big('new', i));
    }
  }
  expect(killed).toBeGreaterThan(0);
});

test('a person who commits right before git moves the branch: nothing is written beside it', async () => {
  const two = await makeTwo(
    (root) => write(root, 'gone', 'g\n'),
    (root) => {
      rmSync(join(root, 'gone'));
      write(root, 'made', 'm\n');
    },
  );
  const { root, tree, head, commit } = two;
  const bin = makeFolder();
  const realGit = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const person = `'${realGit}' -c user.name=P -c user.email=p@example.org commit -q --allow-empty -m 'a person'`;
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
case " $* " in *" merge -q --ff-only "*) ${person};; esac
exec '${realGit}' "$@"
`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  process.env.PATH = `${bin}:${PATH}`;
  const landed = await land(tree, { head, commit });
  process.env.PATH = PATH;
  expect(landed).toEqual({ status: 'moved' });
  expect(plainGit(root, 'log', '-1', '--format=%s').trim()).toBe('a person');
  expect(plainGit(root, 'status', '--porcelain')).toBe('');
  expect(read(root, 'gone')).toBe('g\n');
  expect(existsSync(join(root, 'made'))).toBe(false);
  expect(readdirSync(join(root, '.git')).filter((name) => name.startsWith('teddy'))).toEqual([]);
});
