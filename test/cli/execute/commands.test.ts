import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseReport } from '../../../src/core/report/parse.js';
import { makeFolder } from '../../folder.js';
import { TEDDY } from '../teddy.js';
import { createAction, execTeddy, executeAction, planOf, readRunFile, runIds } from './program.js';

describe('a command', () => {
  test.each([['rm -rf .teddy'], ['rm -rf .teddy/runs']])(
    'that removes what teddy keeps (%s) does not take the report with it',
    async (command) => {
      const plan = planOf('Clean', createAction('a.txt'), executeAction(command), createAction('b.txt'));
      const project = makeFolder({ 'plan.md': plan });
      const { exit, stdout, stderr } = await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
      expect(stderr).not.toContain('bug in teddy');
      const report = parseReport(stdout);
      if (report.status !== 'mirrored') throw new Error('no report');
      const statuses = report.actions.map(({ outcome }) => outcome.status);
      expect(statuses.slice(0, 2)).toEqual(['success', 'success']);
      // Whether it goes on or not: the report says which.
      expect(statuses[2] === 'success').toBe(existsSync(join(project, 'b.txt')));
      expect(exit).toBeLessThan(2);
    },
  );

  test('cannot make a way out of the project for the actions after it', async () => {
    const outside = makeFolder();
    const plan = planOf(
      'Out',
      executeAction(`ln -s '${outside}' out; mkdir -p .git/hooks; ln -s .git/hooks hooks`),
      createAction('out/a.txt'),
      createAction('hooks/pre-commit'),
      createAction('c.txt'),
    );
    const project = makeFolder({ 'plan.md': plan });
    const { exit, stdout } = await execTeddy(['execute', 'plan.md', '-y', '--keep-going'], { cwd: project });
    expect(exit).toBe(1);
    const report = parseReport(stdout);
    if (report.status !== 'mirrored') throw new Error('no report');
    expect(report.actions.map(({ outcome }) => outcome.status)).toEqual([
      'success',
      'failure',
      'failure',
      'success',
    ]);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(join(project, '.git/hooks'))).toEqual([]);
  });

  test('that kills teddy is found by the next command, reported, and not run again', async () => {
    const plan = planOf(
      'Kill',
      createAction('a.txt'),
      executeAction('echo once >> count; kill -9 $PPID; sleep 30'),
      createAction('b.txt'),
    );
    const project = makeFolder({ 'plan.md': plan });
    await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
    const { exit, stdout, stderr } = await execTeddy(['runs', '--json'], { cwd: project });
    const [id] = runIds(project);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ id, overall: 'Partial', interrupted: true }]);
    expect(stderr).toContain(`.teddy/runs/${id}/report.md`);
    const report = parseReport(readRunFile(project, id!, 'report.md'));
    if (report.status !== 'mirrored') throw new Error('no report');
    expect(report.actions.map(({ outcome }) => outcome.status)).toEqual(['success', 'failure', 'not-run']);
    expect(report.actions[1]!.outcome).toHaveProperty('interrupted');
    expect(readFileSync(join(project, 'count'), 'utf8')).toBe('once\n');
    expect((await execTeddy(['runs'], { cwd: project })).stderr).toBe('');
  });
});

describe('secrets', () => {
  const TOKEN = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`;

  test('are masked in the report and in all that is kept, the plan as it came aside', async () => {
    const plan = planOf(
      'Leak',
      executeAction(`echo "token ${TOKEN}"; seq 1 1000; echo ${TOKEN} >&2; exit 1`),
    );
    const project = makeFolder({ 'plan.md': plan });
    const { stdout, stderr } = await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
    const [id] = runIds(project);
    expect(stdout).toMatch(/\[masked:[0-9a-f]{8}\]/);
    for (const text of [
      stdout,
      stderr,
      readRunFile(project, id!, 'report.md'),
      readRunFile(project, id!, 'run.json'),
      readRunFile(project, id!, 'output/1-stdout.txt'),
    ]) {
      expect(text).not.toContain(TOKEN);
    }
  });

  test('are for this user alone on disk', async () => {
    const project = makeFolder({ 'plan.md': planOf('Write one file', createAction('a.txt')) });
    await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
    const mode = (path: string) => statSync(join(project, '.teddy', path)).mode & 0o777;
    expect(mode('runs')).toBe(0o700);
    expect(mode(`runs/${runIds(project)[0]}/journal`)).toBe(0o700);
    expect(mode(`runs/${runIds(project)[0]}/report.md`)).toBe(0o600);
  });
});

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  test('ends the command that runs, and the report tells what was done', async () => {
    const plan = planOf(
      'Long',
      createAction('a.txt'),
      executeAction('echo $$ > pid; echo begun; sleep 60'),
      createAction('b.txt'),
    );
    const project = makeFolder({ 'plan.md': plan });
    const child = spawn(process.execPath, [TEDDY, 'execute', 'plan.md', '-y'], {
      cwd: project,
      env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: project, XDG_STATE_HOME: makeFolder() },
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    await expect.poll(() => existsSync(join(project, 'pid')), { timeout: 20_000 }).toBe(true);
    child.kill(signal);
    const [exit] = (await once(child, 'close')) as [number | null];

    expect(exit).toBe(130);
    const report = parseReport(stdout);
    expect(report).toMatchObject({ status: 'mirrored', overall: 'Partial' });
    if (report.status !== 'mirrored') throw new Error('no report');
    expect(report.interrupted).toMatch(signal === 'SIGINT' ? /Ctrl-C/ : /SIGTERM/);
    expect(report.actions.map(({ outcome }) => outcome.status)).toEqual(['success', 'failure', 'not-run']);
    expect(report.actions[1]!.outcome).toMatchObject({ output: { text: 'begun\n' } });
    expect(existsSync(join(project, 'b.txt'))).toBe(false);
    const pid = readFileSync(join(project, 'pid'), 'utf8').trim();
    await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
  });
});

/** What has ended and only waits for its parent to notice does not run. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
