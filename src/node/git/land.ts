import { join } from 'node:path';
import { lookAtFile } from '../files.js';
import { sleep } from '../sleep.js';
import { findUnfinished } from './busy.js';
import { finishLanding, type Landing } from './finish-landing.js';
import { refuse } from './refusal.js';
import type { WorkTree } from './work-tree.js';

export type GitLanded =
  | { status: 'landed' }
  /** Something else is checked out by now. */
  | { status: 'moved' }
  /** `reason` is whole sentences. */
  | { status: 'refused'; reason: string };

/** Which landing is under way, kept where it outlives this process. No method throws. */
export interface LandingMark {
  /** Whether this landing was begun and not ended; only our own word counts. */
  names(landing: Landing): boolean;
  set(landing: Landing): void;
  clear(): void;
}

const PAUSE_MS = 100;
/** A person's own git, such as an editor's, holds the index for moments; one that outlived its teddy may take longer. */
const TRIES = { usual: 6, interrupted: 30 };

/**
 * Moves what is checked out, be it a branch or none, from `head` to `commit`, with its files and the index, if no
 * change that is not committed is in the way. Killed at any moment, it is called again with the same and finishes.
 * Never throws.
 */
export async function landCommit(tree: WorkTree, landing: Landing, mark: LandingMark): Promise<GitLanded> {
  const wasInterrupted = mark.names(landing);
  const settled = await whereIs(tree, landing);
  if (settled !== 'before') return forget(mark, settled);
  const unfinished = findUnfinished(tree);
  if (unfinished !== undefined) return { status: 'refused', reason: unfinished };
  mark.set(landing);

  const merged = await fastForward(tree, landing, wasInterrupted ? TRIES.interrupted : TRIES.usual);
  if (merged.status === 'landed' || merged.status === 'moved') return forget(mark, merged);
  const isPartly = wasInterrupted || merged.status === 'killed';
  if (lookAtFile(lockOf(tree)) !== 'missing') {
    if (!isPartly) mark.clear();
    return { status: 'refused', reason: describeLock(tree) };
  }
  // A person may have committed in the meantime: then nothing of ours is to be written beside it.
  const between = await whereIs(tree, landing);
  if (between !== 'before' && !isPartly) return forget(mark, between);
  const finished = await finishLanding(tree, landing, { isPartly });
  if (finished.status === 'done') return forget(mark, { status: 'landed' });
  const now = await whereIs(tree, landing);
  if (now !== 'before') return forget(mark, now);
  // Nothing was begun, so that nothing has to be finished.
  if (!isPartly && finished.status === 'in-the-way') mark.clear();
  const reason =
    finished.status === 'in-the-way' ? finished.reason : `git cannot move the branch: ${finished.reason}.`;
  return { status: 'refused', reason };
}

async function whereIs(tree: WorkTree, { commit, head }: Landing): Promise<GitLanded | 'before'> {
  const now = await tree.commit();
  if (now.status !== 'ok')
    return { status: 'refused', reason: `git does not tell what is checked out: ${now.reason}.` };
  if (now.commit === commit) return { status: 'landed' };
  if (now.commit === head) return 'before';
  return (await tree.descends(now.commit, commit)) ? { status: 'landed' } : { status: 'moved' };
}

type FastForward = GitLanded | { status: 'killed' } | { status: 'failed' };

async function fastForward(tree: WorkTree, landing: Landing, tries: number): Promise<FastForward> {
  for (let left = tries; ; left--) {
    // What git ignores may be all the more dear to somebody.
    const words = ['merge', '-q', '--ff-only', '--no-overwrite-ignore', landing.commit];
    const merged = await tree.run(words, { mayRunPrograms: true });
    if (merged.status === 'ok') return { status: 'landed' };
    if (merged.status === 'failed' && merged.code === undefined) return { status: 'killed' };
    const isLocked = lookAtFile(lockOf(tree)) !== 'missing' || /index\.lock/.test(refuse(merged).reason);
    if (!isLocked || left === 0) return { status: 'failed' };
    await sleep(PAUSE_MS);
    const now = await whereIs(tree, landing);
    if (now !== 'before') return now;
  }
}

function lockOf({ gitFolder }: WorkTree): string {
  return join(gitFolder, 'index.lock');
}

function describeLock(tree: WorkTree): string {
  return (
    `Another git works in this project, or was killed while it did: ${JSON.stringify(lockOf(tree))} is there. ` +
    'Wait for it to end; if no git runs here, remove that file, and try again.'
  );
}

/** Where something is refused it may be tried again, and then what was interrupted has to be known. */
function forget(mark: LandingMark, landed: GitLanded): GitLanded {
  if (landed.status !== 'refused') mark.clear();
  return landed;
}
