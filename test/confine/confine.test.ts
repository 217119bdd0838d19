import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentEnvironment } from '../../src/confine/agents.js';
import { checkConfinement } from '../../src/confine/check.js';
import { confine } from '../../src/confine/confine.js';
import type { Confinement } from '../../src/confine/types.js';
import { makeFolder } from '../folder.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

function run(
  shell: string,
  confinement: Partial<Confinement> & Pick<Confinement, 'root'>,
  home: string,
  PATH = process.env.PATH,
) {
  if (!checked.available) throw new Error(checked.cause);
  const env = { PATH, HOME: home };
  const { program, args } = confine(
    { program: '/bin/sh', args: ['-c', shell], cwd: confinement.root, env },
    { network: false, home: 'private', terminal: false, ...confinement },
    checked.tools,
  );
  const done = spawnSync(program, args, { env, encoding: 'utf8', cwd: '/' });
  return { text: done.stdout + done.stderr, code: done.status };
}

describe.skipIf(!checked.available)(`a confined agent${because}`, () => {
  test('sees the copy at the path of the project, and writes there', () => {
    const root = makeFolder({ 'a.txt': 'project' });
    const copy = makeFolder({ 'a.txt': 'copy' });
    const { text, code } = run('pwd; cat a.txt; echo new > b.txt; exit 7', { root, copy }, makeFolder());
    expect(text).toBe(`${root}\ncopy`);
    expect(code).toBe(7);
    expect(readFileSync(join(copy, 'b.txt'), 'utf8')).toBe('new\n');
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
  });

  test('sees no keys, and of the agents only its own state', () => {
    const home = makeFolder({
      '.ssh/id_ed25519': 'KEY',
      '.aws/credentials': 'KEY',
      '.claude/.credentials.json': 'own',
      '.codex/auth.json': 'KEY',
      '.config/teddy/config.yaml': 'KEY',
      '.cargo/credentials.toml': 'KEY',
      '.cargo/config.toml': 'shown',
      '.npmrc': '//registry.example/:_authToken=KEY',
      '.gitconfig': '[user]\n\tname = Ada\n',
      '.bashrc': 'export SOME_API_KEY=KEY\n',
      '.zshrc': 'PATH=~/bin:$PATH # start\n',
      'Documents/diary': 'KEY',
    });
    const root = makeFolder({ file: '' });
    const listing = 'cd ~ && find . -type f | xargs cat';
    const { text } = run(listing, { root, copy: makeFolder(), agent: 'claude' }, home);
    expect(text).not.toContain('KEY');
    for (const shown of ['own', 'shown', 'Ada', '# start']) expect(text).toContain(shown);
  });

  test('sees no keys through a folder that is lent by a link', () => {
    const home = makeFolder({ '.ssh/id_ed25519': 'KEY', plain: 'plain' });
    const link = join(makeFolder(), 'link');
    symlinkSync(home, link);
    const lent = [{ path: 'lent', from: link, caches: [], hidden: [] }];
    const copy = makeFolder({ 'lent/.keep': '' });
    const root = makeFolder();
    const { text } = run('cat lent/plain lent/.ssh/id_ed25519', { root, copy, lent }, home);
    expect(text).toContain('plain');
    expect(text).not.toContain('KEY');
  });

  test('sees a folder on PATH, and not what other programs keep beside it', () => {
    const home = makeFolder({ '.local/share/bin/tool': 'tool', '.local/share/mail/box': 'KEY' });
    const path = `${join(home, '.local/share/bin')}:${process.env.PATH}`;
    const root = makeFolder();
    const { text } = run(
      'cd ~/.local/share; cat bin/tool mail/box',
      { root, copy: makeFolder() },
      home,
      path,
    );
    expect(text).toContain('tool');
    expect(text).not.toContain('KEY');
  });

  test('is found where npm installed it in the home folder, with what it needs', () => {
    const home = makeFolder({
      'tools/lib/node_modules/agent/main.sh':
        '#!/bin/sh\ncat "$(dirname "$(realpath "$0")")/../needed/file"\n',
      'tools/lib/node_modules/needed/file': 'needed',
      'tools/private': 'KEY',
      'tools/bin/.keep': '',
    });
    chmodSync(join(home, 'tools/lib/node_modules/agent/main.sh'), 0o755);
    symlinkSync('../lib/node_modules/agent/main.sh', join(home, 'tools/bin/agent'));
    if (!checked.available) throw new Error(checked.cause);
    const env = { PATH: `${join(home, 'tools/bin')}:${process.env.PATH}`, HOME: home };
    const root = makeFolder();
    const start = (program: string, args: readonly string[]) => [
      'sh',
      '-c',
      '"$@"; cat ~/tools/private',
      'sh',
      program,
      ...args,
    ];
    const confined = confine(
      { program: 'agent', args: [], cwd: root, env, start },
      { root, network: false, home: 'private', terminal: false },
      checked.tools,
    );
    const { stdout } = spawnSync(confined.program, confined.args, { env, encoding: 'utf8', cwd: '/' });
    expect(stdout).toBe('needed');
  });

  test('keeps what it writes in its own state, and not the settings that name commands', () => {
    const home = makeFolder({ '.claude/settings.json': '{}', '.claude/history': '' });
    const shell =
      'echo x >> ~/.claude/history; echo x >> ~/.claude/settings.json; echo x > ~/.new; cat ~/.new';
    const { text } = run(shell, { root: makeFolder(), copy: makeFolder(), agent: 'claude' }, home);
    expect(text).toMatch(/^x$/m);
    expect(readFileSync(join(home, '.claude/history'), 'utf8')).toBe('x\n');
    expect(readFileSync(join(home, '.claude/settings.json'), 'utf8')).toBe('{}');
    expect(existsSync(join(home, '.new'))).toBe(false);
  });

  test('a hidden file is hidden by every way to it', () => {
    const elsewhere = join(process.cwd(), 'node_modules', '.cache', `confine-${process.pid}`);
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, 'key'), 'KEY');
    const home = makeFolder();
    symlinkSync(elsewhere, join(home, '.ssh'));
    const copy = makeFolder({ 'secrets/one': 'KEY', plain: 'plain' });
    const options = { root: makeFolder(), copy, write: [elsewhere], hide: ['secrets'] };
    const { text } = run(`cat ~/.ssh/key '${elsewhere}/key' secrets/one; cat plain`, options, home);
    spawnSync('rm', ['-rf', elsewhere]);
    expect(text).not.toContain('KEY');
    expect(text).toContain('plain');
  });

  test('writes where the user allows it', () => {
    const home = makeFolder({ 'notes/a': 'a' });
    const options = { root: makeFolder(), copy: makeFolder(), write: ['~/notes'] };
    run('echo b > ~/notes/b', options, home);
    expect(readFileSync(join(home, 'notes/b'), 'utf8')).toBe('b\n');
  });

  test('works in its copy also where it may write around the project', () => {
    const home = makeFolder({ 'src/project/a': 'a\n', 'src/other': '', 'src/project/data/x': '' });
    const root = realpathSync(join(home, 'src/project'));
    symlinkSync('src', join(home, 'link'));
    for (const write of [['~'], ['~/src'], ['~/link'], [root], [home, 'data']]) {
      const copy = makeFolder({ a: 'copy\n', 'data/.keep': '' });
      const shell = 'cat a; echo b > a; echo b > data/new; echo b >> ../other';
      expect(run(shell, { root, copy, write }, home).text).toMatch(/^copy\n/);
      expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a\n');
      expect(existsSync(join(root, 'data/new'))).toBe(write.includes('data'));
    }
    expect(readFileSync(join(home, 'src/other'), 'utf8')).toMatch(/^(?:b\n)+$/);
  });
});

test('the environment is allowlisted: terminal, locale, the keys of that agent, and nothing else', () => {
  const environment = {
    PATH: '/bin',
    HOME: '/h',
    TERM: 'xterm',
    LC_ALL: 'C',
    TEDDY_TASK: '1',
    ANTHROPIC_API_KEY: 'a',
    ...{
      OPENAI_API_KEY: 'o',
      AWS_SECRET_ACCESS_KEY: 's',
      SSH_AUTH_SOCK: '/x',
      LD_PRELOAD: 'l',
      GITHUB_TOKEN: 'g',
    },
    NODE_OPTIONS: '--require x',
    DISPLAY: ':0',
  };
  const common = { PATH: '/bin', HOME: '/h', TERM: 'xterm', LC_ALL: 'C', TEDDY_TASK: '1' };
  expect(agentEnvironment(environment, 'claude')).toEqual({
    ...common,
    ANTHROPIC_API_KEY: 'a',
    IS_SANDBOX: '1',
  });
  expect(agentEnvironment(environment, 'codex')).toEqual({ ...common, OPENAI_API_KEY: 'o' });
  expect(agentEnvironment(environment, 'constructor')).toEqual(common);
  expect(agentEnvironment(environment)).toEqual(common);
});
