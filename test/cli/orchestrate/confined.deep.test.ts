import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { endOf, until } from '../sessions/site.js';
import { planText, Site, type SiteOptions } from './site.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

/** Prints the result of the first task, whatever else it did. */
const CLAIM = `printf 'status: success\\ntask_name: "%s"\\nfiles_modified: [made.txt]\\nverification: {command: "as planned", exit_code: 0, output_summary: seen}\\ndone_criteria_met: true\\nevidence: "Written."\\nerror: null\\n' "$TEDDY_TASK_NAME"`;

/** Its executor is a script of the project, so that it is there for it; `$SITE` is where its words say. */
function confinedSite(work: string, options: SiteOptions & { verify?: string } = {}): Site {
  const { verify = 'test -s made.txt', files, ...rest } = options;
  const site = new Site(
    { '01-01': planText('01-01', [{ files: 'made.txt', verify }]) },
    {
      confined: true,
      config: '  inside: {command: sh work.sh}\norchestrate: {executor: inside}\n',
      files: {
        'made.txt': 'one\n',
        '.gitignore': '.env\n.teddy\n',
        '.env': 'TOKEN=of-the-project\n',
        ...files,
      },
      ...rest,
    },
  );
  site.write('work.sh', `SITE=${site.base} ROOT=${site.root}\n${work}\n${CLAIM}\n`);
  site.writeBeside('.ssh/id_ed25519', 'a-private-key\n');
  site.writeBeside('beside.txt', 'beside\n');
  if (rest.git) site.commit('Begin');
  return site;
}

const SPY = `
{ cat "$HOME/.ssh/id_ed25519" "$ROOT/.env" "$HOME/beside.txt"; env; } > seen.txt 2>&1
echo changed > "$HOME/beside.txt"
echo changed > "$HOME/new.txt"
echo changed > "$ROOT/.ultraplan/state/journal.jsonl"
echo changed > "$ROOT/.teddy/config.yaml"
echo two > made.txt`;

describe.skipIf(because !== '')(`confined executors${because}`, () => {
  test.each(['none', 'worktree'])('see no keys, and write nowhere else: %s', async (isolation) => {
    const site = confinedSite(SPY, { git: true, env: { SOME_SECRET: 'of-the-environment' } });
    const config = site.read('.teddy/config.yaml');
    const run = await site.conduct('--isolation', isolation);
    expect({ exit: run.exit, stderr: run.stderr }).toMatchObject({ exit: 0 });
    expect(run.of('began')[0]!.overview.confinement).toEqual({ network: true });
    expect(site.read('made.txt')).toBe('two\n');
    const seen = site.read('seen.txt');
    expect(seen).toContain('TEDDY_TASK_ID=01-01:1');
    for (const secret of ['a-private-key', 'of-the-project', 'of-the-environment'])
      expect(seen).not.toContain(secret);
    expect(site.note('beside.txt')).toBe('beside\n');
    expect(existsSync(join(site.base, 'new.txt'))).toBe(false);
    expect(site.read('.teddy/config.yaml')).toBe(config);
    expect(site.journal.map(({ type }) => type)).toContain('ended');
  });

  test.each(['none', 'worktree'])(
    'use git, of which nothing reaches the repository: %s',
    async (isolation) => {
      const site = confinedSite(
        `echo two > made.txt; set -e
git add -A; git commit -qm inside; git branch other; git config core.fsmonitor ./hook
mkdir -p "$(git rev-parse --git-path hooks)"; echo evil > "$(git rev-parse --git-path hooks)/post-checkout"
git log --format=%s > log.txt; git status --porcelain > status.txt`,
        { git: true },
      );
      const run = await site.conduct('--isolation', isolation);
      expect(run.exit).toBe(0);
      expect(site.read('log.txt')).toBe('inside\nBegin\nBegin\n');
      expect(site.read('status.txt')).toBe('?? log.txt\n?? status.txt\n');
      expect(site.git('log', '--format=%s')).not.toContain('inside');
      expect(site.leftovers()).toEqual({ worktrees: 0, branches: [], folders: [] });
      expect(site.git('config', '--list')).not.toContain('fsmonitor');
      expect(existsSync(join(site.root, '.git/hooks/post-checkout'))).toBe(false);
      expect(readdirSync(join(site.root, '.ultraplan/state/git'))).toEqual([]);
    },
  );

  test.each(['none', 'worktree'])(
    'use git in a repository with a submodule and a split index: %s',
    async (isolation) => {
      const site = confinedSite(
        `echo two > made.txt; set -e
git status --porcelain made.txt module > status.txt; git add made.txt; git commit -qm inside; git log --format=%s > log.txt; [ ! -e module/.git ] || git -C module log --format=%s >> log.txt
cat "$ROOT/.git/modules/module/config" > seen.txt`,
        { git: true },
      );
      site.git('init', '-q', '../library');
      site.git('-C', '../library', 'commit', '-q', '--allow-empty', '-m', 'library');
      site.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '../library', 'module');
      site.commit('With a module');
      site.git('-C', 'module', 'remote', 'set-url', 'origin', 'https://me:s3cr3t@example.org/x');
      site.git('update-index', '--split-index');
      const run = await site.conduct('--isolation', isolation);
      expect({ exit: run.exit, stderr: run.stderr }).toMatchObject({ exit: 0 });
      expect(site.read('status.txt')).toBe(' M made.txt\n');
      const inModule = isolation === 'none' ? 'library\n' : '';
      expect(site.read('log.txt')).toBe(`inside\nWith a module\nBegin\nBegin\n${inModule}`);
      expect(site.read('seen.txt')).toBe('');
    },
  );

  test.each(['none', 'worktree'])(
    'and verify commands, see no password of a remote: %s',
    async (isolation) => {
      const show = 'cat "$ROOT/.git/config" "$(git rev-parse --git-dir)/config"; git remote -v';
      const site = confinedSite(`(${show}) > seen.txt 2>&1; echo two > made.txt`, {
        git: true,
        verify: '! grep s3cr3t $(git rev-parse --git-common-dir)/config &amp;&amp; git log -1',
      });
      site.git('remote', 'add', 'origin', 'https://me:s3cr3t@example.org/x');
      const run = await site.conduct('--isolation', isolation);
      expect({ exit: run.exit, stderr: run.stderr }).toMatchObject({ exit: 0 });
      expect(site.read('seen.txt')).toContain('[core]');
      expect(site.read('seen.txt')).not.toContain('s3cr3t');
    },
  );

  test('verify commands write nowhere else, and cannot change the repository', async () => {
    const verify = `(echo x > '../../../../../beside.txt'; echo x > ~/new.txt; git tag evil); cat ~/.ssh/id_ed25519 && exit 1; env | grep -i secret && exit 1; git log -1 --format=%25s && test -s made.txt`;
    const site = confinedSite('echo two > made.txt', {
      git: true,
      env: { SOME_SECRET: 'of-the-environment' },
      verify: verify.replace('%25', '%').replaceAll('&', '&amp;').replaceAll('>', '&gt;'),
    });
    const run = await site.conduct('--isolation', 'worktree');
    expect(run.of('finished')[0]).toMatchObject({ outcome: 'done' });
    expect(site.note('beside.txt')).toBe('beside\n');
    expect(existsSync(join(site.base, 'new.txt'))).toBe(false);
    expect(site.git('tag')).toBe('');
  });

  test('can write where confine.write of the user says, and all with --unconfined', async () => {
    const work = 'echo two > made.txt; echo changed > "$HOME/beside.txt"; echo new > "$HOME/kept/new.txt"';
    const site = confinedSite(work, { git: true });
    site.writeBeside('.config/teddy/config.yaml', 'confine: {write: ["~/kept"]}\n');
    site.writeBeside('kept/old.txt', '');
    expect((await site.conduct()).exit).toBe(0);
    expect([site.note('beside.txt'), site.note('kept/new.txt')]).toEqual(['beside\n', 'new\n']);
    const free = confinedSite(work, { git: true });
    expect((await free.conduct('--unconfined')).exit).toBe(0);
    expect(free.note('beside.txt')).toBe('changed\n');
  });

  test.each([
    ['a script', 'sh "$HOME/tools/work.sh"', 'tools/work.sh: No such file'],
    ['a program', '~/tools/work.sh', 'not found'],
  ])('that are outside the copy are named, once: %s', async (_, command, printed) => {
    const site = confinedSite('', { git: true });
    const tool = join(site.base, 'tools/work.sh');
    site.writeBeside('tools/work.sh', `#!/bin/sh\necho two > made.txt\n${CLAIM}\n`);
    chmodSync(tool, 0o755);
    site.write('.teddy/config.yaml', `executors: {outside: {command: '${command}'}}\n`);
    const run = await site.conduct('--executor', 'outside', '--isolation', 'none');
    expect(run.of('started')).toHaveLength(1);
    const { why, message } = run.of('asked')[0]!.question;
    expect(why).toBe('unusable');
    expect(message).toContain(
      `${tool} exists, but the executor is confined and cannot see it. Commit it to the project, move it to a folder that all programs share, such as /usr/local/bin, or use --unconfined.`,
    );
    expect(message).toContain(printed);
    expect(message).toMatch(/\nNo other task starts until you decide\.$/);
    expect(message).not.toContain('Install it');
    expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
    expect((await site.conduct('--executor', 'outside', '--isolation', 'none', '--unconfined')).exit).toBe(0);
  });

  test('end with teddy, however it ends', async () => {
    const site = confinedSite('echo two > made.txt; setsid sleep 600 & while :; do sleep 0.01; done');
    const running = () =>
      readdirSync('/proc').filter((name) => {
        try {
          return readFileSync(`/proc/${name}/environ`, 'latin1').includes(`PWD=${site.root}\0`);
        } catch {
          return false;
        }
      });
    const child = site.start(['orchestrate', '--yes']);
    const end = endOf(child);
    await until(() => site.read('made.txt') === 'two\n' && running().length > 1, 'a running executor');
    child.kill('SIGKILL');
    await end;
    await until(() => running().length === 0, 'the end of its executor');
  });

  test('need --unconfined where they cannot be confined', async () => {
    const site = confinedSite('echo two > made.txt');
    for (const name of ['sh', 'git', 'node', 'test', 'cat', 'echo'])
      site.program(
        name,
        `exec ${spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()} "$@"`,
      );
    site.env.PATH = join(site.base, 'bin');
    const refused = await site.orchestrate();
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain(
      'Executors cannot be confined: bubblewrap (bwrap) is not on PATH. Install it (Debian, Ubuntu: apt-get install bubblewrap). To run them without confinement, pass --unconfined.',
    );
    expect(site.read('made.txt')).toBe('one\n');
    const free = await site.orchestrate('--unconfined');
    expect(free).toMatchObject({ exit: 0 });
    expect(free.stderr).toContain(
      'Not confined: executors and verify commands can change all that you can.\n',
    );
  });
});
