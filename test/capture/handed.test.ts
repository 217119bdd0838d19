import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changeHanded, type HandedTasks, readHanded } from '../../src/capture/index.js';
import { Workspace } from '../../src/workspace/index.js';
import { makeFolder } from '../folder.js';

const STATE = '.ultraplan/state';

function makeSite(files: Record<string, string> = {}) {
  const root = realpathSync(makeFolder(files));
  const workspace = new Workspace(root);
  const hand = (tasks: HandedTasks) =>
    workspace.update((view) => {
      const change = changeHanded(view, tasks);
      return { changes: change ? [change] : [], value: change !== undefined };
    });
  return { root, workspace, hand };
}

function hold(workspace: Workspace) {
  mkdirSync(join(workspace.root, STATE), { recursive: true });
  const lock = workspace.hold(`${STATE}/lock`);
  onTestFinished(() => lock?.release());
  return lock!;
}

test('there is nothing where no orchestrator ever was', () => {
  const { root, workspace } = makeSite();
  expect(readHanded(workspace)).toBeUndefined();
  expect(existsSync(join(root, '.ultraplan'))).toBe(false);
});

const CLAUDE = { executor: 'claude', attempt: 1 };
const HUMAN = { executor: 'human', attempt: 2 };

test('what is handed out is seen while its orchestrator lives, and no longer', async () => {
  const { workspace, hand } = makeSite();
  const lock = hold(workspace);
  expect(await hand({ '03-01:2': CLAUDE, '03-01:3': HUMAN })).toMatchObject({ value: true });
  expect(readHanded(workspace)).toEqual({ '03-01:2': CLAUDE, '03-01:3': HUMAN });
  expect(await hand({ '03-01:2': CLAUDE, '03-01:3': HUMAN })).toMatchObject({ value: false });
  lock.release();
  expect(readHanded(workspace)).toBeUndefined();
});

test('with nothing handed out the file goes', async () => {
  const { root, workspace, hand } = makeSite();
  hold(workspace);
  await hand({ __proto__: HUMAN, constructor: CLAUDE } as never);
  expect(readHanded(workspace)).toEqual({ constructor: CLAUDE });
  await hand({});
  expect(existsSync(join(root, STATE, 'handed.json'))).toBe(false);
  expect(readHanded(workspace)).toBeUndefined();
});

test('is seen from a worktree, in which an executor works', async () => {
  const { root, workspace, hand } = makeSite({ 'a.txt': '' });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root });
  git('init', '--quiet');
  git('add', 'a.txt');
  git('commit', '--quiet', '-m', 'a');
  git('worktree', 'add', '--quiet', `${STATE}/worktrees/one`);
  hold(workspace);
  await hand({ '03-01:2': CLAUDE });
  expect(readHanded(new Workspace(join(root, STATE, 'worktrees/one')))).toEqual({ '03-01:2': CLAUDE });
});

test('what is none of ours is said to be so', () => {
  const { root, workspace } = makeSite();
  hold(workspace);
  writeFileSync(join(root, STATE, 'handed.json'), 'null');
  expect(() => readHanded(workspace)).toThrow('handed.json is not what teddy orchestrate writes');
});
