import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/core/plan/types.js';
import type { Reviewer } from '../../src/review/question.js';
import { diffTurn, type TurnDiff } from '../../src/sessions/diff-turn.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';
import { executeHere } from '../runs/boundary/execute-here.js';
import { type Around, create, edit, execute, planOf } from '../runs/boundary/plan.js';
import { carriedOut, filesOf, metaOf, writeTurn } from './turns.js';

/** A project with a session of which each plan is a turn that was carried out. */
async function carryOut(
  files: Record<string, string>,
  ...plans: { actions: Action[]; around?: Around; reviewer?: Reviewer }[]
) {
  const root = realpathSync(makeFolder(files));
  const runs: string[] = [];
  for (const [i, { actions, around, reviewer }] of plans.entries()) {
    const plan = planOf(actions, around);
    const { run } = await executeHere(root, plan, { ...(reviewer ? { reviewer } : {}) });
    writeTurn(root, metaOf('auth', i + 1, carriedOut(run)), filesOf(run, plan));
    runs.push(run.id);
  }
  const workspace = new Workspace(root);
  return { root, runs, workspace, diff: (ref: string) => diffTurn(workspace, ref, {}) };
}

function textOf({ files }: TurnDiff): string {
  return files.map(({ diff }) => diff ?? '').join('');
}

const LOGIN = 'export function login() {\n  return false;\n}\n';
const TURN = {
  actions: [
    create('src/new.ts', 'export {};\n'),
    edit('src/login.ts', ['return false', 'return true']),
    edit('src/login.ts', ['login()', 'login(name)']),
  ],
};
const EXPECTED = `diff --git a/src/new.ts b/src/new.ts
new file mode 100644
--- /dev/null
+++ b/src/new.ts
@@ -0,0 +1 @@
+export {};
diff --git a/src/login.ts b/src/login.ts
--- a/src/login.ts
+++ b/src/login.ts
@@ -1,3 +1,3 @@
-export function login() {
-  return false;
+export function login(name) {
+  return true;
 }
`;

describe('what a turn changed', () => {
  test('is a difference that makes the files after it of the files before it', async () => {
    const { root, runs, diff } = await carryOut({ 'src/login.ts': LOGIN, 'README.md': 'stays\n' }, TURN);
    const found = await diff('1');
    expect(found).toMatchObject({ turn: 'auth/01', run: runs[0], undone: false, reason: null, commands: [] });
    expect(found.files.map(({ path, change, reason }) => [path, change, reason])).toEqual([
      ['src/new.ts', 'created', null],
      ['src/login.ts', 'modified', null],
    ]);
    expect(textOf(found)).toBe(EXPECTED);
    const before = makeFolder({ 'src/login.ts': LOGIN });
    execFileSync('git', ['apply'], { cwd: before, input: textOf(found) });
    for (const path of ['src/login.ts', 'src/new.ts'])
      expect(readFileSync(join(before, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'));
  });

  test('is the same after people changed or removed the files', async () => {
    const { root, diff } = await carryOut({ 'src/login.ts': LOGIN }, TURN);
    writeFileSync(join(root, 'src/login.ts'), 'something else\n');
    rmSync(join(root, 'src/new.ts'));
    expect(textOf(await diff('auth/01'))).toBe(EXPECTED);
  });

  test('is the same after another turn, whose own is told apart', async () => {
    const next = {
      actions: [edit('src/login.ts', ['return true', 'return name']), execute('rm src/new.ts')],
    };
    const { diff } = await carryOut({ 'src/login.ts': LOGIN }, TURN, next);
    expect(textOf(await diff('1'))).toBe(EXPECTED);
    const found = await diff('2');
    expect(textOf(found)).toContain('-  return true;\n+  return name;\n');
    expect(textOf(found)).not.toContain('return false');
    expect(textOf(found)).toContain('--- a/src/new.ts\n+++ /dev/null\n');
    expect(found.commands).toEqual([
      { number: 2, description: 'Run it.', command: 'rm src/new.ts\n', recorded: true },
    ]);
  });

  test('is the same, and said to be undone, after an undo', async () => {
    const { runs, workspace, diff } = await carryOut({ 'src/login.ts': LOGIN }, TURN);
    await workspace.undo(runs[0]!);
    const found = await diff('1');
    expect(found.undone).toBe(true);
    expect(textOf(found)).toBe(EXPECTED);
  });

  test('is what ran, where a person changed the action', async () => {
    const changed = edit('src/login.ts', ['return false', 'return 42']);
    const reviewer: Reviewer = {
      resolve: () => undefined,
      ask: async (question) =>
        question.kind === 'action' && !question.modified
          ? { decision: 'replace', action: changed }
          : { decision: 'approve', by: 'person', hash: question.hash },
    };
    const actions = [edit('src/login.ts', ['return false', 'return true'])];
    const { root, diff } = await carryOut({ 'src/login.ts': LOGIN }, { actions, reviewer });
    writeFileSync(join(root, 'src/login.ts'), '');
    expect(textOf(await diff('1'))).toContain('+  return 42;\n');
  });

  test('leads through links inside the project', async () => {
    const root = realpathSync(makeFolder({ 'real/a.txt': 'one\n\n' }));
    symlinkSync('real', join(root, 'link'));
    const plan = planOf([edit('link/a.txt', ['one', 'two'])]);
    const { run, workspace } = await executeHere(root, plan);
    writeTurn(root, metaOf('auth', 1, carriedOut(run)), filesOf(run, plan));
    writeFileSync(join(root, 'real/a.txt'), 'three\n');
    const found = await diffTurn(workspace, '1', {});
    expect(found.files).toMatchObject([{ path: 'real/a.txt', change: 'modified', reason: null }]);
    expect(textOf(found)).toContain('-one\n+two\n');
  });

  test('has memos behind the files of the project, each turn its own', async () => {
    const { diff } = await carryOut(
      {},
      { actions: [create('a.txt', 'a\n')], around: { memos: ['+ Use tabs.'] } },
      { actions: [create('b.txt', 'b\n')], around: { memos: ['+ Use spaces.'] } },
    );
    const [first, second] = [await diff('1'), await diff('2')];
    expect(first.files.map(({ path }) => path)).toEqual(['a.txt', '.teddy/memos.yaml']);
    expect(textOf(first)).toContain('+- Use tabs.\n');
    expect(textOf(first)).not.toContain('spaces');
    expect(second.files.map(({ change }) => change)).toEqual(['created', 'modified']);
    expect(textOf(second)).toContain(' - Use tabs.\n+- Use spaces.\n');
  });

  test('is nothing for a file that became what it was', async () => {
    const actions = [edit('src/login.ts', ['false', 'true']), edit('src/login.ts', ['true', 'false'])];
    const { diff } = await carryOut({ 'src/login.ts': LOGIN }, { actions });
    expect((await diff('1')).files).toEqual([]);
  });

  test('is also what its commands changed', async () => {
    const actions = [
      edit('a.txt', ['one', 'two']),
      execute('echo more >> a.txt'),
      edit('a.txt', ['two', 'three']),
      execute('exit 3'),
      execute('echo never'),
    ];
    const { root, diff } = await carryOut({ 'a.txt': 'one\n\n' }, { actions });
    writeFileSync(join(root, 'a.txt'), 'four\n');
    const found = await diff('1');
    expect(textOf(found)).toContain('-one\n+three\n \n+more\n');
    expect(found.files.map(({ reason }) => reason)).toEqual([null]);
    expect(found.commands.map(({ number }) => number)).toEqual([2, 4]);
  });
});

describe('nothing is guessed', () => {
  test.each([
    ['is no plan any more', 'nothing\n'],
    ['says something else by now', planOf([edit('a.txt', ['one', 'other'])])],
  ])('a file that changed since, when the plan %s', async (_, plan) => {
    const { root, runs, diff } = await carryOut(
      { 'a.txt': 'one\n\n' },
      { actions: [edit('a.txt', ['one', 'two'])] },
    );
    writeFileSync(join(root, 'a.txt'), 'three\n');
    writeFileSync(join(root, `.teddy/runs/${runs[0]}/plan.md`), plan);
    expect((await diff('1')).files).toEqual([
      {
        path: 'a.txt',
        change: 'modified',
        diff: null,
        reason: 'a.txt was changed after the run, and no copy of what the run wrote was kept.',
      },
    ]);
  });

  test('a copy in the journal that is damaged', async () => {
    const { root, runs, diff } = await carryOut(
      { 'a.txt': 'one\n\n' },
      { actions: [edit('a.txt', ['one', 'two'])] },
    );
    const journal = join(root, `.teddy/runs/${runs[0]}/journal`);
    const image = readdirSync(journal).find((name) => /-0$/.test(name))!;
    writeFileSync(join(journal, image), 'other\n');
    expect((await diff('1')).files).toMatchObject([
      { diff: null, reason: 'a.txt cannot be compared: its copy in the journal is damaged.' },
    ]);
  });

  test('a journal that somebody else wrote', async () => {
    const { root, runs, diff } = await carryOut(
      { 'a.txt': 'one\n\n' },
      { actions: [edit('a.txt', ['one', 'two'])] },
    );
    const journal = join(root, `.teddy/runs/${runs[0]}/journal`);
    const record = readdirSync(journal).find((name) => name.endsWith('.json'))!;
    writeFileSync(
      join(journal, record),
      readFileSync(join(journal, record), 'utf8').replace('a.txt', 'b.txt'),
    );
    expect(await diff('1')).toMatchObject({
      files: [],
      reason: `Run ${runs[0]} has no journal that you wrote, so its changes cannot be shown. What it did is in .teddy/sessions/auth/01/report.md.`,
    });
  });

  test('a file that is no text', async () => {
    const root = realpathSync(makeFolder({ 'a.bin': new Uint8Array([0, 1, 2]) }));
    const workspace = new Workspace(root);
    const run = {
      id: '20260101-000000-aaaa',
      overall: 'Completed',
      endedAt: '2026-01-01T00:00:01Z',
    } as const;
    const { createHash } = await import('node:crypto');
    const before = createHash('sha256')
      .update(new Uint8Array([0, 1, 2]))
      .digest('hex');
    const begun = await workspace.beginRun(() => ({ id: run.id, files: {}, note: {} }));
    if (begun.status === 'begun') begun.folder.close();
    await workspace.commit([{ path: 'a.bin', before, after: new Uint8Array([3, 0]) }], { run: run.id });
    writeTurn(root, metaOf('auth', 1, { run }), { 'report.md': 'Done.\n' });
    expect((await diffTurn(workspace, '1', {})).files).toMatchObject([
      { path: 'a.bin', diff: null, reason: expect.stringContaining('a.bin is binary, not text') },
    ]);
  });
});

describe('secrets', () => {
  test('are masked, whether known by their shape or by the environment, and that is said', async () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const word = 'correct-horse-battery';
    const actions = [
      create('env.txt', `one\nTOKEN=${token}\nother ${word}\n`),
      execute(`echo ${word} > /dev/null`),
    ];
    const { workspace } = await carryOut({}, { actions });
    const found = await diffTurn(workspace, '1', { DB_PASSWORD: word });
    expect(JSON.stringify(found)).not.toContain(token);
    expect(JSON.stringify(found)).not.toContain(word);
    expect(textOf(found)).toMatch(/\+TOKEN=\[masked:[0-9a-f]{8}\]\n\+other \[masked:[0-9a-f]{8}\]\n/);
    expect(found.files[0]!.reason).toBe('env.txt: Secrets in it are masked.');
  });
});

describe('a turn of which there is nothing to show', () => {
  test('has not been carried out', async () => {
    const root = realpathSync(makeFolder());
    writeTurn(root, metaOf('auth', 1), {});
    expect(await diffTurn(new Workspace(root), '01', {})).toEqual({
      turn: 'auth/01',
      run: null,
      undone: false,
      reason: 'The plan of auth/01 has not run yet.',
      plan: null,
      files: [],
      commands: [],
    });
  });

  test('has a run that was pruned', async () => {
    const plans = [{ actions: [create('a.txt', 'a\n')] }, { actions: [create('b.txt', 'b\n')] }];
    const { runs, workspace, diff } = await carryOut({}, ...plans);
    await workspace.pruneRuns(1);
    expect(await diff('1')).toMatchObject({
      run: runs[0],
      files: [],
      reason: `Run ${runs[0]} is no longer kept here, so its changes cannot be shown. What it did is in .teddy/sessions/auth/01/report.md.`,
    });
  });

  test.each([
    ['x', /is not a turn/],
    ['', /is not a turn/],
    ['0', /is not a turn/],
    ['../auth/1', /is not a turn/],
    ['other/01', /There is no session "other"\. .*auth/],
    ['2', /02/],
  ])('is %j', async (ref, sentence) => {
    const root = realpathSync(makeFolder());
    writeTurn(root, metaOf('auth', 1), {});
    expect(() => diffTurn(new Workspace(root), ref, {})).toThrow(sentence);
  });

  test('a bare number is of the session last worked in', async () => {
    const root = realpathSync(makeFolder());
    writeTurn(root, metaOf('auth', 1), {});
    writeTurn(root, metaOf('billing', 1), {});
    for (const session of ['auth', 'billing']) {
      writeFileSync(join(root, '.teddy/session'), `${session}\n`);
      expect((await diffTurn(new Workspace(root), '1', {})).turn).toBe(`${session}/01`);
    }
  });
});
