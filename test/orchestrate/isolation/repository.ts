import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type IsolationOptions, openIsolation } from '../../../src/orchestrate/isolation/open-isolation.js';
import type { Candidate, Changes, Isolation, Worktree } from '../../../src/orchestrate/isolation/types.js';
import { plainGit } from '../../repository.js';

export function headOf(root: string): string {
  return plainGit(root, 'rev-parse', 'HEAD').trim();
}

export function statusOf(root: string): string {
  return plainGit(root, 'status', '--porcelain', '--untracked-files=all');
}

export async function isolate(
  root: string,
  kind: 'worktree' | 'none' = 'worktree',
  options: Partial<IsolationOptions> = {},
): Promise<{ isolation: Isolation; notes: string[] }> {
  const opened = await openIsolation(kind, {
    workspace: { root },
    setup: null,
    runSetup: async () => ({ status: 'ok' }),
    writers: 1,
    ownFiles: [],
    ...options,
  });
  if (opened.status !== 'ok') throw new Error(opened.reason);
  return opened;
}

export async function openPlace(isolation: Isolation, task = '03-01:2', attempt = 1): Promise<Worktree> {
  const opened = await isolation.open({ taskId: task, taskName: `Name of ${task}`, attempt });
  if (opened.status !== 'open') throw new Error(opened.reason);
  return opened.place;
}

export async function mergeWell(place: Worktree): Promise<Candidate> {
  const merged = await place.merge();
  if (merged.status !== 'merged') throw new Error(JSON.stringify(merged));
  return merged.candidate;
}

export async function landWell(place: Worktree): Promise<void> {
  expect(await place.land(await mergeWell(place))).toEqual({ status: 'landed' });
}

export async function changesOf(place: Worktree): Promise<Extract<Changes, { status: 'known' }>> {
  const changes = await place.changes();
  if (changes.status !== 'known') throw new Error(changes.reason);
  return changes;
}

/** Nothing of any attempt is left in the repository. */
export function expectNoTrace(root: string): void {
  expect(plainGit(root, 'worktree', 'list', '--porcelain').split('\n\n').filter(Boolean)).toHaveLength(1);
  expect(plainGit(root, 'for-each-ref', 'refs/heads/teddy')).toBe('');
  expect(
    execFileSync('find', [join(root, '.ultraplan/state/worktrees'), '-mindepth', '1'], { encoding: 'utf8' }),
  ).toBe('');
}
