// From a briefing to its report, in a real git repository.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeOf, makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { TEDDY } from '../teddy.js';
import {
  brief,
  checkText,
  claimsOf,
  codesOf,
  commitAll,
  git,
  makeRepository,
  namesIn,
  readJsonFile,
  remove,
  reportOf,
  write,
} from './project.js';

const FILES = { 'src/auth.ts': 'a\n', 'src/old.ts': 'old\n', 'docs/auth.md': 'd\n', '.gitignore': 'out/\n' };
const BRIEF = ['implementer', '--task-id', 'auth-1', '--goal', 'Limit the attempts.'];
const PATH = '$.findings.changed_files';

describe('a briefing', () => {
  test('is kept as it was given out, with what was asked and how the files were', async () => {
    const cwd = makeRepository(FILES);
    write(cwd, 'docs/auth.md', 'a draft\n');
    const env = { TEDDY_NOW: '2026-01-02T03:04:05Z' };
    const { stdout, kept } = await brief([...BRIEF, '--scope', 'src/**', 'test/**'], { cwd, env });
    expect(kept).toMatch(/^\.teddy\/reports\/auth-1-[0-9a-f]{8}\/briefing-1\.json$/);
    expect(readFileSync(join(cwd, kept.replace('.json', '.md')), 'utf8')).toBe(stdout);
    expect(readJsonFile(cwd, kept)).toEqual({
      task_id: 'auth-1',
      agent: 'implementer',
      at: '2026-01-02T03:04:05Z',
      goal: 'Limit the attempts.',
      verbosity: 'detailed',
      scope: ['src/**', 'test/**'],
      manual: expect.stringMatching(/^[0-9a-f]{64}$/),
      baseline: {
        commit: git(cwd, 'rev-parse', 'HEAD').trim(),
        files: { 'docs/auth.md': expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      seal: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(git(cwd, 'status', '--porcelain', '--', '.teddy/reports')).toBe('');
  });

  test('as JSON is the same text', async () => {
    const cwd = makeRepository(FILES);
    const { stdout, kept } = await brief([...BRIEF, '--json'], { cwd });
    const { briefing } = JSON.parse(stdout);
    expect(readFileSync(join(cwd, kept.replace('.json', '.md')), 'utf8')).toBe(briefing);
  });

  test('that goes into a file of the project is no change of the agent, nor is the report’s own file', () => {
    const cwd = makeRepository(FILES);
    const shell = (script: string) => {
      const env = {
        PATH: process.env.PATH,
        TMPDIR: tmpdir(),
        HOME: homeOf(cwd),
        XDG_STATE_HOME: join(cwd, '.git/state'),
        XDG_CACHE_HOME: join(cwd, '.git/cache'),
      };
      return spawnSync('bash', ['-c', script, process.execPath, TEDDY], { cwd, env, encoding: 'utf8' });
    };
    shell('"$0" "$1" agent brief implementer --task-id auth-1 --goal g > briefing.md');
    expect(readFileSync(join(cwd, 'briefing.md'), 'utf8')).toMatch(/^# Briefing for `implementer`\n/);
    // Whoever claims the report itself has written it.
    for (const claims of [[], ['created report.json']]) {
      write(cwd, 'report.json', claimsOf(claims));
      const { status, stdout } = shell('"$0" "$1" agent check report.json --json');
      expect({ status, issues: JSON.parse(stdout).issues }).toEqual({ status: 0, issues: [] });
    }
  });

  test('that is given again stands over the one before', async () => {
    const cwd = makeRepository(FILES);
    await brief([...BRIEF, '--verbosity', 'summary'], { cwd });
    const { kept } = await brief([...BRIEF, '--verbosity', 'detailed'], { cwd });
    expect(kept).toMatch(/\/briefing-2\.json$/);
    const end = await checkText(claimsOf([]), [], { cwd });
    expect(end.said).toMatchObject({ compliant: true, route: 'accept', issues: [] });
  });

  test('asks for its agent and its level, unless the command says otherwise', async () => {
    const cwd = makeRepository(FILES);
    await brief([...BRIEF, '--verbosity', 'summary'], { cwd });
    const detailed = claimsOf([]);
    const asBriefed = await checkText(detailed, [], { cwd });
    expect(codesOf(asBriefed)).toEqual(['verbosity-differs $.report_metadata.verbosity_level']);
    expect(asBriefed).toMatchObject({ exit: 1, said: { route: 'failed' } });
    const asSaid = await checkText(detailed, ['--verbosity', 'detailed'], { cwd });
    expect(asSaid).toMatchObject({ exit: 0, said: { issues: [], route: 'accept' } });

    const other = await checkText(reportOf({ agent: 'reviewer', level: 'summary' }), [], { cwd });
    expect(codesOf(other)).toContain('agent-differs $.report_metadata.agent_name');
    // By the manual of the agent that was asked.
    expect(codesOf(other)).toContain('findings-missing $.findings.changed_files');
  });
});

describe('what an implementer claims', () => {
  test('is accepted where git sees the same', async () => {
    const cwd = makeRepository(FILES);
    await brief([...BRIEF, '--scope', 'src/**'], { cwd });
    write(cwd, 'src/auth.ts', 'b\n');
    write(cwd, 'src/limit/limit.ts', 'new\n');
    remove(cwd, 'src/old.ts');
    write(cwd, 'out/ignored.txt', 'git does not see it\n');
    const claims = ['modified src/auth.ts', 'created src/limit/limit.ts', 'deleted src/old.ts'];
    const end = await checkText(claimsOf(claims), [], { cwd });
    expect(end).toMatchObject({ exit: 0, stderr: '' });
    expect(end.said).toMatchObject({ compliant: true, route: 'accept', issues: [] });
  });

  test('is accepted in whatever way the path is written, and whether it is committed or not', async () => {
    const cwd = makeRepository(FILES);
    await brief([...BRIEF, '--scope', 'src/**'], { cwd });
    write(cwd, 'src/auth.ts', 'b\n');
    commitAll(cwd);
    write(cwd, 'src/limit.ts', 'new\n');
    git(cwd, 'add', 'src/limit.ts');
    const end = await checkText(claimsOf(['modified /src/./auth.ts', 'created src/limit.ts']), [], { cwd });
    expect(end.said).toMatchObject({ route: 'accept', issues: [] });
  });

  test('is for human review where it is not true, not complete or out of scope', async () => {
    const cwd = makeRepository(FILES);
    await brief([...BRIEF, '--scope', 'src/**'], { cwd });
    write(cwd, 'src/limit.ts', 'new\n');
    write(cwd, 'docs/auth.md', 'changed\n');
    remove(cwd, 'src/old.ts');
    const claims = [
      'modified src/auth.ts',
      'modified src/limit.ts',
      'created ../elsewhere.ts',
      'modified .git/config',
      'modified docs/auth.md',
    ];
    const end = await checkText(claimsOf(claims), [], { cwd });
    expect(end).toMatchObject({ exit: 0, said: { compliant: true, route: 'human-review' } });
    expect(codesOf(end).sort()).toEqual(
      [
        `claim-unchanged ${PATH}[0].path`,
        `claim-kind ${PATH}[1].change`,
        `claim-invalid ${PATH}[2].path`,
        `claim-invalid ${PATH}[3].path`,
        `change-out-of-scope ${PATH}[4]`,
        `change-unclaimed ${PATH}`,
      ].sort(),
    );
    const unclaimed = end.said.issues.find(({ code }) => code === 'change-unclaimed');
    expect(unclaimed?.message).toContain('"src/old.ts" was deleted');
  });

  test('is for human review where a change outside the scope is not even claimed', async () => {
    const cwd = makeRepository(FILES);
    await brief([...BRIEF, '--scope', 'src/**'], { cwd });
    write(cwd, 'docs/auth.md', 'changed\n');
    const end = await checkText(claimsOf([]), [], { cwd });
    expect(codesOf(end)).toEqual([`change-unclaimed ${PATH}`, `change-out-of-scope ${PATH}`]);
    expect(end.said.route).toBe('human-review');
  });

  test('of a file that was renamed is one deleted and one created', async () => {
    const cwd = makeRepository(FILES);
    await brief(BRIEF, { cwd });
    git(cwd, 'mv', 'src/old.ts', 'src/new.ts');
    const end = await checkText(claimsOf(['deleted src/old.ts', 'created src/new.ts']), [], { cwd });
    expect(end.said).toMatchObject({ route: 'accept', issues: [] });
    const other = await checkText(claimsOf(['modified src/new.ts']), [], { cwd });
    expect(codesOf(other)).toEqual([`claim-kind ${PATH}[0].change`, `change-unclaimed ${PATH}`]);
  });

  test('is compared with how the files were at the briefing, not at the last commit', async () => {
    const cwd = makeRepository(FILES);
    write(cwd, 'src/auth.ts', 'of a person\n');
    write(cwd, 'notes.txt', 'of a person\n');
    write(cwd, 'draft.txt', 'of a person\n');
    remove(cwd, 'src/old.ts');
    await brief(BRIEF, { cwd });
    const nothing = await checkText(claimsOf([]), [], { cwd });
    expect(nothing.said).toMatchObject({ route: 'accept', issues: [] });

    const boast = await checkText(claimsOf(['modified src/auth.ts', 'deleted src/old.ts']), [], { cwd });
    expect(codesOf(boast)).toEqual([`claim-unchanged ${PATH}[0].path`, `claim-unchanged ${PATH}[1].path`]);

    write(cwd, 'src/auth.ts', 'of the agent\n');
    write(cwd, 'src/old.ts', 'old\n');
    remove(cwd, 'draft.txt');
    const claims = ['modified src/auth.ts', 'created src/old.ts', 'deleted draft.txt'];
    const honest = await checkText(claimsOf(claims), [], { cwd });
    expect(honest.said).toMatchObject({ route: 'accept', issues: [] });
  });

  test('is compared with the last commit where nobody was briefed, and with --base where that is said', async () => {
    const cwd = makeRepository(FILES);
    write(cwd, 'src/auth.ts', 'b\n');
    const claims = claimsOf(['modified src/auth.ts']);
    const before = await checkText(claims, [], { cwd });
    expect(before.said).toMatchObject({ route: 'accept', issues: [] });
    commitAll(cwd);
    const after = await checkText(claims, [], { cwd });
    expect(codesOf(after)).toEqual([`claim-unchanged ${PATH}[0].path`]);
    const sinceBase = await checkText(claims, ['--base', 'HEAD~1'], { cwd });
    expect(sinceBase.said).toMatchObject({ route: 'accept', issues: [] });
  });

  test('is compared with --base even where there was a briefing', async () => {
    const cwd = makeRepository(FILES);
    write(cwd, 'src/auth.ts', 'b\n');
    commitAll(cwd);
    await brief(BRIEF, { cwd });
    const claims = claimsOf(['modified src/auth.ts']);
    expect(codesOf(await checkText(claims, [], { cwd }))).toEqual([`claim-unchanged ${PATH}[0].path`]);
    const sinceBase = await checkText(claims, ['--base', 'HEAD~1'], { cwd });
    expect(sinceBase.said).toMatchObject({ route: 'accept', issues: [] });
  });

  test.each(['no-such-commit', '--output=pwned', '-x', 'HEAD:src/auth.ts'])(
    'cannot be compared with a --base that is no commit: %s',
    async (base) => {
      const cwd = makeRepository(FILES);
      const words = ['agent', 'check', '-', `--base=${base}`];
      const { exit, stderr, stdout } = await execTeddy(words, { cwd, input: claimsOf([]) });
      // Whoever names a commit wants to know whether the claims hold.
      expect(exit).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toContain(`"${base}" is not a commit of this repository`);
      expect(namesIn(cwd, '.')).not.toContain('pwned');
    },
  );

  test('is not compared where there is no repository, and that is said', async () => {
    const cwd = makeFolder({ 'src/auth.ts': 'a\n' });
    const end = await checkText(claimsOf(['modified src/auth.ts']), [], { cwd });
    expect(codesOf(end)).toEqual([`claims-unverified ${PATH}`]);
    expect(end.said).toMatchObject({ compliant: true, route: 'accept' });
  });

  test('in a report without changed files is nothing, and denies nothing', async () => {
    const cwd = makeRepository(FILES);
    await brief(['investigator', '--task-id', 'auth-1', '--goal', 'Look.'], { cwd });
    write(cwd, 'src/auth.ts', 'b\n');
    const end = await checkText(reportOf(), [], { cwd });
    expect(end.said).toMatchObject({ route: 'accept', issues: [] });
  });
});

test('paths count from the root, wherever one is', async () => {
  const cwd = makeRepository(FILES);
  const inner = join(cwd, 'src/deep');
  mkdirSync(inner);
  const { kept } = await brief([...BRIEF, '--scope', 'src/**'], { cwd: inner });
  write(cwd, 'src/deep/limit.ts', 'new\n');
  const end = await checkText(claimsOf(['created src/deep/limit.ts']), [], { cwd: inner });
  expect(end.said).toMatchObject({ route: 'accept', issues: [] });
  expect(namesIn(cwd, kept.slice(0, kept.lastIndexOf('/')))).toContain('answer-1.json');
});

test('a report that is asked for under another id is kept under the one that was asked', async () => {
  const cwd = makeRepository(FILES);
  const { kept } = await brief(BRIEF, { cwd });
  const end = await checkText(claimsOf([], { taskId: 'auth-2' }), ['--task-id', 'auth-1'], { cwd });
  expect(codesOf(end)).toEqual(['task-id-differs $.report_metadata.task_id']);
  expect(end).toMatchObject({ exit: 1, said: { kept: kept.replace('briefing', 'answer') } });
});
