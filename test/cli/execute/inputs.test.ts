import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseReport } from '../../../src/core/report/parse.js';
import { makeFolder } from '../../folder.js';
import { createAction, editAction, execTeddy, planOf, readRunFile, runIds } from './program.js';

const PLAN = planOf('Write one file', createAction('a.txt'));
const MB = 1024 * 1024;

describe('the plan', () => {
  test('of almost 10 MB is carried out', async () => {
    const content = `${'a line of forty characters, all the same\n'.repeat(240_000)}`;
    const plan = planOf('Much', createAction('big.txt', content));
    expect(plan.length).toBeGreaterThan(9 * MB);
    expect(plan.length).toBeLessThan(10 * MB);
    const project = makeFolder({ 'plan.md': plan });
    const { exit, stdout } = await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
    expect(exit).toBe(0);
    expect(stdout.split('\n').length).toBeLessThan(20);
    expect(readFileSync(join(project, 'big.txt'), 'utf8')).toBe(content);
  });

  test.each([['plan.md'], ['-']])('of more than 10 MB is not even read: %s', async (file) => {
    const plan = planOf('Too much', createAction('big.txt', `${'x'.repeat(10 * MB)}\n`));
    const project = makeFolder({ 'plan.md': plan });
    const { exit, stdout, stderr } = await execTeddy(['execute', file, '-y'], { cwd: project, input: plan });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/10 MB/);
    expect(existsSync(join(project, '.teddy'))).toBe(false);
  });

  test('from standard input is kept as it came, and nobody is there to ask', async () => {
    const project = makeFolder();
    const piped = await execTeddy(['execute', '-'], { cwd: project, input: PLAN });
    expect({ exit: piped.exit, stdout: piped.stdout }).toEqual({ exit: 2, stdout: '' });
    expect(piped.stderr).toContain('action 1 (CREATE)');
    expect(existsSync(join(project, '.teddy'))).toBe(false);

    const crlf = `\ufeff${PLAN.replaceAll('\n', '\r\n')}`;
    const yes = await execTeddy(['execute', '-', '-y'], { cwd: project, input: crlf });
    expect(yes.exit).toBe(0);
    expect(readRunFile(project, runIds(project)[0]!, 'plan.md')).toBe(crlf);
  });

  test('from the clipboard, where there is none, is asked for by name', async () => {
    const { exit, stderr } = await execTeddy(['execute', '-y'], { cwd: makeFolder() });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^teddy: the clipboard .*name a file/);
  });
});

describe('the clock', () => {
  test.each(['execute plan.md -y', 'execute plan.md --dry-run', 'runs', 'undo', 'report'])(
    'that is no time ends teddy %s',
    async (command) => {
      const project = makeFolder({ 'plan.md': PLAN });
      const env = { TEDDY_NOW: 'tomorrow' };
      const { exit, stdout, stderr } = await execTeddy(command.split(' '), { cwd: project, env });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toMatch(/^teddy: TEDDY_NOW is "tomorrow"/);
      expect(existsSync(join(project, '.teddy'))).toBe(false);
    },
  );

  test('names the run', async () => {
    const project = makeFolder({ 'plan.md': PLAN });
    const env = { TEDDY_NOW: '2026-03-01T10:00:00+02:00' };
    await execTeddy(['execute', 'plan.md', '-y'], { cwd: project, env });
    expect(runIds(project)[0]).toMatch(/^20260301-080000-[a-z0-9]{4}$/);
  });
});

describe('--dry-run', () => {
  const FILES = { 'plan.md': PLAN, 'refused.md': planOf('Edit nothing', editAction('b.txt', 'x\n', 'y\n')) };

  test('shows what would be done, for programs too, and leaves nothing', async () => {
    const project = makeFolder(FILES);
    const shown = await execTeddy(['execute', 'plan.md', '--dry-run'], { cwd: project });
    expect(shown.exit).toBe(0);
    expect(shown.stdout).toMatch(/^plan\.md: 1 action; dry run, nothing changes\n/);
    expect(shown.stdout).toMatch(/1 of 1 {2}CREATE[\s\S]*a\.txt {2}new file, 1 line/);
    const json = await execTeddy(['execute', 'plan.md', '--dry-run', '--json'], { cwd: project });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      issues: [],
      questions: [{ number: 1, preview: { kind: 'write', path: 'a.txt', before: null, after: 'text\n' } }],
    });
    expect(readdirSync(project).sort()).toEqual(Object.keys(FILES).sort());
  });

  test('of a plan that would be refused says why, and exits with 1', async () => {
    const project = makeFolder(FILES);
    const { exit, stdout } = await execTeddy(['execute', 'refused.md', '--dry-run'], { cwd: project });
    expect(exit).toBe(1);
    expect(stdout).toMatch(/file-missing\n {2}b\.txt does not exist\./);
    expect(stdout).not.toContain('<U+000A>');
    expect(readdirSync(project).sort()).toEqual(Object.keys(FILES).sort());
  });
});

describe('a report file', () => {
  test('that cannot be written ends the command before anything is done', async () => {
    const project = makeFolder({ 'plan.md': PLAN, 'report.md/x': '' });
    for (const output of ['report.md', 'no/such/folder/report.md']) {
      const { exit, stderr } = await execTeddy(['execute', 'plan.md', '-y', '--output', output], {
        cwd: project,
      });
      expect(exit).toBe(2);
      expect(stderr).toContain(output);
      expect(existsSync(join(project, 'a.txt'))).toBe(false);
    }
  });

  test('of a refused plan is written too', async () => {
    const project = makeFolder({ 'plan.md': 'no plan\n' });
    const { exit, stdout } = await execTeddy(['execute', 'plan.md', '-y', '--output', 'report.md'], {
      cwd: project,
    });
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(parseReport(readFileSync(join(project, 'report.md'), 'utf8'))).toMatchObject({ refused: true });
  });
});
