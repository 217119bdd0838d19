import { join } from 'node:path';
import { decodeText, lookAtFile, MB, readBytes } from '../files.js';
import type { WorkTree } from './work-tree.js';

export type GitMerged =
  | { status: 'merged'; commit: string }
  /** `text`: both sides, with git's markers; the work tree is back on the commit to merge. */
  | { status: 'conflict'; files: string[]; text: string }
  /** `reason` completes the sentence "git cannot merge: …". The work tree is back on that commit if possible. */
  | { status: 'failed'; reason: string };

export interface MergeOptions {
  /** The commit to merge into, the first parent. */
  onto: string;
  /** The commit to merge: by its id, since a branch can move. */
  commit: string;
  message: string;
}

const LONGEST_TEXT = 20_000;
const CONTEXT_LINES = 3;

/**
 * Merges a commit of the work tree into another, away from any branch, and leaves the result in the folder.
 * Uncommitted changes in the folder are dropped. Never throws.
 */
export async function mergeBranch(
  tree: WorkTree,
  { onto, commit, message }: MergeOptions,
): Promise<GitMerged> {
  const begun = await checkOut(tree, onto);
  if (begun !== undefined) return abandon(tree, commit, begun);
  const words = ['merge', '-q', '--no-ff', '--no-edit', '-m', message, commit];
  const merged = await tree.run(words, { mayRunPrograms: true });
  if (merged.status === 'ok') {
    const head = await tree.commit();
    return head.status === 'ok'
      ? { status: 'merged', commit: head.commit }
      : abandon(tree, commit, head.reason);
  }
  const unmerged = await tree.list(['ls-files', '-z', '--unmerged']);
  const conflicts = unmerged.status === 'ok' ? readUnmerged(unmerged.items) : new Map<string, string>();
  if (conflicts.size === 0) return abandon(tree, commit, merged.reason);
  const text = describeConflicts(tree.folder, conflicts);
  const back = await checkOut(tree, commit);
  if (back !== undefined) return { status: 'failed', reason: back };
  return { status: 'conflict', files: [...conflicts.keys()], text };
}

async function abandon(tree: WorkTree, commit: string, reason: string): Promise<GitMerged> {
  await checkOut(tree, commit);
  return { status: 'failed', reason };
}

/** Resets the folder to a commit, and drops any operation in progress. Returns the reason if it cannot. */
export async function checkOut(tree: WorkTree, commit: string): Promise<string | undefined> {
  const done = await tree.run(['checkout', '-q', '-f', '--detach', commit], { mayRunPrograms: true });
  return done.status === 'ok' ? undefined : done.reason;
}

/** `100644 1f0c… 2⇥path`, one for each version of it: to `23` by path. */
function readUnmerged(items: readonly string[]): Map<string, string> {
  const stages = new Map<string, string>();
  for (const item of items) {
    const at = item.indexOf('\t');
    const path = item.slice(at + 1);
    stages.set(path, (stages.get(path) ?? '') + item[at - 1]);
  }
  return new Map([...stages].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** By the versions that exist: 1 the common one, 2 the project's, 3 the attempt's. */
const KINDS: Record<string, string> = {
  '123': 'Both changed it.',
  '23': 'Both created it.',
  '12': 'The project changed it, and the attempt deleted or moved it.',
  '13': 'The project deleted or moved it, and the attempt changed it.',
  '1': 'Both moved or deleted it, in different ways.',
  '2': 'The project put it where the attempt has something else.',
  '3': 'The attempt put it where the project has something else.',
};

function describeConflicts(folder: string, conflicts: ReadonlyMap<string, string>): string {
  const parts = [...conflicts].map(([path, stages]) => {
    const hunks = findHunks(readLines(join(folder, path)));
    return [`${JSON.stringify(path)}: ${KINDS[stages] ?? 'The two versions conflict.'}`, ...hunks].join('\n');
  });
  const head =
    'Between <<<<<<< and ======= is what the project has now, between ======= and >>>>>>> what the attempt has.';
  const whole = [head, ...parts].join('\n\n');
  if (whole.length <= LONGEST_TEXT) return whole;
  const cut = whole.slice(0, LONGEST_TEXT - 100);
  return `${cut}\n[${whole.length - cut.length} more characters of conflicts left out.]`;
}

/** None for binary files and links. */
function readLines(path: string): string[] {
  const read = lookAtFile(path) === 'file' ? readBytes(path, MB) : undefined;
  const decoded = read?.status === 'bytes' ? decodeText(read.bytes) : undefined;
  return decoded?.status === 'text' ? decoded.text.split('\n') : [];
}

/** The conflicting parts, with some lines around each. */
function findHunks(lines: readonly string[]): string[] {
  const hunks: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.startsWith('<<<<<<< ')) continue;
    const end = lines.findIndex((line, i) => i > at && line.startsWith('>>>>>>> '));
    if (end === -1) break;
    const from = Math.max(0, at - CONTEXT_LINES);
    hunks.push(`From line ${from + 1}:`, ...lines.slice(from, end + 1 + CONTEXT_LINES));
    at = end;
  }
  return hunks;
}
