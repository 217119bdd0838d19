import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseReport } from '../../../src/core/report/parse.js';
import { makeFolder } from '../../folder.js';
import { NOBODY, noOtherUser, teddy } from '../teddy.js';
import { createAction, execTeddy, planOf, readRunFile, runIds } from './program.js';

const PLAN = planOf('Write one file', createAction('a.txt'));
const ORIGINAL = /^- \*\*Original Plan:\*\* (.*)$/m;

describe('the root', () => {
  test('is the nearest folder with .teddy, from a folder below it', async () => {
    const root = makeFolder({ '.teddy/memos.yaml': '', 'plans/plan.md': PLAN, 'src/deep/x.txt': '' });
    const { exit, stdout } = await execTeddy(['execute', '../../plans/plan.md', '-y'], {
      cwd: join(root, 'src/deep'),
    });
    expect(exit).toBe(0);
    expect(ORIGINAL.exec(stdout)?.[1]).toBe('[plans/plan.md](/plans/plan.md)');
    expect(existsSync(join(root, 'a.txt'))).toBe(true);
    expect(readdirSync(join(root, 'src/deep'))).toEqual(['x.txt']);
  });

  test('is the top of a Git worktree, where .git is a file', async () => {
    const folder = makeFolder({ 'main/README.md': 'hello\n' });
    const git = (...words: string[]) =>
      execFileSync(
        'git',
        ['-C', join(folder, 'main'), '-c', 'user.name=t', '-c', 'user.email=t@t', ...words],
        {
          stdio: 'ignore',
        },
      );
    git('init');
    git('add', '.');
    git('commit', '-m', 'first');
    git('worktree', 'add', join(folder, 'tree'));
    mkdirSync(join(folder, 'tree/src'));
    writeFileSync(join(folder, 'tree/plan.md'), PLAN);
    const { exit } = await execTeddy(['execute', '../plan.md', '-y'], { cwd: join(folder, 'tree/src') });
    expect(exit).toBe(0);
    expect(readFileSync(join(folder, 'tree/a.txt'), 'utf8')).toBe('text\n');
    expect(runIds(join(folder, 'tree'))).toHaveLength(1);
    // The lock is the main worktree's, for both to take turns; the run is not.
    expect(runIds(join(folder, 'main'))).toEqual([]);
    const untracked = execFileSync('git', ['-C', join(folder, 'tree'), 'status', '--short'], {
      encoding: 'utf8',
    });
    // What teddy keeps for itself is not for Git.
    expect(untracked).toBe('?? a.txt\n?? plan.md\n');
  });

  test('can be another folder than that of the plan, which is then linked as a copy', async () => {
    const folder = makeFolder({ 'plan.md': PLAN, 'project/README.md': '' });
    const { exit, stdout } = await execTeddy(['execute', 'plan.md', '-y', '--root', 'project'], {
      cwd: folder,
    });
    const [id] = runIds(join(folder, 'project'));
    expect(exit).toBe(0);
    expect(ORIGINAL.exec(stdout)?.[1]).toBe(`[.teddy/runs/${id}/plan.md](/.teddy/runs/${id}/plan.md)`);
    expect(readRunFile(join(folder, 'project'), id!, 'plan.md')).toBe(PLAN);
    expect(existsSync(join(folder, 'project/a.txt'))).toBe(true);
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
  });

  test('that is reached through a link is the folder itself', async () => {
    const folder = makeFolder({ 'real/plan.md': PLAN });
    symlinkSync('real', join(folder, 'link'));
    const { exit, stdout } = await execTeddy(['execute', 'link/plan.md', '-y', '--root', 'link'], {
      cwd: folder,
    });
    expect(exit).toBe(0);
    expect(ORIGINAL.exec(stdout)?.[1]).toBe('[plan.md](/plan.md)');
  });
});

describe('a .teddy that cannot be used is said to be so, and nothing is done', () => {
  const expectRefused = async (project: string, said: RegExp) => {
    const before = readdirSync(project).sort();
    const { exit, stdout, stderr } = await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
    expect(stderr).not.toContain('bug in teddy');
    expect(stderr).toMatch(said);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(readdirSync(project).sort()).toEqual(before);
  };

  test('a file', () => expectRefused(makeFolder({ 'plan.md': PLAN, '.teddy': '' }), /^teddy: \.teddy /));

  test('a link that leads out', async () => {
    const folder = makeFolder({ 'project/plan.md': PLAN, 'elsewhere/x': '' });
    symlinkSync('../elsewhere', join(folder, 'project/.teddy'));
    await expectRefused(join(folder, 'project'), /\.teddy\b.* (?:sym)?link/);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['x']);
  });

  test('a link in it that leads out', async () => {
    const folder = makeFolder({ 'project/plan.md': PLAN, 'project/.teddy/x': '', 'elsewhere/x': '' });
    symlinkSync('../../elsewhere', join(folder, 'project/.teddy/runs'));
    await expectRefused(join(folder, 'project'), /^teddy: \.teddy\/runs /);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['x']);
  });

  test('a config that is a folder', () =>
    expectRefused(
      makeFolder({ 'plan.md': PLAN, '.teddy/config.yaml/x': '' }),
      /^teddy: \.teddy\/config\.yaml.* is a folder/,
    ));
});

describe('without a home', () => {
  const homeless = { HOME: undefined, XDG_STATE_HOME: undefined };

  test('nothing is done, and it is said what to set', async () => {
    const project = makeFolder({ 'plan.md': PLAN });
    const { exit, stderr } = await execTeddy(['execute', 'plan.md', '-y'], { cwd: project, env: homeless });
    expect(exit).toBe(2);
    expect(stderr).toContain('HOME');
    expect(existsSync(join(project, 'a.txt'))).toBe(false);
    expect(runIds(project)).toEqual([]);
  });

  test('a plan can be looked at', async () => {
    const project = makeFolder({ 'plan.md': PLAN });
    const { exit } = await execTeddy(['execute', 'plan.md', '--dry-run'], { cwd: project, env: homeless });
    expect(exit).toBe(0);
  });
});

describe.skipIf(noOtherUser)(`files that may not be written${noOtherUser}`, () => {
  /** The folder, everything in which belongs to the other user but for what is listed. */
  const project = (files: Record<string, string>, readOnly: string[]) => {
    const folder = makeFolder({ ...files, 'home/x': '' });
    chmodSync(folder, 0o755);
    for (const entry of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
      if (!readOnly.includes(entry)) chownSync(join(folder, entry), NOBODY, NOBODY);
    return folder;
  };
  const run = (folder: string, ...words: string[]) =>
    teddy(words, { cwd: folder, uid: NOBODY, env: { XDG_STATE_HOME: join(folder, 'home') } });

  test('a project that is read-only for this user', () => {
    const folder = project({ 'plan.md': PLAN }, ['.']);
    const { exit, stdout, stderr } = run(folder, 'execute', 'plan.md', '-y');
    expect(stderr).not.toContain('bug in teddy');
    expect(stderr).toMatch(/\.teddy/);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(run(folder, 'execute', 'plan.md', '--dry-run').exit).toBe(0);
    expect(run(folder, 'runs').stdout).toBe('There are no runs here yet.\n');
  });

  const THREE = planOf(
    'Three files',
    ...['rw/a.txt', 'ro/b.txt', 'rw/c.txt'].map((path) => createAction(path)),
  );

  test('files that are written as one fail as one, and each names the one that is to blame', () => {
    const folder = project({ 'plan.md': THREE, 'rw/x': '', 'ro/x': '' }, ['ro']);
    const { exit, stdout } = run(folder, 'execute', 'plan.md', '-y');
    expect(exit).toBe(1);
    expect(statuses(stdout)).toEqual(['failure', 'failure', 'failure']);
    expect(stdout.match(/\*\*Error:\*\*\n````\nNothing was written: .*ro\/b\.txt/g)).toHaveLength(3);
    expect(readdirSync(join(folder, 'rw'))).toEqual(['x']);
  });
});

function statuses(report: string): string[] {
  const parsed = parseReport(report);
  return parsed.status === 'refused' ? [parsed.reason] : parsed.actions.map(({ outcome }) => outcome.status);
}
