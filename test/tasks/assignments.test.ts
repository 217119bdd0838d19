import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openAssignments, readAssignments } from '../../src/tasks/plans/assignments.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

const STATE = '.ultraplan/state';

function makeSite(files: Record<string, string> = {}) {
  const root = realpathSync(makeFolder(files));
  return { root, workspace: new Workspace(root) };
}

function hold(workspace: Workspace) {
  mkdirSync(join(workspace.root, STATE), { recursive: true });
  const lock = workspace.hold(`${STATE}/lock`);
  onTestFinished(() => lock?.release());
  return lock!;
}

test('there is nothing where no orchestrator ever was', () => {
  const { root, workspace } = makeSite();
  expect(readAssignments(workspace)).toBeUndefined();
  expect(existsSync(join(root, '.ultraplan'))).toBe(false);
});

const CLAUDE = { executor: 'claude', attempt: 1 };
const HUMAN = { executor: 'human', attempt: 2 };

test('what is handed out is seen while its orchestrator lives, and no longer', () => {
  const { workspace } = makeSite();
  const lock = hold(workspace);
  const handed = openAssignments(workspace);
  expect(readAssignments(workspace)).toEqual({});
  handed.add('03-01:2', CLAUDE);
  handed.add('03-01:3', HUMAN);
  expect(readAssignments(workspace)).toEqual({ '03-01:2': CLAUDE, '03-01:3': HUMAN });
  handed.remove('03-01:2');
  handed.remove('03-01:9');
  expect(readAssignments(workspace)).toEqual({ '03-01:3': HUMAN });
  handed.add('03-01:3', CLAUDE);
  expect(readAssignments(workspace)).toEqual({ '03-01:3': CLAUDE });
  lock.release();
  expect(readAssignments(workspace)).toBeUndefined();
});

test('names that objects have are names of tasks like any other', () => {
  const { workspace } = makeSite();
  hold(workspace);
  const handed = openAssignments(workspace);
  handed.add('constructor', CLAUDE);
  handed.add('__proto__', HUMAN);
  expect(Object.entries(readAssignments(workspace)!)).toEqual([
    ['constructor', CLAUDE],
    ['__proto__', HUMAN],
  ]);
});

test('at its end the file goes, and nothing is handed out while the lock is still held', async () => {
  const { root, workspace } = makeSite();
  hold(workspace);
  const handed = openAssignments(workspace);
  handed.add('03-01:2', CLAUDE);
  await handed.end();
  expect(existsSync(join(root, STATE, 'handed.jsonl'))).toBe(false);
  expect(readAssignments(workspace)).toEqual({});
});

test.each(['', '{"op":"hand","task":"03-01:9","exec'])(
  'of one that died nothing counts, be it in the middle of a line: %j',
  (left) => {
    const { root, workspace } = makeSite();
    hold(workspace);
    openAssignments(workspace).add('03-01:2', CLAUDE);
    appendFileSync(join(root, STATE, 'handed.jsonl'), left);
    expect(readAssignments(workspace)).toEqual({ '03-01:2': CLAUDE });
    openAssignments(workspace).add('03-01:3', HUMAN);
    expect(readAssignments(workspace)).toEqual({ '03-01:3': HUMAN });
  },
);

test('is seen from a worktree, in which an executor works', async () => {
  const { root, workspace } = makeSite({ 'a.txt': '' });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root });
  git('init', '--quiet');
  git('add', 'a.txt');
  git('commit', '--quiet', '-m', 'a');
  git('worktree', 'add', '--quiet', `${STATE}/worktrees/one`);
  hold(workspace);
  openAssignments(workspace).add('03-01:2', CLAUDE);
  expect(readAssignments(new Workspace(join(root, STATE, 'worktrees/one')))).toEqual({ '03-01:2': CLAUDE });
});

test.each(['null\n', 'what?\n', '{"op":"other"}\n', 'null\n{"op":"hand"}\n'])(
  'what is none of ours is said to be so: %j',
  (text) => {
    const { root, workspace } = makeSite();
    hold(workspace);
    writeFileSync(join(root, STATE, 'handed.jsonl'), text);
    expect(() => readAssignments(workspace)).toThrow('handed.jsonl was not written by teddy orchestrate');
  },
);
