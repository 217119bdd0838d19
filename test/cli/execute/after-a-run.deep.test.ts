import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listTree } from '../../../spec/run-teddy.js';
import { parseReport } from '../../../src/core/report/parse.js';
import { makeFolder } from '../../folder.js';
import { createAction, type Ended, editAction, execTeddy, executeAction, planOf, runIds } from './program.js';

const FILES = {
  'a.txt': 'one\ntwo\n',
  'first.md': planOf('First', editAction('a.txt', 'one\n', '1\n'), createAction('new/deep/b.txt')),
  'second.md': planOf('Second', executeAction('echo made > made.txt'), createAction('c.txt')),
};

/** A project in which both plans were carried out, at two different times. */
async function projectWithRuns(files: Record<string, string> = {}) {
  const project = makeFolder({ ...FILES, ...files });
  const run = (...words: string[]): Promise<Ended> => execTeddy(words, { cwd: project });
  const at = (TEDDY_NOW: string, ...words: string[]) =>
    execTeddy(words, { cwd: project, env: { TEDDY_NOW } });
  const before = listTree(project);
  const first = await at('2026-03-01T10:00:00Z', 'execute', 'first.md', '-y');
  const second = await at('2026-03-02T11:00:00Z', 'execute', 'second.md', '-y');
  expect([first.exit, second.exit]).toEqual([0, 0]);
  const [firstId, secondId] = runIds(project) as [string, string];
  const read = (path: string) => readFileSync(join(project, path), 'utf8');
  return { project, run, before, first, second, firstId, secondId, read };
}

describe('teddy undo', () => {
  test('restores what the last run and its commands changed, and names the commands', async () => {
    const { run, project, secondId } = await projectWithRuns();
    const { exit, stdout } = await run('undo');
    expect(exit).toBe(0);
    expect(stdout).toContain(secondId);
    expect(stdout).toMatch(/^ {2}deleted {3}c\.txt$/m);
    expect(stdout).toMatch(/^ {2}action 1 EXECUTE: A command\.$/m);
    expect(existsSync(join(project, 'c.txt'))).toBe(false);
    expect(stdout).toMatch(/^ {2}deleted {3}made\.txt$/m);
    expect(existsSync(join(project, 'made.txt'))).toBe(false);
    expect(existsSync(join(project, 'new/deep/b.txt'))).toBe(true);
  });

  test('takes the beginning or the end of an id, and leaves the tree as it was before that run', async () => {
    const { run, project, before, firstId } = await projectWithRuns();
    expect((await run('undo', firstId.slice(0, 8))).exit).toBe(0);
    expect((await run('undo', runIds(project)[1]!.slice(-11))).exit).toBe(0);
    expect(listTree(project)).toEqual(before);
  });

  test('where it left a file as it was, the run is undone in part', async () => {
    const { run, project } = await projectWithRuns();
    writeFileSync(join(project, 'c.txt'), 'Mine.\n');
    expect((await run('undo')).exit).toBe(1);
    expect((await run('runs')).stdout).toMatch(/Second +\(undone in part\)/);
    expect(JSON.parse((await run('runs', '--json')).stdout)[0]).toMatchObject({
      undone: true,
      left: ['c.txt'],
    });
  });

  test('--dry-run says the same and does nothing', async () => {
    const { run, project, firstId } = await projectWithRuns();
    const tree = listTree(project);
    const { exit, stdout } = await run('undo', firstId, '--dry-run');
    expect(exit).toBe(0);
    expect(stdout).toMatch(/dry run, nothing changes/);
    expect(stdout).toMatch(/^ {2}restore {2}a\.txt$/m);
    expect(listTree(project)).toEqual(tree);
  });

  test('leaves and names a file that was changed since, and restores the others', async () => {
    const { run, project, firstId, read } = await projectWithRuns();
    writeFileSync(join(project, 'a.txt'), '1\ntwo\nmine\n');
    const { exit, stdout } = await run('undo', firstId);
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^ {2}left {6}a\.txt: it was changed after the run$/m);
    expect(read('a.txt')).toBe('1\ntwo\nmine\n');
    expect(existsSync(join(project, 'new'))).toBe(false);
  });

  test('a second time says that there is nothing left to undo', async () => {
    const { run, project, secondId } = await projectWithRuns();
    await run('undo', secondId);
    const tree = listTree(project);
    const { exit, stdout } = await run('undo', secondId);
    expect(exit).toBe(0);
    expect(stdout).toContain('undone already');
    expect(stdout).not.toContain('changed after');
    expect(listTree(project)).toEqual(tree);
  });

  test('of a refused plan has nothing to do', async () => {
    const project = makeFolder({ 'plan.md': 'no plan\n' });
    await execTeddy(['execute', 'plan.md', '-y'], { cwd: project });
    const { exit, stderr } = await execTeddy(['undo'], { cwd: project });
    expect(exit).toBe(2);
    expect(stderr).toContain('Nothing to undo');
  });

  test('--json', async () => {
    const { run, firstId } = await projectWithRuns();
    const { stdout } = await run('undo', firstId, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      run: firstId,
      dryRun: false,
      restored: expect.arrayContaining(['a.txt', 'new/deep/b.txt']),
      refused: [],
      commands: [],
    });
  });
});

describe.each(['undo', 'report'])('teddy %s', (command) => {
  test('of a run that is not one says so', async () => {
    const { run } = await projectWithRuns();
    const wrong: [string, RegExp][] = [
      ['nope', /no run nope/],
      ['2026030', /matches .*, .*\. Type more/],
      ['', /./],
      ['../../etc', /no run/],
    ];
    for (const [named, said] of wrong) {
      const { exit, stdout, stderr } = await run(command, named);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toMatch(said);
      expect(stderr).not.toMatch(/: {2}/);
    }
  });

  test('where there are none', async () => {
    const { exit, stderr } = await execTeddy([command], { cwd: makeFolder() });
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: 'teddy: There are no runs here yet.\n' });
  });
});

describe('teddy runs', () => {
  test('--json lists them, the newest first', async () => {
    const { project, run, firstId, secondId } = await projectWithRuns();
    await run('undo', firstId);
    const { exit, stdout } = await run('runs', '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        root: realpathSync(project),
        id: secondId,
        title: 'Second',
        startedAt: '2026-03-02T11:00:00.000Z',
        overall: 'Completed',
        undone: false,
        interrupted: false,
        foreign: false,
      },
      {
        root: realpathSync(project),
        id: firstId,
        title: 'First',
        startedAt: '2026-03-01T10:00:00.000Z',
        overall: 'Completed',
        undone: true,
        interrupted: false,
        foreign: false,
      },
    ]);
  });

  test('lists them for a person, a line each', async () => {
    const { run, firstId, secondId } = await projectWithRuns();
    await run('undo', firstId);
    const { stdout } = await run('runs');
    const [newest, oldest, ...rest] = stdout.split('\n');
    expect(newest).toMatch(/^20260302-110000-.{4} .*Completed.*Second$/);
    expect(newest).toContain(secondId);
    expect(oldest).toMatch(/First {2}\(undone\)$/);
    expect(rest).toEqual(['']);
  });

  test('prune --keep removes the oldest, with what undo needs', async () => {
    const { run, project, firstId, secondId } = await projectWithRuns();
    const { exit, stdout } = await run('runs', 'prune', '--keep', '1', '--json');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ root: realpathSync(project), removed: [firstId] });
    expect(runIds(project)).toEqual([secondId]);
    expect((await run('undo', firstId)).exit).toBe(2);
    expect((await run('undo')).exit).toBe(0);
  });

  test('prune --keep of anything but a whole number is misuse', async () => {
    const { run, project } = await projectWithRuns();
    for (const keep of ['x', '-1', '1.5', '']) {
      const { exit } = await run('runs', 'prune', '--keep', keep);
      expect(exit).toBe(2);
    }
    expect(runIds(project)).toHaveLength(2);
  });

  test('config says how many are kept', async () => {
    const project = makeFolder({ ...FILES, '.teddy/config.yaml': 'runs: {keep: 1}\n' });
    await execTeddy(['execute', 'first.md', '-y', '--trust'], { cwd: project });
    const [first] = runIds(project);
    await execTeddy(['execute', 'second.md', '-y', '--trust'], { cwd: project });
    expect(runIds(project)).toHaveLength(1);
    expect(runIds(project)).not.toContain(first);
  });
});

describe('teddy report', () => {
  test('prints the last one again, letter for letter', async () => {
    const { run, second } = await projectWithRuns();
    expect((await run('report')).stdout).toBe(second.stdout);
  });

  test('prints any of them in any form', async () => {
    const { run, firstId, first } = await projectWithRuns();
    expect((await run('report', firstId)).stdout).toBe(first.stdout);
    const contract = await run('report', firstId, '--format', 'contract');
    expect(parseReport(contract.stdout)).toMatchObject({ status: 'contract', id: firstId });
    const json = await run('report', firstId, '--format', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ id: firstId, overall: 'Completed' });
    expect((await run('report', firstId, '--json')).stdout).toBe(json.stdout);
    expect((await run('report', firstId, '--format', 'mirrored', '--json')).stdout).toBe(first.stdout);
  });

  test('--output', async () => {
    const { run, second, read } = await projectWithRuns();
    const { exit, stdout } = await run('report', '--output', 'report.md');
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' });
    expect(read('report.md')).toBe(second.stdout);
  });

  test('needs nobody to trust the config', async () => {
    const { run, project, second } = await projectWithRuns();
    writeFileSync(join(project, '.teddy/config.yaml'), 'execute: {timeout: 5m}\n');
    expect((await run('report')).stdout).toBe(second.stdout);
    expect((await run('runs')).exit).toBe(0);
    expect((await run('undo')).exit).toBe(0);
  });
});
