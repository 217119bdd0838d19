import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { claimOf, keptIn, makeProject, PLAN_PATH } from './project.js';

const SUBMIT = ['result', 'submit', '-', '--plan', '01-01'];

/** What stands in the root, and in `.planning`. */
function namesIn(project: string): string[] {
  return [...readdirSync(project), ...readdirSync(join(project, '.planning'))];
}

describe('a path that leads out of the root', () => {
  test.each([
    ['absolute', '/etc/hosts'],
    ['above', '../STATE.md'],
    ['above, by a way round', '.planning/../../STATE.md'],
    ['the root itself', '.'],
    ['through a link', 'away/STATE.md'],
  ])('is no STATE.md: %s', async (_, state) => {
    const outside = makeFolder();
    const cwd = makeProject();
    symlinkSync(outside, join(cwd, 'away'));
    const before = namesIn(cwd);
    const ends = [
      await execTeddy([...SUBMIT, '--state', state], { cwd, input: claimOf() }),
      await execTeddy(['state', '--state', state, '--write'], { cwd }),
      await execTeddy(['state', '--state', state], { cwd }),
    ];
    for (const { exit, stdout, stderr } of ends) {
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toContain(`teddy: --state ${state} is outside this project (root: ${cwd}`);
    }
    expect(namesIn(cwd).filter((name) => name !== '.teddy')).toEqual(before);
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).not.toContain('status=');
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['a plan', '.planning/02-01-PLAN.md'],
    ['the plan itself', 'notes.md'],
    ["what is git's", '.git/config'],
  ])('nor is %s', async (_, state) => {
    const cwd = makeProject();
    writeFileSync(join(cwd, 'notes.md'), readFileSync(join(cwd, PLAN_PATH)));
    const words = ['result', 'submit', '-', '--plan', 'notes.md', '--state', state];
    const { exit, stderr } = await execTeddy(words, { cwd, input: claimOf() });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/--state (?:is|\S+ is|\S+ has) /);
    expect(stderr).toContain('--plan notes.md --state FILE\n');
    expect(existsSync(join(cwd, '.ultraplan'))).toBe(false);
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).not.toContain('status=');
  });

  test('is no plan, though one of that name is in the root', async () => {
    const other = makeProject();
    const cwd = makeProject();
    for (const plan of [join(other, PLAN_PATH), '../none/01-01-PLAN.md']) {
      const { exit, stderr } = await execTeddy(['result', 'submit', '-', '--plan', plan], {
        cwd,
        input: claimOf(),
      });
      expect(exit).toBe(2);
      expect(stderr).toContain(`teddy: ${plan} is outside this project (root: ${cwd}).`);
      expect(stderr).toMatch(/ --plan PLAN\n$/);
    }
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).not.toContain('status=');
    expect(readFileSync(join(other, PLAN_PATH), 'utf8')).not.toContain('status=');
  });
});

test('an absolute path that leads into the root is taken, also through a link to it', async () => {
  const cwd = makeProject();
  const link = join(makeFolder(), 'link');
  symlinkSync(cwd, link);
  const words = ['result', 'submit', '-', '--json', '--plan', join(link, PLAN_PATH)];
  const { stdout } = await execTeddy([...words, '--state', join(link, 'docs/STATE.md')], {
    cwd,
    input: claimOf(),
  });
  expect(JSON.parse(stdout)).toMatchObject({ planPath: PLAN_PATH, statePath: 'docs/STATE.md' });
  const shown = await execTeddy(['task', 'show', `${join(link, PLAN_PATH)}:2`, '--json'], { cwd });
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: '01-01:2' });
});

test('a folder with the name of a plan is not in its way', async () => {
  const cwd = makeProject();
  mkdirSync(join(cwd, 'docs/01-01'), { recursive: true });
  const { exit, stderr } = await execTeddy(['task', 'list', '--plan', '01-01'], { cwd: join(cwd, 'docs') });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
});

describe('the way to submit again', () => {
  test('has every word that was right', async () => {
    const cwd = makeProject('touch ran.txt', {
      '.teddy/policy.yaml': 'rules:\n  - {deny: EXECUTE, command: "touch *"}\n',
    });
    const words = ['--state', 'docs/STATE.md', '--session', "Ann's", '--id', 'a\u202eb', '--verify'];
    const { exit, stderr } = await execTeddy([...SUBMIT, ...words, '--trust'], { cwd, input: claimOf() });
    expect(exit).toBe(2);
    const again = `teddy result submit .teddy/incoming/${keptIn(cwd)[0]} --plan 01-01 --state docs/STATE.md`;
    expect(stderr).toContain(`${again} --session 'Ann'\\''s' --id $'a\\xe2\\x80\\xaeb' --verify\n`);
  });

  test.each([
    ['plan', ['--plan', '09-01', '--id', 'b1'], '--plan PLAN --id b1'],
    ['session', ['--plan', '01-01', '--session', '', '--id', 'b1'], '--plan 01-01 --session ID --id b1'],
    ['id', ['--plan', '01-01', '--id', ''], '--plan 01-01 --id KEY'],
  ])('asks for another %s where that was wrong', async (_, words, again) => {
    const cwd = makeProject();
    const { exit, stderr } = await execTeddy(['result', 'submit', '-', ...words], { cwd, input: claimOf() });
    expect(exit).toBe(2);
    expect(stderr).toContain(`.teddy/incoming/${keptIn(cwd)[0]} ${again}\n`);
  });
});

describe('plans that are not as they should be', () => {
  test('have odd names: all others are listed, and these with what can be shown', async () => {
    const cwd = makeProject();
    const plan = readFileSync(join(cwd, PLAN_PATH));
    for (const name of ['a\u001b[31m-PLAN.md', 'b\\c-PLAN.md', 'd\ne-PLAN.md', 'f\u007f-PLAN.md']) {
      writeFileSync(join(cwd, '.planning', name), plan);
    }
    for (const words of [['list'], ['next'], ['list', '--json'], ['next', '--json']]) {
      const { exit, stdout, stderr } = await execTeddy(['task', ...words], { cwd });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
      expect(stdout).toContain('01-01:1');
      expect(stdout).not.toMatch(/[\u001b\u007f]/);
    }
  });

  test('cannot be read: they are named', async () => {
    const cwd = makeProject();
    writeFileSync(join(cwd, '.planning/03-02-PLAN.md'), Uint8Array.of(0x61, 0xe9, 0x0a));
    for (const word of ['list', 'next']) {
      const { exit, stderr } = await execTeddy(['task', word], { cwd });
      expect({ exit, stderr }).toEqual({
        exit: 0,
        stderr: '.planning/03-02-PLAN.md is not UTF-8 text, so its tasks are unknown.\n',
      });
      const { stdout } = await execTeddy(['task', word, '--json'], { cwd });
      expect(JSON.parse(stdout).unreadable).toEqual([
        { path: '.planning/03-02-PLAN.md', reason: 'is not UTF-8 text' },
      ]);
    }
  });

  test('say in no readable way what comes first: that is told, and they wait', async () => {
    const cwd = makeProject(undefined, {
      '.planning/03-02-PLAN.md': `---
depends_on: [03-01, "oops
---
<tasks>
<task>
<name>Task 1: Begin</name>
</task>
</tasks>
`,
    });
    for (const word of ['list', 'next']) {
      const { stdout, stderr } = await execTeddy(['task', word], { cwd });
      expect(stderr).toMatch(/^\.planning\/03-02-PLAN\.md:\d+: /);
      expect(stdout).toMatch(/03-02:1 .* waiting for its frontmatter, which cannot be read/);
    }
    const { stdout } = await execTeddy(['task', 'next', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      next: [{ id: '01-01:1' }],
      issues: [{ path: '.planning/03-02-PLAN.md', code: 'frontmatter-invalid' }],
    });
  });
});

test('a task that is begun twice: who begins it is told', async () => {
  const cwd = makeProject();
  const env = { TEDDY_NOW: '2026-01-02T03:04:05Z' };
  const first = await execTeddy(['task', 'start', '01-01:1', '--session', 's'], { cwd, env });
  expect(first.stdout).toBe('01-01:1  Task 1: Make it: in progress (attempt 1, batch s)\n');
  const second = await execTeddy(['task', 'start', '01-01:1'], { cwd, env });
  expect(second).toEqual({
    exit: 0,
    stderr: '',
    stdout: `01-01:1  Task 1: Make it: in progress (attempt 2, batch s)
note      It was already started at 2026-01-02T03:04:05Z, and no result has arrived since.
`,
  });
  const third = await execTeddy(['task', 'start', '01-01:1', '--json'], { cwd, env });
  expect(JSON.parse(third.stdout)).toMatchObject({ attempts: 3, startedBefore: '2026-01-02T03:04:05Z' });
});

test('a session needs a name, and one that holds a secret has a mask for it', async () => {
  const cwd = makeProject();
  const empty = await execTeddy(['task', 'start', '01-01:1', '--session', ''], { cwd });
  expect(empty).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: --session is empty. Give a value, or leave it out.\n',
  });
  const env = { MY_TOKEN: 'Zq8-xk2_Lm' };
  const words = ['task', 'start', '01-01:1', '--session', 'with Zq8-xk2_Lm'];
  const { exit, stdout } = await execTeddy(words, { cwd, env });
  expect(exit).toBe(0);
  const kept = readFileSync(join(cwd, '.ultraplan/logs/current-session.json'), 'utf8');
  for (const text of [stdout, kept]) {
    expect(text).toContain('with [masked');
    expect(text).not.toContain(env.MY_TOKEN);
  }
});

test('a secret in what a person decides is kept by nobody', async () => {
  const cwd = makeProject();
  const secret = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyzAB'.slice(0, 36)}`;
  const mine = 'Zq8-xk2_Lm';
  const answer = `fix: log in with ${secret} and ${mine}`;
  const env = { MY_TOKEN: mine };
  const { exit, stdout } = await execTeddy(['task', 'resolve', '01-01:1', answer], { cwd, env });
  expect(exit).toBe(0);
  const kept = readFileSync(join(cwd, '.ultraplan/logs/resolutions.jsonl'), 'utf8');
  for (const text of [stdout, kept]) {
    expect(text).toContain('log in with ');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(mine);
  }
});
