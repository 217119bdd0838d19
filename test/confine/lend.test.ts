import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../src/confine/check.js';
import { confine } from '../../src/confine/confine.js';
import { type Lending, lendFolders } from '../../src/confine/lend.js';
import { createCopy } from '../../src/workspace/copy/create-copy.js';
import type { ProjectCopy } from '../../src/workspace/copy/types.js';
import { makeFolder } from '../folder.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;
const tools = checked.available ? checked.tools : { bubblewrap: '', nothing: '' };

async function makeCopy(): Promise<ProjectCopy> {
  const base = realpathSync(makeFolder());
  // Every character that the options of a mount would read as something else.
  const root = join(base, 'a,b:c d\\e');
  const folder = join(base, 'changes,1');
  for (const path of [root, folder, join(root, 'node_modules/pkg/.cache'), join(root, 'build')])
    mkdirSync(path, { recursive: true });
  const files = {
    'a.txt': 'a\n',
    'node_modules/pkg/index.js': '1',
    'build/.env': 'SECRET',
    'build/out': 'out',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  writeFileSync(join(root, '.gitignore'), 'node_modules/\nbuild/\n');
  const git = ['-c', 'user.name=a', '-c', 'user.email=b'];
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', [...git, 'add', '.'], { cwd: root });
  execFileSync('git', [...git, 'commit', '-qm', 'first'], { cwd: root });
  const made = await createCopy(root, folder);
  if (made.status !== 'ok') throw new Error(made.reason);
  return made.copy;
}

function run(shell: string, { root, copy }: ProjectCopy, { lent }: Lending): string {
  const home = makeFolder();
  const env = { PATH: process.env.PATH, HOME: home };
  const { program, args } = confine(
    { program: '/bin/sh', args: ['-c', shell], cwd: root, env },
    { root, copy, lent, network: false, home: 'private', terminal: false },
    tools,
  );
  const { stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8', cwd: '/' });
  return stdout + stderr;
}

const WRITE = 'echo 2 > node_modules/pkg/index.js; cat node_modules/pkg/index.js build/out; cat build/.env';

describe.skipIf(!checked.available)(`folders that are lent${because}`, () => {
  test('on an overlay they can be written, and the project does not change', async () => {
    const copy = await makeCopy();
    const lending = await lendFolders(copy, tools, process.env);
    expect(lending.how).toBe('overlay');
    const text = run(`${WRITE}; rm -r build/out`, copy, lending);
    expect(text).toContain('2\nout');
    expect(text).not.toContain('SECRET');
    expect(readFileSync(join(copy.root, 'node_modules/pkg/index.js'), 'utf8')).toBe('1');
    expect(existsSync(join(copy.root, 'build/out'))).toBe(true);
    // The next start sees what the first one wrote.
    expect(
      run(WRITE.slice(WRITE.indexOf('cat')), copy, await lendFolders(copy, tools, process.env)),
    ).toContain('2\n');
  });

  test('without one they are read-only, and their caches can be written', async () => {
    const copy = await makeCopy();
    const { bubblewrap, nothing } = tools;
    const lending = await lendFolders(copy, { bubblewrap, nothing }, process.env);
    expect(lending.how).toBe('read-only');
    const text = run(
      `${WRITE}; echo c > node_modules/pkg/.cache/x && cat node_modules/pkg/.cache/x`,
      copy,
      lending,
    );
    expect(text).toContain('Read-only file system');
    expect(text).toContain('1out');
    expect(text).not.toContain('SECRET');
  });

  test('git works inside, and none of it reaches the repository', async () => {
    const copy = await makeCopy();
    const lending = await lendFolders(copy, tools, process.env);
    const git = 'git -c user.name=a -c user.email=b';
    const shell = `echo b >> a.txt; git status --porcelain; ${git} commit -qam second; git log --format=%s; git checkout -q -b other; git branch --show-current; echo x > .git/borrowed/0/x`;
    const text = run(shell, copy, lending);
    expect(text).toMatch(/^ M a\.txt\nsecond\nfirst\nother\n.*Read-only file system/);
    const log = execFileSync('git', ['log', '--all', '--format=%s'], { cwd: copy.root, encoding: 'utf8' });
    expect(log).toBe('first\n');
  });

  test('a link that the agent left in the place of a lent folder is not followed', async () => {
    const copy = await makeCopy();
    rmSync(join(copy.copy, 'node_modules'), { recursive: true });
    const outside = makeFolder();
    symlinkSync(outside, join(copy.copy, 'node_modules'));
    const { lent } = await lendFolders(copy, tools, process.env);
    expect(lent.map(({ path }) => path)).not.toContain('node_modules');
  });

  test('every folder keeps what was written in it when another is gone at the next start', async () => {
    const copy = await makeCopy();
    run(WRITE, copy, await lendFolders(copy, tools, process.env));
    rmSync(join(copy.copy, 'build'), { recursive: true });
    const text = run(
      'cd node_modules; cat pkg/index.js .env',
      copy,
      await lendFolders(copy, tools, process.env),
    );
    expect(text).toMatch(/^2\n.*No such file/);
  });

  test('a link on the way to a hidden file leads no mount outside', async () => {
    const copy = await makeCopy();
    const { lent } = await lendFolders(copy, tools, process.env);
    const build = lent.find(({ path }) => path === 'build')!;
    const outside = makeFolder();
    // What an agent of an earlier start could have left: while bubblewrap mounts, the machine's disk is at /oldroot.
    symlinkSync(`/oldroot${outside}`, join(build.overlay!, 'upper/sub'));
    mkdirSync(join(copy.root, 'build/sub'));
    writeFileSync(join(copy.root, 'build/sub/.env'), 'SECRET');
    const hidden = lent.map((each) => (each === build ? { ...each, hidden: ['sub/.env'] } : each));
    expect(run('echo started', copy, { lent: hidden, how: 'overlay' })).toBe('started\n');
    expect(readdirSync(outside)).toEqual([]);
  });
});
