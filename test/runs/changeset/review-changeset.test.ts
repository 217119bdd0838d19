import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redactorFor } from '../../../src/config/redactor.js';
import { checkConfinement } from '../../../src/confine/check.js';
import { parseReport } from '../../../src/core/report/parse.js';
import { yesReviewer } from '../../../src/review/compose.js';
import type { FileQuestion } from '../../../src/review/question.js';
import { listWork, openWork } from '../../../src/workspace/copy/work.js';
import { type Files, readAllFiles, writeAll } from '../../file-trees.js';
import { makeFolder } from '../../folder.js';
import { agentChanges, makeProject, review, userWho } from './make.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
const TEXT = LINES.join('');
const EDITED = LINES.map((line, i) => (i === 2 || i === 20 ? `new ${line}` : line)).join('');

const PROJECT: Files = {
  'a.txt': TEXT,
  'gone/one.txt': 'one\n',
  'old name.txt': `${TEXT}tail\n`,
  'run.sh': 'echo\n',
  link: '-> a.txt',
  'image.bin': Buffer.from([0, 1, 2]) as never,
  'dir/x': 'x\n',
  file: 'file\n',
};
const CHANGES: Files = {
  'a.txt': EDITED,
  gone: null,
  'old name.txt': null,
  'new name.txt': `${TEXT}tail 2\n`,
  'run.sh': '!echo\n',
  link: '-> run.sh',
  'image.bin': Buffer.from([0, 9]),
  dir: 'now a file\n',
  file: null,
  'file/inner.txt': 'now a folder\n',
  'created.md': '# new\n',
};

async function undo(workspace: Parameters<typeof review>[1], run: string) {
  expect(await workspace.undo(run)).toMatchObject({ status: 'undone', refused: [] });
}

test('all of it lands as one run, with a report, and is undone exactly', async () => {
  const workspace = makeProject(PROJECT);
  const before = readAllFiles(workspace.root);
  const work = await agentChanges(workspace, CHANGES);
  const user = userWho(() => 'approve');
  const reviewed = await review(work, workspace, user);
  if (reviewed.status !== 'reviewed') throw new Error(JSON.stringify(reviewed));
  const { run } = reviewed;
  expect(user.asked.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'EDIT a.txt',
    'CREATE created.md',
    'CREATE dir',
    'DELETE dir/x',
    'DELETE file',
    'CREATE file/inner.txt',
    'DELETE gone/one.txt',
    'EDIT image.bin',
    'EDIT link',
    'RENAME new name.txt',
    'EDIT run.sh',
  ]);
  expect(reviewed).toMatchObject({ landed: true, kept: false, feedback: undefined });
  expect(run).toMatchObject({
    kind: 'changeset',
    overall: 'Completed',
    plan: { title: 'Changes by claude' },
  });
  const copy = makeProject({ ...PROJECT, ...CHANGES, 'dir/x': null, dir: 'now a file\n' });
  expect(readAllFiles(workspace.root)).toEqual(readAllFiles(copy.root));
  const report = readFileSync(join(workspace.root, '.teddy/runs', run.id, 'report.md'), 'utf8');
  expect(report).toContain('### `RENAME`\n- **Status:** Approved ✅\n- **Execution:** Success 🟢');
  expect(parseReport(report)).toMatchObject({ status: 'mirrored', overall: 'Completed' });
  expect(existsSync(join(workspace.root, run.plan.path))).toBe(true);
  expect(listWork(workspace)).toEqual([]);
  await undo(workspace, run.id);
  expect(readAllFiles(workspace.root)).toEqual(before);
});

test('hunks are kept and dropped one by one; what was dropped is the feedback, and stays for the agent', async () => {
  const workspace = makeProject(PROJECT);
  const work = await agentChanges(workspace, {
    'a.txt': EDITED,
    'run.sh': '!echo 2\n',
    'created.md': '# no\n',
  });
  const reviewed = await review(
    work,
    workspace,
    userWho((question) => {
      if (question.path === 'created.md') return { decision: 'skip', by: 'person', reason: 'not needed' };
      expect(question.parts).toHaveLength(2);
      const [first, second] = question.parts;
      const keep = { ids: [first!.id], reasons: { [second!.id]: 'too much' } };
      return { decision: 'approve', by: 'person', hash: question.hash, keep };
    }),
  );
  if (reviewed.status !== 'reviewed') throw new Error(JSON.stringify(reviewed));
  expect(readAllFiles(workspace.root)).toMatchObject({
    'a.txt': TEXT.replace('line 3\n', 'new line 3\n'),
    'run.sh': 'echo 2\n',
  });
  expect(reviewed).toMatchObject({ landed: true, kept: true, run: { overall: 'Partial' } });
  expect(reviewed.feedback).toContain('Dropped: too much');
  expect(reviewed.feedback).toContain('+new line 21');
  expect(reviewed.feedback).toContain('CREATE created.md\nDropped: not needed');
  const [left] = listWork(workspace);
  expect(left!.record).toMatchObject({ id: work.id, feedback: reviewed.feedback });
  work.close();
  const again = await openWork(workspace, work.id);
  if (again.status !== 'ok') throw new Error(again.status);
  const user = userWho(() => 'approve');
  await review(again.work, workspace, user);
  // Only what was dropped is left.
  expect(user.asked.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'EDIT a.txt',
    'CREATE created.md',
    'EDIT run.sh',
  ]);
  expect(readAllFiles(workspace.root)).toMatchObject({ 'a.txt': EDITED, 'run.sh': '!echo 2\n' });
});

describe('the project changed meanwhile', () => {
  const reviewAfter = async (changes: Files, meanwhile: Files, decide: Parameters<typeof userWho>[0]) => {
    const workspace = makeProject(PROJECT);
    const work = await agentChanges(workspace, changes);
    writeAll(workspace.root, meanwhile);
    const user = userWho(decide);
    const reviewed = await review(work, workspace, user);
    if (reviewed.status !== 'reviewed') throw new Error(JSON.stringify(reviewed));
    return { user, reviewed, files: readAllFiles(workspace.root) };
  };

  test('other lines are merged', async () => {
    const ours = TEXT.replace('line 30\n', 'ours 30\n');
    const { user, files } = await reviewAfter({ 'a.txt': EDITED }, { 'a.txt': ours }, () => 'approve');
    expect(user.asked[0]).toMatchObject({ conflict: null });
    expect(files['a.txt']).toBe(EDITED.replace('line 30\n', 'ours 30\n'));
  });

  test.each<[string, Files, Files, string, string]>([
    [
      'the same lines',
      { 'a.txt': EDITED },
      { 'a.txt': TEXT.replace('line 3\n', 'ours\n') },
      'a.txt',
      'same lines',
    ],
    ['edited and deleted', { 'a.txt': EDITED }, { 'a.txt': null }, 'a.txt', 'deleted or moved'],
    ['deleted and edited', { 'a.txt': null }, { 'a.txt': 'ours\n' }, 'a.txt', 'the agent deleted it'],
    ['both created', { n: 'theirs\n' }, { n: 'ours\n' }, 'n', 'created it, too'],
    ['links', { link: '-> x' }, { link: '-> y' }, 'link', 'is a link'],
    [
      'binary',
      { 'image.bin': Buffer.from([0, 5]) },
      { 'image.bin': Buffer.from([0, 6]) },
      'image.bin',
      'not a text',
    ],
  ])('%s: a question, which --yes does not answer', async (_, changes, meanwhile, path, reason) => {
    const skipped = await reviewAfter(changes, meanwhile, () => 'skip');
    const [question] = skipped.user.asked as [FileQuestion];
    expect(question.path).toBe(path);
    expect(question.conflict?.reason).toContain(reason);
    expect(question.risks[0]).toMatchObject({ kind: 'conflict' });
    const taken = await reviewAfter(changes, meanwhile, () => 'approve');
    const theirs = makeProject({ ...PROJECT, ...changes });
    expect(taken.files[path]).toEqual(readAllFiles(theirs.root)[path]);
    const workspace = makeProject(PROJECT);
    const work = await agentChanges(workspace, changes);
    writeAll(workspace.root, meanwhile);
    const before = readAllFiles(workspace.root);
    await review(work, workspace, yesReviewer());
    expect(readAllFiles(workspace.root)).toEqual(before);
  });

  test('the user merges by hand, and is shown the result', async () => {
    const ours = TEXT.replace('line 3\n', 'ours\n');
    const { user, files, reviewed } = await reviewAfter(
      { 'a.txt': EDITED },
      { 'a.txt': ours },
      (question) => {
        if (question.modified) return 'approve';
        expect(question.conflict?.marked).toContain(
          '<<<<<<< in the project\nours\n=======\nnew line 3\n>>>>>>> by the agent',
        );
        return { decision: 'rewrite', text: 'by hand\n' };
      },
    );
    expect(user.asked).toHaveLength(2);
    expect(user.asked[1]).toMatchObject({
      modified: true,
      conflict: null,
      texts: { before: ours, after: 'by hand\n' },
    });
    expect(files['a.txt']).toBe('by hand\n');
    expect(reviewed.run.actions[0]!.outcome).toMatchObject({ status: 'success', ranAs: 'by hand\n' });
  });

  test('a rename is merged with what the project did to the file', async () => {
    const changes = {
      'old name.txt': null,
      'new name.txt': `${TEXT}tail\n`.replace('line 9\n', 'theirs 9\n'),
    };
    const meanwhile = { 'old name.txt': `${TEXT}tail\n`.replace('line 20\n', 'ours 20\n') };
    const { files } = await reviewAfter(changes, meanwhile, () => 'approve');
    expect(files['old name.txt']).toBeUndefined();
    expect(files['new name.txt']).toBe(
      `${TEXT}tail\n`.replace('line 9\n', 'theirs 9\n').replace('line 20\n', 'ours 20\n'),
    );
  });

  test('between review and landing: nothing is written, and the work stays', async () => {
    const workspace = makeProject(PROJECT);
    const work = await agentChanges(workspace, { 'a.txt': EDITED, 'created.md': 'x\n' });
    const reviewed = await review(
      work,
      workspace,
      userWho(({ path }) => {
        if (path === 'created.md') writeFileSync(join(workspace.root, 'a.txt'), 'mine\n');
        return 'approve';
      }),
    );
    expect(reviewed).toMatchObject({ landed: false, kept: true, run: { overall: 'Failed' } });
    expect(readAllFiles(workspace.root)).toMatchObject({ 'a.txt': 'mine\n' });
    expect(readAllFiles(workspace.root)['created.md']).toBeUndefined();
    expect(listWork(workspace)).toHaveLength(1);
  });
});

test('a review that is quit lands nothing, and its decisions count again only for what was shown', async () => {
  const workspace = makeProject(PROJECT);
  const before = readAllFiles(workspace.root);
  const work = await agentChanges(workspace, { 'a.txt': EDITED, 'b.txt': 'b\n', 'c.txt': 'c\n' });
  const quit = await review(
    work,
    workspace,
    userWho(({ path }) => (path === 'c.txt' ? { decision: 'quit', reason: null } : 'approve')),
  );
  expect(quit).toMatchObject({ landed: false, kept: true, run: { overall: 'Skipped' } });
  expect(readAllFiles(workspace.root)).toEqual(before);
  work.close();
  const again = await openWork(workspace, work.id);
  if (again.status !== 'ok') throw new Error(again.status);
  writeFileSync(join(again.work.copy.copy, 'b.txt'), 'changed since\n');
  const user = userWho(() => 'approve');
  expect(await review(again.work, workspace, user)).toMatchObject({ landed: true, kept: false });
  expect(user.asked.map(({ path }) => path)).toEqual(['b.txt', 'c.txt']);
  expect(readAllFiles(workspace.root)).toMatchObject({ 'a.txt': EDITED, 'b.txt': 'changed since\n' });
});

test('going back changes an earlier decision', async () => {
  const workspace = makeProject(PROJECT);
  const work = await agentChanges(workspace, { 'b.txt': 'b\n', 'c.txt': 'c\n' });
  let went = false;
  const user = userWho(({ path }) => {
    if (path === 'c.txt' && !went) {
      went = true;
      return { decision: 'back' };
    }
    return went && path === 'b.txt' ? 'skip' : 'approve';
  });
  await review(work, workspace, user);
  expect(readAllFiles(workspace.root)).toMatchObject({ 'c.txt': 'c\n' });
  expect(readAllFiles(workspace.root)['b.txt']).toBeUndefined();
});

test('a file where a folder was needs the folder to go', async () => {
  const workspace = makeProject(PROJECT);
  const before = readAllFiles(workspace.root);
  const work = await agentChanges(workspace, { dir: 'now a file\n' });
  const reviewed = await review(
    work,
    workspace,
    userWho(({ path }) => (path === 'dir' ? 'approve' : 'skip')),
  );
  expect(reviewed).toMatchObject({ landed: false, run: { overall: 'Failed' } });
  expect(readAllFiles(workspace.root)).toEqual(before);
});

describe('verification', () => {
  const verification = (command: string, prepare: string | null = null) => ({
    command,
    prepare,
    tools: undefined,
    network: true,
    write: [],
    hide: [],
    bring: ['.env'],
    environment: process.env,
    timeoutMs: 60_000,
    redactor: redactorFor(null, {}),
    signal: new AbortController().signal,
  });

  test('what would land is checked in a fresh copy; a failure lands nothing', async () => {
    const ignored = { '.gitignore': 'ignored\ndeps/\n.env*\n', ignored: 'here\n', 'deps/lib.js': 'lib\n' };
    const secrets = { '.env': 'brought\n', '.env.local': 'withheld\n' };
    const own = { '.teddy/agents/a.md': 'of the project\n' };
    const workspace = makeProject({ ...PROJECT, ...ignored, ...secrets, ...own });
    const before = readAllFiles(workspace.root);
    const work = await agentChanges(workspace, { 'a.txt': EDITED, 'b.txt': 'b\n' });
    const decide = userWho(({ path }) => (path === 'b.txt' ? 'skip' : 'approve'));
    const command =
      'test ! -e b.txt && ls -A .teddy && cat ignored deps/lib.js .env .teddy/agents/a.md && ! cat .env.local && grep "new line 3" a.txt && echo made > made.txt && exit 3';
    const failed = await review(work, workspace, decide, { verification: verification(command) });
    expect(failed).toMatchObject({ landed: false, kept: true, run: { overall: 'Failed' } });
    if (failed.status !== 'reviewed') return;
    expect(failed.run.actions.at(-1)).toMatchObject({
      type: 'EXECUTE',
      outcome: {
        status: 'failure',
        exitCode: 3,
        output: { text: 'agents\nhere\nlib\nbrought\nof the project\nnew line 3\n' },
      },
    });
    expect(readAllFiles(workspace.root)).toEqual(before);
    work.close();
    const again = await openWork(workspace, work.id);
    if (again.status !== 'ok') throw new Error(again.status);
    const passed = await review(again.work, workspace, decide, {
      verification: verification('test -e p', 'touch p'),
    });
    expect(passed).toMatchObject({ landed: true });
    expect(readAllFiles(workspace.root)).toMatchObject({ 'a.txt': EDITED });
    expect(readAllFiles(workspace.root).p).toBeUndefined();
  });
});

describe.skipIf(because !== '')(`confined verification${because}`, () => {
  test('runs on what would land, after verify.prepare, and writes nothing outside of its copy', async () => {
    const workspace = makeProject({ ...PROJECT, '.gitignore': 'deps/\n', 'deps/lib.js': 'lib\n' });
    const { root } = workspace;
    const outside = realpathSync(makeFolder({ 'there.txt': 'as it was\n' }));
    const before = readAllFiles(root);
    const work = await agentChanges(workspace, { 'a.txt': EDITED, 'b.txt': 'b\n' });
    const decide = userWho(({ path }) => (path === 'b.txt' ? 'skip' : 'approve'));
    const writes = [
      `echo no > ${outside}/new.txt`,
      `echo no >> ${outside}/there.txt`,
      `rm ${outside}/there.txt`,
      `echo no > ${process.env.HOME}/teddy-verify-wrote-this`,
      // The project's own path is the copy's.
      `echo no > ${root}/made-by-verify.txt`,
      `echo no > ${root}/deps/lib.js`,
      `rm -rf ${root}/.git ${root}/gone`,
      'kill -9 $PPID',
    ];
    const command = [
      'test -e prepared && test ! -e b.txt && cat deps/lib.js && grep "new line 3" a.txt || exit 1',
      ...writes.map((each) => `(${each}) 2>/dev/null`),
      `pwd; ls ${outside}; echo "$SOME_SECRET"; exit 0`,
    ].join('\n');
    const verification = {
      command,
      prepare: 'touch prepared',
      tools: checked.available ? checked.tools : undefined,
      network: false,
      write: [],
      hide: [],
      bring: [],
      timeoutMs: 60_000,
      environment: { ...process.env, SOME_SECRET: 'of-the-environment' },
      redactor: redactorFor(null, {}),
      signal: new AbortController().signal,
    };
    const reviewed = await review(work, workspace, decide, { verification });
    if (reviewed.status !== 'reviewed') throw new Error(JSON.stringify(reviewed));
    expect(reviewed.landed, JSON.stringify(reviewed.run.actions.at(-1))).toBe(true);
    const { outcome } = reviewed.run.actions.at(-1)!;
    expect(outcome).toMatchObject({
      status: 'success',
      output: { text: `lib\nnew line 3\n${root}\n\n` },
    });
    expect(readFileSync(join(outside, 'there.txt'), 'utf8')).toBe('as it was\n');
    expect(readdirSync(outside)).toEqual(['there.txt']);
    expect(existsSync(join(process.env.HOME!, 'teddy-verify-wrote-this'))).toBe(false);
    expect(readAllFiles(root)).toEqual({ ...before, 'a.txt': EDITED });
    expect(existsSync(join(root, '.git/HEAD'))).toBe(true);
  });
});

test('hostile names and contents are shown and bound', async () => {
  const workspace = makeProject({ 'a.txt': 'a\n' });
  const name = 'evil\u001b[31m\u202e.txt';
  const work = await agentChanges(workspace, {
    [name]: 'a\n',
    'bidi.ts': 'a\u202eb\n',
    '.github/workflows/ci.yml': 'on: push\n',
    out: '-> ../../etc/passwd',
    'package-lock.json': '{}\n',
    tool: '!#!/bin/sh\n',
    'key.ts': 'const k = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";\n',
  });
  const user = userWho(() => 'skip');
  const reviewed = await review(work, workspace, user);
  const risks = Object.fromEntries(
    user.asked.map(({ path, risks }) => [path, risks.map(({ kind }) => kind)]),
  );
  expect(risks).toEqual({
    'bidi.ts': ['hidden-characters'],
    '.github/workflows/ci.yml': ['scripts'],
    out: ['link-out'],
    'package-lock.json': ['lock-file'],
    tool: ['executable'],
    'key.ts': ['secrets'],
  });
  if (reviewed.status !== 'reviewed') throw new Error(reviewed.status);
  const refused = reviewed.run.actions.find(
    ({ metadata }) => metadata['File Path'] === 'evil<U+001B>[31m<U+202E>.txt',
  );
  expect(refused).toMatchObject({ type: 'CREATE', decision: { status: 'skipped', by: 'teddy' } });
  const report = readFileSync(join(workspace.root, '.teddy/runs', reviewed.run.id, 'report.md'), 'utf8');
  expect(report).toContain('Not run: evil<U+001B>[31m<U+202E>.txt contains a control character');
  expect(report).not.toMatch(/[\u001b\u202e]/);
});
