import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, type Ended, editAction, execTeddy, planOf, resealFirstNote } from './program.js';

const REFUSED = 'teddy: Cannot undo: this run was recorded by another user or with another HOME.\n';

const FILES = {
  'a.txt': 'zero\nend\n',
  'first.md': planOf('First', editAction('a.txt', 'zero\n', 'one\n')),
  'second.md': planOf('Second', editAction('a.txt', 'one\n', 'two\n')),
  'third.md': planOf('Third', createAction('c.txt')),
};

interface Listed {
  id: string;
  title: string;
  undone: boolean;
  foreign: boolean;
}

/** A project whose user stays the same, wherever it is moved or copied to. */
function makeProject() {
  const folder = makeFolder({});
  const project = join(folder, 'project');
  const state = mkdtempSync(join(folder, 'state-'));
  cpSync(makeFolder(FILES), project, { recursive: true });
  const at =
    (cwd: string) =>
    (when: string, ...words: string[]): Promise<Ended> =>
      execTeddy(words, { cwd, env: { TEDDY_NOW: when, XDG_STATE_HOME: state } });
  const runAt = at(project);
  const run = (...words: string[]) => runAt('2026-03-05T00:00:00Z', ...words);
  const list = async (cwd = project) =>
    JSON.parse((await at(cwd)('2026-03-05T00:00:00Z', 'runs', '--json')).stdout) as Listed[];
  const inRun = (id: string, name: string) => join(project, '.teddy/runs', id, name);
  const read = (path: string) => readFileSync(join(project, path), 'utf8');
  return { folder, project, state, at, runAt, run, list, inRun, read };
}

/** Two runs, of which the second was begun after the clock had been set back by a year. */
async function afterClockSetBack() {
  const made = makeProject();
  expect((await made.runAt('2026-03-01T10:00:00Z', 'execute', 'first.md', '-y')).exit).toBe(0);
  expect((await made.runAt('2025-03-01T10:00:00Z', 'execute', 'second.md', '-y')).exit).toBe(0);
  expect(made.read('a.txt')).toBe('two\nend\n');
  return made;
}

describe('after the clock was set back', () => {
  test('the last run is the one that was begun last: for runs, report and undo', async () => {
    const { run, list, read } = await afterClockSetBack();
    expect((await list()).map(({ title }) => title)).toEqual(['Second', 'First']);
    expect((await run('report')).stdout).toContain('Second');
    expect((await run('undo')).exit).toBe(0);
    expect(read('a.txt')).toBe('one\nend\n');
    const { stdout } = await run('undo');
    // Repeated, it goes further back: to the run that was started before, whatever the clock said.
    expect(stdout).toContain(`${(await list())[1]!.id}  First: undone`);
  });

  test('the newest is not the one that is pruned', async () => {
    const { run, list } = await afterClockSetBack();
    expect((await run('runs', 'prune', '--keep', '1')).exit).toBe(0);
    expect((await list()).map(({ title }) => title)).toEqual(['Second']);
  });

  test('execute prunes by the same order', async () => {
    const { project, run, runAt, list } = await afterClockSetBack();
    expect((await run('init')).exit).toBe(0);
    writeFileSync(join(project, '.teddy/config.yaml'), 'runs:\n  keep: 2\n');
    expect((await runAt('2024-03-01T10:00:00Z', 'execute', 'third.md', '-y', '--trust')).exit).toBe(0);
    expect((await list()).map(({ title }) => title)).toEqual(['Third', 'Second']);
  });
});

describe('a run without the seal of this user is foreign', () => {
  const expectForeign = async (made: ReturnType<typeof makeProject>, id: string) => {
    const { run, list, read } = made;
    const listed = await list();
    expect(listed.find((each) => each.id === id)).toMatchObject({ foreign: true });
    expect(listed.filter(({ foreign }) => !foreign).map(({ title }) => title)).toContain('First');
    expect(await run('undo', id)).toMatchObject({ exit: 2, stdout: '', stderr: REFUSED });
    expect((await run('runs', 'prune', '--keep', '1')).stdout).toContain('No run was deleted');
    expect((await run('undo')).exit).toBe(0);
    expect(read('a.txt')).toBe('zero\nend\n');
  };

  const withFirst = async () => {
    const made = makeProject();
    expect((await made.runAt('2026-03-01T10:00:00Z', 'execute', 'first.md', '-y')).exit).toBe(0);
    const [first] = await made.list();
    return { ...made, first: first!.id };
  };

  test('a clone brings one from the future, without anything sealed', async () => {
    const made = await withFirst();
    const id = '20990101-000000-zzzz';
    cpSync(made.inRun(made.first, ''), made.inRun(id, ''), { recursive: true });
    for (const name of ['seal', 'journal']) rmSync(made.inRun(id, name), { recursive: true });
    const record = readFileSync(made.inRun(id, 'run.json'), 'utf8');
    writeFileSync(made.inRun(id, 'run.json'), record.replaceAll(made.first, id));
    await expectForeign(made, id);
  });

  test("another run's seal, journal and all, under another name", async () => {
    const made = await withFirst();
    const id = '20990101-000000-zzzz';
    cpSync(made.inRun(made.first, ''), made.inRun(id, ''), { recursive: true });
    const record = readFileSync(made.inRun(id, 'run.json'), 'utf8');
    writeFileSync(made.inRun(id, 'run.json'), record.replaceAll(made.first, id));
    await expectForeign(made, id);
  });

  test('a copy whose seal was taken away is no run of an older version', async () => {
    const made = await withFirst();
    expect((await made.run('execute', 'second.md', '-y')).exit).toBe(0);
    const [second] = await made.list();
    rmSync(made.inRun(second!.id, 'seal'));
    expect(await made.run('undo', second!.id)).toMatchObject({ exit: 2, stderr: REFUSED });
    expect((await made.list()).map(({ title, foreign }) => [title, foreign])).toEqual([
      ['First', false],
      ['Second', true],
    ]);
  });

  test('a run of another project of the same user', async () => {
    const made = await withFirst();
    const other = join(made.folder, 'other');
    cpSync(made.project, other, { recursive: true });
    expect((await made.list(other)).map(({ foreign }) => foreign)).toEqual([true]);
    const inOther = made.at(other);
    expect(await inOther('2026-03-05T00:00:00Z', 'undo', made.first)).toMatchObject({
      exit: 2,
      stderr: REFUSED,
    });
    expect((await inOther('2026-03-05T00:00:00Z', 'undo')).stderr).toContain('There are no runs here yet.');
  });

  test('another HOME', async () => {
    const made = await withFirst();
    const state = mkdtempSync(join(made.folder, 'other-'));
    const end = await execTeddy(['undo', made.first], {
      cwd: made.project,
      env: { XDG_STATE_HOME: state },
    });
    expect(end).toMatchObject({ exit: 2, stderr: REFUSED });
    expect(made.read('a.txt')).toBe('one\nend\n');
  });
});

test('a project that is moved keeps its runs', async () => {
  const made = await afterClockSetBack();
  const moved = join(made.folder, 'moved');
  renameSync(made.project, moved);
  expect((await made.list(moved)).map(({ title, foreign }) => [title, foreign])).toEqual([
    ['Second', false],
    ['First', false],
  ]);
  expect((await made.at(moved)('2026-03-05T00:00:00Z', 'undo')).exit).toBe(0);
  expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('one\nend\n');
});

test('a record that was changed is foreign, is not passed over, and is written again from the journal', async () => {
  const { run, list, inRun, read } = await afterClockSetBack();
  const [second] = await list();
  const path = inRun(second!.id, 'run.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"Second"', '"Harmless"'));
  expect((await list())[0]).toMatchObject({ title: 'Harmless', foreign: true });
  for (const words of [['undo'], ['undo', second!.id], ['report']]) {
    const { exit, stderr } = await run(...words);
    expect(exit).toBe(2);
    expect(stderr).toContain(
      `.teddy/runs/${second!.id}/run.json was changed after the run. Delete that file`,
    );
  }
  rmSync(path);
  expect((await run('undo')).exit).toBe(0);
  expect(read('a.txt')).toBe('one\nend\n');
});

test('runs of an older version come first, by time, and can be undone', async () => {
  const { state, run, list, inRun, read } = await afterClockSetBack();
  expect((await run('execute', 'third.md', '-y')).exit).toBe(0);
  const [third, second, first] = await list();
  for (const { id } of [first!, second!]) makeOlder(state, (name) => inRun(id, name));
  // The second has the earlier time, and nothing but the time is known of the two.
  expect((await list()).map(({ title, foreign }) => [title, foreign])).toEqual([
    ['Third', false],
    ['First', false],
    ['Second', false],
  ]);
  expect((await run('undo', second!.id)).exit).toBe(0);
  expect(read('a.txt')).toBe('one\nend\n');
  expect((await list()).find(({ id }) => id === second!.id)).toMatchObject({ undone: true });
  expect((await run('runs', 'prune', '--keep', '1')).exit).toBe(0);
  expect((await list()).map(({ id }) => id)).toEqual([third!.id]);
});

/** A run as it was before runs had seals. */
function makeOlder(state: string, inRun: (name: string) => string): void {
  rmSync(inRun('seal'));
  resealFirstNote(state, inRun('journal/progress.jsonl'), ({ sealed, ...note }) => {
    expect(sealed).toBe(true);
    return note;
  });
}

test('many that begin at once each get a number of their own', async () => {
  const { project, runAt, list, inRun } = makeProject();
  const many = 32;
  for (let i = 0; i < many; i++)
    writeFileSync(join(project, `plan-${i}.md`), planOf(`Plan ${i}`, createAction(`made-${i}.txt`)));
  const ends = await Promise.all(
    Array.from({ length: many }, (_, i) => runAt('2026-03-01T10:00:00Z', 'execute', `plan-${i}.md`, '-y')),
  );
  expect(ends.map(({ exit }) => exit)).toEqual(ends.map(() => 0));
  const listed = await list();
  expect(listed).toHaveLength(many);
  const numbers = listed.map(
    ({ id }) => JSON.parse(readFileSync(inRun(id, 'seal'), 'utf8').split('\n')[1]!).number,
  );
  expect(numbers).toEqual(Array.from({ length: many }, (_, i) => many - i));
  expect(readdirSync(join(project, '.teddy/runs')).filter((name) => name.startsWith('new-'))).toEqual([]);
});
