import { basename, join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { MB, readBytes, removeTree, writeFile } from '../../node/files.js';
import type { LandingMark } from '../../node/git/land.js';
import type { WorktreeIdentity } from '../../node/git/worktrees.js';
import { sealOf } from '../../workspace/commit/log.js';
import type { PlaceRecord } from './types.js';

/** A place is whole: whoever finds it may work there, or keep what was done there. */
export interface ReadyMark {
  record: PlaceRecord & { base: string };
  identity: WorktreeIdentity;
  /** What the setup left that git would take for work: paths from the top, and what each held. */
  setup: Record<string, string>;
  /** And what git ignores of it: paths from the top, folders with a `/` at their end. */
  ignored: string[];
  /** When the place was whole, by the clock that its files have. */
  since: number;
}

/** What was done is committed: nothing that the folder holds later counts. */
export interface DoneMark {
  commit: string;
  /** These and the following are paths from the top of the repository. */
  files: string[];
  leftOut: string[];
  repositories: string[];
  ignored: string[];
  removed: string[];
}

const READY = 'teddy-ready.json';
const DONE = 'teddy-done.json';
const LANDING = 'teddy-landing';

// The first two lie in the worktree's own git folder, and go with it. Executors can write there, and what a mark says is
// acted on without asking: only one with this user's seal counts, and only where it was written.

export function markReady(gitFolder: string, mark: Omit<ReadyMark, 'since'>): ReadyMark {
  const path = join(gitFolder, READY);
  writeFile(path, new Uint8Array());
  const ready = { ...mark, since: files.lstat(path)?.ctimeMs ?? 0 };
  write(path, ready);
  return ready;
}

export function markDone(gitFolder: string, mark: DoneMark): void {
  write(join(gitFolder, DONE), mark);
}

export function readReady(gitFolder: string): ReadyMark | undefined {
  return read(join(gitFolder, READY)) as ReadyMark | undefined;
}

export function readDone(gitFolder: string): DoneMark | undefined {
  return read(join(gitFolder, DONE)) as DoneMark | undefined;
}

/** In the git folder of the project. */
export function landingMarkIn(gitFolder: string): LandingMark {
  const path = join(gitFolder, LANDING);
  return {
    names({ commit, head }) {
      const mark = read(path) as { commit: string; head: string } | undefined;
      return mark?.commit === commit && mark.head === head;
    },
    set: ({ commit, head }) => write(path, { commit, head }),
    clear: () => void removeTree(path),
  };
}

function write(path: string, value: unknown): void {
  const body = JSON.stringify(value);
  writeFile(path, new TextEncoder().encode(`${seal(path, body)}\n${body}`));
}

function read(path: string): unknown {
  const found = readBytes(path, 64 * MB);
  const text = found.status === 'bytes' ? new TextDecoder().decode(found.bytes) : '';
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  return end !== -1 && text.slice(0, end) === seal(path, body) ? JSON.parse(body) : undefined;
}

function seal(path: string, body: string): string {
  return sealOf(`${basename(path)}\n${path}\n${body}`);
}
