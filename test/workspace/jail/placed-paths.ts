import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from './house.js';
import type { Fate } from './written-paths.js';

/** What becomes of a path because of what stands on disk. */
export interface PlacedPath {
  name: string;
  path: string;
  place(house: House): void;
  /** `commitRefuses`: there is a place, but no file to write to; a part of the reason. */
  write: Fate | { commitRefuses: string };
  /** Where reading differs from writing. */
  read?: Fate;
  /** Only root can place it. */
  asRoot?: true;
}

const outside: Fate = { refused: 'outside' };
const unusable: Fate = { refused: 'other' };
const isProtected: Fate = { refused: 'protected' };

function link(path: string, target: string | ((house: House) => string)) {
  return (house: House) =>
    symlinkSync(typeof target === 'string' ? target : target(house), join(house.root, path));
}

function links(all: Record<string, string>) {
  return ({ root }: House) => {
    for (const [path, target] of Object.entries(all)) symlinkSync(target, join(root, path));
  };
}

function run(command: string, ...args: string[]) {
  return ({ root }: House) => void execFileSync(command, args, { cwd: root, stdio: 'pipe' });
}

export const PLACED_PATHS: PlacedPath[] = [
  // Links to outside.
  {
    name: 'a link to an outside file, absolute',
    path: 'l',
    place: link('l', ({ outside }) => join(outside, 'secret.txt')),
    write: outside,
  },
  {
    name: 'a link to an outside file, relative',
    path: 'l',
    place: link('l', '../root-outside/secret.txt'),
    write: outside,
  },
  {
    name: 'a link to an outside file that is not there',
    path: 'l',
    place: link('l', '../root-outside/new.txt'),
    write: outside,
  },
  {
    name: 'a link to an outside folder',
    path: 'l/x.txt',
    place: link('l', '../root-outside'),
    write: outside,
  },
  {
    name: 'a new file in a link to an outside folder',
    path: 'l/no/such',
    place: link('l', '../root-outside'),
    write: outside,
  },
  {
    name: 'a link in the middle, absolute',
    path: 'dir/l/deep/x.txt',
    place: link('dir/l', ({ outside }) => join(outside, 'dir')),
    write: outside,
  },
  {
    name: 'a link to the folder above',
    path: 'l/root-outside/x.txt',
    place: link('l', '..'),
    write: outside,
  },
  {
    name: 'a link to the folder above and back',
    path: 'l/in.txt',
    place: link('l', '../root'),
    write: { at: 'in.txt' },
  },
  {
    name: 'a link out through ..',
    path: 'l',
    place: link('l', 'dir/../../root-outside/x.txt'),
    write: outside,
  },
  {
    name: 'a link that begins like the root',
    path: 'l/x.txt',
    place: link('l', ({ root }) => `${root}-outside`),
    write: outside,
  },
  {
    name: 'an absolute link that goes in and out again',
    path: 'l',
    place: link('l', ({ root }) => `${root}/../root-outside/x.txt`),
    write: outside,
  },
  {
    name: 'an absolute link out through a folder of the root',
    path: 'l',
    place: link('l', ({ root }) => `${root}/dir/../../root-outside/x.txt`),
    write: outside,
  },
  {
    name: 'a chain of links that ends outside',
    path: 'l1',
    place: links({ l1: 'l2', l2: 'dir/l3', 'dir/l3': '../l4', l4: '../root-outside/x.txt' }),
    write: outside,
  },
  {
    name: 'a link through another link and ..',
    path: 'l/../../root-outside/x.txt',
    place: link('l', 'dir'),
    write: outside,
  },
  {
    name: '.. behind a link means the folder of its target',
    path: 'l2',
    place: links({ 'dir/l': '.', l2: 'dir/l/../../root-outside/x.txt' }),
    write: outside,
  },
  { name: 'a link to /', path: 'l/etc/passwd', place: link('l', '/'), write: outside },
  {
    name: 'a link to /proc/self/root',
    path: 'l/etc/passwd',
    place: link('l', '/proc/self/root'),
    write: outside,
  },
  { name: 'a link to /proc/self/cwd', path: 'l/x', place: link('l', '/proc/self/cwd'), write: outside },
  { name: 'a link to /proc/self/fd/0', path: 'l', place: link('l', '/proc/self/fd/0'), write: outside },
  { name: 'a link to /dev/null', path: 'l', place: link('l', '/dev/null'), write: outside },
  { name: 'a link to /dev/zero', path: 'l', place: link('l', '/dev/zero'), write: outside },
  {
    name: 'a link to a home',
    path: 'l',
    place: link('l', '/home/someone/.ssh/authorized_keys'),
    write: outside,
  },
  {
    name: 'a link to the root by a way that is not its real path',
    path: 'l/in.txt',
    place: link('l', ({ root }) => `/proc/self/root${root}`),
    write: outside,
  },
  // Links that stay inside.
  { name: 'a link to a file inside', path: 'l', place: link('l', 'in.txt'), write: { at: 'in.txt' } },
  {
    name: 'an absolute link to a file inside',
    path: 'l',
    place: link('l', ({ root }) => join(root, 'dir/in.txt')),
    write: { at: 'dir/in.txt' },
  },
  {
    name: 'a link to a folder inside',
    path: 'l/new.txt',
    place: link('l', 'dir'),
    write: { at: 'dir/new.txt' },
  },
  {
    name: 'a link from a folder to its sibling',
    path: 'dir/l/new.txt',
    place: links({ 'dir/l': '../dir' }),
    write: { at: 'dir/new.txt' },
  },
  {
    name: 'a chain of links that stays inside',
    path: 'l1',
    place: links({ l1: 'l2', l2: './dir/../dir/l3', 'dir/l3': '../in.txt' }),
    write: { at: 'in.txt' },
  },
  {
    name: 'a dangling link inside',
    path: 'l',
    place: link('l', 'made.txt'),
    write: { commitRefuses: 'is a symlink that leads nowhere' },
  },
  {
    name: 'a dangling link into folders that are missing',
    path: 'l',
    place: link('l', 'no/such/made.txt'),
    write: { commitRefuses: 'is a symlink that leads nowhere' },
  },
  {
    name: 'a dangling link to a folder',
    path: 'l/made.txt',
    place: link('l', 'no/such'),
    write: { at: 'no/such/made.txt' },
  },
  {
    name: 'a link up from a folder that is missing',
    path: 'l',
    place: link('l', 'no/../in.txt'),
    write: unusable,
  },
  {
    name: 'a link up from a folder that is missing and out',
    path: 'l',
    place: link('l', 'no/../../root-outside/x.txt'),
    write: outside,
  },
  { name: 'a link to the root', path: 'l', place: link('l', '.'), write: unusable },
  { name: 'a link to the root, absolute', path: 'l', place: link('l', ({ root }) => root), write: unusable },
  {
    name: 'a link to the root as a folder',
    path: 'l/l/l/new.txt',
    place: link('l', '.'),
    write: { at: 'new.txt' },
  },
  { name: 'a link to itself', path: 'l', place: link('l', 'l'), write: unusable },
  { name: 'a link into itself', path: 'l/x', place: link('l', 'l/x'), write: unusable },
  { name: 'links in a circle', path: 'l1/x', place: links({ l1: 'l2', l2: 'dir/../l1' }), write: unusable },
  {
    name: 'links that double',
    path: 'l9',
    place: ({ root }) => {
      symlinkSync('.', join(root, 'l0'));
      for (let i = 1; i < 10; i++) symlinkSync(`l${i - 1}/l${i - 1}`, join(root, `l${i}`));
    },
    write: unusable,
  },
  // Protected trees behind links.
  {
    name: 'a link into .git',
    path: 'l',
    place: link('l', '.git/config'),
    write: isProtected,
    read: { at: '.git/config' },
  },
  {
    name: 'a link to .git',
    path: 'l/hooks/x',
    place: link('l', '.git'),
    write: isProtected,
    read: { at: '.git/hooks/x' },
  },
  {
    name: 'a link to .teddy',
    path: 'l/config.yaml',
    place: ({ root }) => {
      mkdirSync(join(root, '.teddy'));
      symlinkSync('.teddy', join(root, 'l'));
    },
    write: isProtected,
    read: { at: '.teddy/config.yaml' },
  },
  {
    name: 'a journal behind a link',
    path: 'l/r/journal/x',
    place: ({ root }) => {
      mkdirSync(join(root, '.teddy/runs/r/journal'), { recursive: true });
      symlinkSync('.teddy/runs', join(root, 'l'));
    },
    write: isProtected,
    read: isProtected,
  },
  {
    name: 'a .git file of a worktree',
    path: '.git',
    place: ({ root }) => {
      rmSync(join(root, '.git'), { recursive: true });
      writeFileSync(join(root, '.git'), 'gitdir: ../elsewhere\n');
    },
    write: isProtected,
    read: { at: '.git' },
  },
  {
    name: 'below a .git file',
    path: '.git/hooks/x',
    place: ({ root }) => {
      rmSync(join(root, '.git'), { recursive: true });
      writeFileSync(join(root, '.git'), 'gitdir: ../elsewhere\n');
    },
    write: unusable,
  },
  {
    name: 'a .git that is a link to outside',
    path: '.git/config',
    place: ({ root, outside }) => {
      rmSync(join(root, '.git'), { recursive: true });
      symlinkSync(outside, join(root, '.git'));
    },
    write: outside,
  },
  {
    name: 'a .git that is a link',
    path: '.git/hooks/x',
    place: linkedGit,
    write: isProtected,
    read: { at: 'real/hooks/x' },
  },
  {
    name: 'what a .git that is a link leads to',
    path: 'real/hooks/x',
    place: linkedGit,
    write: isProtected,
    read: { at: 'real/hooks/x' },
  },
  {
    name: 'a link to a .git that is a link',
    path: 'l/hooks/x',
    place: (house) => {
      linkedGit(house);
      symlinkSync('.git', join(house.root, 'l'));
    },
    write: isProtected,
    read: { at: 'real/hooks/x' },
  },
  // What is no file.
  { name: 'a folder', path: 'dir', place: () => {}, write: { commitRefuses: 'is a folder' } },
  { name: 'a folder with a slash', path: 'dir/', place: () => {}, write: { commitRefuses: 'is a folder' } },
  {
    name: 'a link to a folder',
    path: 'l',
    place: link('l', 'dir'),
    write: { commitRefuses: 'is a folder' },
  },
  { name: 'a file as a parent', path: 'l/x', place: link('l', 'in.txt'), write: unusable },
  { name: 'a pipe', path: 'p', place: run('mkfifo', 'p'), write: { commitRefuses: 'is not a regular file' } },
  {
    name: 'a link to a pipe',
    path: 'l',
    place: (house) => {
      run('mkfifo', 'p')(house);
      symlinkSync('p', join(house.root, 'l'));
    },
    write: { commitRefuses: 'is not a regular file' },
  },
  { name: 'a pipe as a parent', path: 'p/x', place: run('mkfifo', 'p'), write: unusable },
  {
    name: 'a socket',
    path: 's',
    place: run(
      process.execPath,
      '-e',
      "require('net').createServer().listen('s0', () => { require('fs').renameSync('s0', 's'); process.exit() })",
    ),
    write: { commitRefuses: 'is not a regular file' },
  },
  {
    name: 'a device that eats everything',
    path: 'n',
    place: run('mknod', 'n', 'c', '1', '3'),
    write: { commitRefuses: 'is not a regular file' },
    asRoot: true,
  },
  {
    name: 'a device without end',
    path: 'z',
    place: run('mknod', 'z', 'c', '1', '5'),
    write: { commitRefuses: 'is not a regular file' },
    asRoot: true,
  },
];

function linkedGit({ root }: House): void {
  mkdirSync(join(root, '.git/hooks'));
  renameSync(join(root, '.git'), join(root, 'real'));
  symlinkSync('real', join(root, '.git'));
}
