import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, execTeddy, planOf, runIds } from './program.js';

const PLAN = planOf('Replace', createAction('a.txt', 'text\n', '- **Overwrite:** true\n'));
const TASKS = `<tasks>
<task type="auto">
  <name>Task 1: Make it</name>
  <verify><automated>true</automated></verify>
</task>
</tasks>
`;
const EXECUTE = ['execute', 'plan.md', '-y'];
const TRUSTED = 'You trust .teddy/config.yaml and .teddy/policy.yaml, as they are.\n';

function projectOf(files: Record<string, string> = {}) {
  const project = makeFolder({ 'plan.md': PLAN, ...files });
  return { project, run: (...words: string[]) => execTeddy(words, { cwd: project }) };
}

describe('teddy init', () => {
  test('writes files that change nothing, and are trusted', async () => {
    const { project, run } = projectOf();
    const { exit, stdout } = await run('init');
    expect(exit).toBe(0);
    expect(stdout).toContain('.teddy/config.yaml and .teddy/policy.yaml');
    for (const name of ['config.yaml', 'policy.yaml']) {
      const lines = readFileSync(join(project, '.teddy', name), 'utf8').split('\n');
      expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    }
    expect((await run('trust')).stdout).toBe(TRUSTED);
    expect((await run(...EXECUTE)).exit).toBe(0);
  });

  test('every setting in it can be set as it is written', async () => {
    const { project, run } = projectOf();
    await run('init');
    for (const name of ['config.yaml', 'policy.yaml']) {
      const path = join(project, '.teddy', name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/^# /gm, ''));
    }
    const { exit, stderr } = await run('trust', '--yes');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  });

  test('leaves what is there', async () => {
    const { project, run } = projectOf({ '.teddy/config.yaml': 'execute: {timeout: 5m}\n' });
    const { exit, stdout, stderr } = await run('init');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/^teddy: \.teddy\/config\.yaml already exists. Nothing was written\.\n$/);
    expect(existsSync(join(project, '.teddy/policy.yaml'))).toBe(false);
  });

  test('--root is where it writes', async () => {
    const { project, run } = projectOf({ '.git/HEAD': '', 'sub/x': '' });
    expect((await run('init', '--root', 'sub')).exit).toBe(0);
    expect(existsSync(join(project, 'sub/.teddy/config.yaml'))).toBe(true);
    expect(existsSync(join(project, '.teddy'))).toBe(false);
  });
});

describe('trust', () => {
  test.each([
    ['task', 'list'],
    ['state'],
    ['validate', 'plan.md'],
    ['execute', 'plan.md', '--dry-run'],
    ['orchestrate', '--dry-run'],
  ])('is not needed to look: %s %s %s', async (...words) => {
    const { project, run } = projectOf({
      '.teddy/config.yaml':
        'execute: {timeout: 5m}\norchestrate: {executor: hand}\nexecutors: {hand: {command: touch ran}}\n',
      '.planning/01-01-PLAN.md': TASKS,
    });
    const { exit, stdout, stderr } = await run(...words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).not.toBe('');
    expect(existsSync(join(project, 'ran'))).toBe(false);
    // The same project does need it once something is to act.
    expect((await run(...EXECUTE)).stderr).toContain('.teddy/config.yaml is not trusted yet');
  });

  test('is asked for anew after each change, and nothing is done without it', async () => {
    const { project, run } = projectOf();
    await run('init');
    appendFileSync(join(project, '.teddy/config.yaml'), 'execute: {timeout: 5m}\n');
    const refused = await run(...EXECUTE);
    expect({ exit: refused.exit, stdout: refused.stdout }).toEqual({ exit: 2, stdout: '' });
    expect(refused.stderr).toContain('.teddy/config.yaml');
    expect(refused.stderr).not.toContain('policy.yaml');
    expect(existsSync(join(project, 'a.txt'))).toBe(false);
    expect(runIds(project)).toEqual([]);

    expect((await run('trust')).exit).toBe(2);
    expect((await run('trust', '--yes')).exit).toBe(0);
    expect((await run(...EXECUTE)).exit).toBe(0);

    appendFileSync(join(project, '.teddy/policy.yaml'), 'rules: [{deny: CREATE}]\n');
    expect((await run(...EXECUTE)).exit).toBe(2);
  });

  test('--trust is for one command, before or after its name', async () => {
    const { run } = projectOf({ '.teddy/config.yaml': 'execute: {timeout: 5m}\n' });
    expect((await run(...EXECUTE, '--trust')).exit).toBe(0);
    expect((await run('--trust', ...EXECUTE)).exit).toBe(0);
    expect((await run(...EXECUTE)).exit).toBe(2);
  });

  test('is by folder: a copy of the project is another', async () => {
    const { project, run } = projectOf();
    await run('init');
    const copy = makeFolder({
      'plan.md': PLAN,
      '.teddy/config.yaml': readFileSync(join(project, '.teddy/config.yaml'), 'utf8'),
    });
    const here = await execTeddy(EXECUTE, { cwd: project });
    const there = await execTeddy([...EXECUTE, '--root', copy], { cwd: project });
    expect([here.exit, there.exit]).toEqual([0, 2]);
  });

  test('is kept outside the project', async () => {
    const { project, run } = projectOf({ '.teddy/config.yaml': 'execute: {timeout: 5m}\n' });
    expect((await run('trust', '--yes')).exit).toBe(0);
    const state = makeFolder();
    const other = await execTeddy(EXECUTE, { cwd: project, env: { XDG_STATE_HOME: state } });
    expect(other.exit).toBe(2);
  });

  test('of a file that is wrong is not given', async () => {
    const { run } = projectOf({ '.teddy/config.yaml': 'execute: {timeout: soon}\n' });
    const { exit, stderr } = await run('trust', '--yes');
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^teddy: \.teddy\/config\.yaml:1\b.*execute\.timeout/);
  });

  test('without files has nothing to say yes to', async () => {
    const { run } = projectOf();
    const { exit, stdout } = await run('trust');
    expect(exit).toBe(0);
    expect(stdout).toContain('nothing to trust');
    const json = await run('trust', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ files: [], trusted: true });
  });
});
