import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { makeFolder, PROGRAM_ENV } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;
const noTerminal = noPython || because;

function makeProject(files: Record<string, string> = { 'a.txt': 'one\n' }) {
  const root = realpathSync(makeFolder(files));
  execFileSync('git', ['init', '-q'], { cwd: root });
  const home = realpathSync(makeFolder());
  return { root, home, env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } };
}

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

function works(root: string): string[] {
  return readdirSync(join(root, '.teddy/changes')).filter((name) => /^\d{8}-/.test(name));
}

/** Everything that the program needs, but no bubblewrap. */
function pathWithoutBubblewrap(): string {
  const folder = makeFolder();
  for (const name of ['node', 'git', 'sh', 'cat', 'true', 'stty']) {
    const found =
      name === 'node' ? process.execPath : execFileSync('which', [name], { encoding: 'utf8' }).trim();
    symlinkSync(found, join(folder, name));
  }
  return folder;
}

test('teddy on its own names the changes that wait, until they are dropped', () => {
  const { root, env } = makeProject();
  const run = (...words: string[]) => teddy(words, { cwd: root, env });
  run('wrap', '--unconfined', '--', 'sh', '-c', 'echo two > a.txt');
  expect(run('--no-color').stdout).toContain(
    'Changes that wait for your review: by sh -c echo two > a.txt.\n  teddy changes review   decide on them',
  );
  const [id] = works(root);
  expect(JSON.parse(run('status', '--json').stdout).changes).toEqual([id]);
  run('changes', 'drop', id!);
  expect(run().stdout).not.toContain('teddy changes');
});

describe('without bubblewrap', () => {
  test('a script is told the cause and the remedy, and starts nothing', () => {
    const { root, env } = makeProject();
    const { exit, stderr } = teddy(['wrap', '--', 'true'], {
      cwd: root,
      env: { ...env, PATH: pathWithoutBubblewrap() },
    });
    expect(exit).toBe(2);
    expect(stderr).toBe(
      'teddy: The agent cannot be confined: bubblewrap (bwrap) is not on PATH. Install it (Debian, Ubuntu: apt-get install bubblewrap). To run it without confinement, pass --unconfined.\n',
    );
    expect(existsSync(join(root, '.teddy/changes'))).toBe(false);
  });

  test("the user's config switches confinement off; the project's does not", () => {
    const { root, home, env } = makeProject({ 'a.txt': '', '.teddy/config.yaml': 'confine: {on: false}\n' });
    const options = { cwd: root, env: { ...env, PATH: pathWithoutBubblewrap() } };
    expect(teddy(['wrap', '--trust', '--', 'true'], options).exit).toBe(2);
    mkdirSync(join(home, '.config/teddy'), { recursive: true });
    writeFileSync(join(home, '.config/teddy/config.yaml'), 'confine: {on: false}\n', { mode: 0o600 });
    writeFileSync(join(root, '.teddy/config.yaml'), 'runs: {keep: 5}\n');
    const run = teddy(['wrap', '--trust', '--', 'true'], options);
    expect(run.stderr).toContain('Not confined: true works in a copy');
    expect(run.exit).toBe(0);
  });

  test.skipIf(noPython)(`at a terminal you are asked${noPython}`, async () => {
    const { root, env } = makeProject();
    for (const [key, exit] of [
      ['n', 2],
      ['y', 0],
    ] as const) {
      const terminal = new TestTerminal(
        ['env', `PATH=${pathWithoutBubblewrap()}`, 'node', TEDDY, 'wrap', '--', 'sh', '-c', 'echo it ra""n'],
        {
          cwd: root,
          env,
        },
      );
      await terminal.shows('start nothing');
      // A key right after the question is ignored.
      const typing = setInterval(() => terminal.send(key), 300);
      expect((await terminal.ended).exit).toBe(exit);
      clearInterval(typing);
      expect(terminal.history().includes('it ran')).toBe(key === 'y');
    }
  });
});

describe.skipIf(because !== '')(`confined${because}`, () => {
  test('streams are passed through byte for byte, and ours are on standard error', () => {
    const { root, env } = makeProject();
    const input = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    const run = spawnSync('node', [TEDDY, 'wrap', '--', 'sh', '-c', 'cat; echo told >&2'], {
      cwd: root,
      env: { ...PROGRAM_ENV, ...env },
      input,
    });
    expect(run.stdout.equals(input)).toBe(true);
    expect(run.stderr.toString()).toMatch(/^Confined: sh .*\ntold\nsh changed nothing\.\nRoot: /);
    expect(works(root)).toEqual([]);
  });

  test('SIGINT and SIGTERM reach the program, and what it did is kept', async () => {
    for (const [signal, code] of [
      ['SIGINT', 5],
      ['SIGTERM', 143],
    ] as const) {
      const { root, env } = makeProject();
      const script = 'trap "exit 5" INT; echo two >> a.txt; echo begun; while :; do sleep 0.05; done';
      const child = spawn('node', [TEDDY, 'wrap', '--', 'sh', '-c', script], {
        cwd: root,
        env: { ...PROGRAM_ENV, ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      child.kill(signal);
      expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(code);
      expect(works(root)).toHaveLength(1);
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n');
    }
  });

  test('--again continues in the same copy, with the same command or another', () => {
    const { root, env } = makeProject();
    const first = ['wrap', '--', 'sh', '-c', 'echo more >> a.txt; cat a.txt'];
    expect(teddy(first, { cwd: root, env }).stdout).toBe('one\nmore\n');
    expect(teddy(['wrap', '--again'], { cwd: root, env }).stdout).toBe('one\nmore\nmore\n');
    const [id] = works(root);
    const other = teddy(['wrap', '--again', id!, '--', 'wc', '-l', 'a.txt'], { cwd: root, env });
    expect(other.stdout).toBe('3 a.txt\n');
    expect(works(root)).toEqual([id]);
    expect(teddy(['wrap', '--again', 'nonsense'], { cwd: root, env })).toMatchObject({ exit: 2 });
  });

  test('--agent starts the agent free of its own questions, with its login and no others', () => {
    const { root, home, env } = makeProject();
    const bin = join(home, '.local/bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, 'claude'),
      '#!/bin/sh\necho "$*"; cat ~/.claude/login; ls ~/.codex 2>&1; echo new > ~/.claude/state\n',
      { mode: 0o755 },
    );
    for (const name of ['.claude', '.codex']) mkdirSync(join(home, name));
    writeFileSync(join(home, '.claude/login'), 'mine\n');
    writeFileSync(join(home, '.codex/auth.json'), 'SECRET');
    const PATH = `${bin}:${process.env.PATH}`;
    const { stdout, exit } = teddy(['wrap', '--agent', 'claude'], { cwd: root, env: { ...env, PATH } });
    expect(stdout).toMatch(/^--permission-mode bypassPermissions\nmine\n/);
    expect(stdout).not.toContain('auth.json');
    expect(exit).toBe(0);
    expect(readFileSync(join(home, '.claude/state'), 'utf8')).toBe('new\n');
  });

  test('git works with submodules, and where only a part of the files is checked out', () => {
    const git = (cwd: string, ...words: string[]) =>
      execFileSync('git', [...IDENTITY, '-c', 'protocol.file.allow=always', ...words], {
        cwd,
        stdio: 'pipe',
      });
    const commit = (root: string) => {
      git(root, 'add', '-A');
      git(root, 'commit', '-qm', 'all');
      return root;
    };
    const inner = commit(makeProject({ i: 'i\n' }).root);
    const outer = commit(makeProject({ o: 'o\n' }).root);
    git(outer, 'submodule', 'add', inner, 'deep/inner');
    commit(outer);
    const { root, env } = makeProject({ a: 'a\n', 'b/b': 'b\n', 'c/c': 'c\n' });
    git(root, 'submodule', 'add', outer, 'outer');
    git(root, 'submodule', 'update', '--init', '--recursive');
    commit(root);
    git(root, 'sparse-checkout', 'set', 'b');
    const script = `git status --porcelain; git ls-files -t c; cd outer/deep/inner
git log --format=%s; echo more >> i; git status --porcelain; cd ../../..; git status --porcelain`;
    const { stdout, stderr } = teddy(['wrap', '--', 'sh', '-c', script], { cwd: root, env });
    expect(stdout).toBe('S c/c\nall\n M i\n M outer\n');
    expect(stderr).toContain('Not kept (ignored by git, or a submodule): outer.\n');
    expect(readFileSync(join(root, 'outer/deep/inner/i'), 'utf8')).toBe('i\n');
  });

  test('starts in the folder that you are in', () => {
    const { root, env } = makeProject({ 'sub/deep/a.txt': '' });
    const cwd = join(root, 'sub/deep');
    expect(teddy(['wrap', '--', 'pwd'], { cwd, env }).stdout).toBe(`${cwd}\n`);
  });
});

describe.skipIf(noTerminal !== '')(`at a terminal${noTerminal}`, () => {
  test.each(['', '--unconfined '])('%sa program cannot type into it', async (option) => {
    const inject = `import fcntl, termios
for byte in b"touch INJECTED\\r":
    try: fcntl.ioctl(0, termios.TIOCSTI, bytes([byte]))
    except OSError as error: pass
`;
    const { root, home, env } = makeProject({ 'inject.py': inject });
    writeFileSync(join(home, 'prompt'), "PS1='READY> '\nunset HISTFILE\n");
    const terminal = new TestTerminal(['bash', '--rcfile', join(home, 'prompt'), '-i'], { cwd: root, env });
    await terminal.shows('READY>');
    terminal.send(`node ${TEDDY} wrap ${option}-- python3 inject.py\r`);
    await terminal.shows('changed nothing');
    terminal.send('echo do""ne\r');
    await terminal.shows('done');
    expect(terminal.history()).not.toMatch(/READY> touch/);
    expect(existsSync(join(root, 'INJECTED'))).toBe(false);
  });

  test.each(['KILL', 'TERM', 'HUP'])('is as before after SIG%s of teddy', async (signal) => {
    const { root, env } = makeProject();
    const script = `stty -g > before
node ${TEDDY} wrap -- sh -c 'printf "\\033[?1049h\\033[?25l"; stty raw -echo; echo be""gun; sleep 1000'
while pgrep -f "$PWD/.teddy/changes" >/dev/null; do sleep 0.05; done
sleep 0.3; stty -g > after; echo sa""ne; cat`;
    const terminal = new TestTerminal(['sh', '-c', script], { cwd: root, env });
    await terminal.shows('begun');
    const [pid] = execFileSync('pgrep', ['-f', `node ${TEDDY} wrap -- sh -c printf`], { encoding: 'utf8' })
      .split('\n')
      .filter((each) => each !== '' && realpathSync(`/proc/${each}/cwd`) === root);
    process.kill(Number(pid), `SIG${signal}`);
    await terminal.shows('sane');
    expect(readFileSync(join(root, 'after'), 'utf8')).toBe(readFileSync(join(root, 'before'), 'utf8'));
    expect(terminal.raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\x1b[?25l'));
    expect(works(root)).toHaveLength(signal === 'KILL' ? 1 : 0);
  });
});
