import { basename, join } from 'node:path';
import { files } from '../../node/file-calls.js';
import { MB, readBytes, removeTree, writeFile } from '../../node/files.js';
import type { LandingMark } from '../../node/git/land.js';
import type { WorktreeIdentity } from '../../node/git/worktrees.js';
import { randomId, sha256 } from '../../node/ids.js';
import { isSealOf, sealOf } from '../../node/user-folders.js';
import type { PlaceRecord, PlaceSubject } from './types.js';

/** A worktree is complete: work can start there, or be kept from there after a crash. */
export interface ReadyMark {
  record: PlaceRecord & { base: string };
  identity: WorktreeIdentity;
  /** What the setup left and git would take for work: paths from the top, and their content. */
  setup: Record<string, string>;
  /** What the setup left and git ignores: paths from the top; folders end in `/`. */
  ignored: string[];
  /** When it was complete, by the clock of its file system. */
  since: number;
}

/** The work is committed: later changes in the folder do not count. */
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

// The first two are in the worktree's own git folder. Executors can write there, and teddy acts on marks without asking, so
// only a mark with this user's seal counts, and only at the path where it was written.

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
  writeFile(path, new TextEncoder().encode(`${sealOf(sealed(path, body))}\n${body}`));
}

function read(path: string): unknown {
  const found = readBytes(path, 64 * MB);
  const text = found.status === 'bytes' ? new TextDecoder().decode(found.bytes) : '';
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  return end !== -1 && isSealOf(sealed(path, body), text.slice(0, end)) ? JSON.parse(body) : undefined;
}

/** What is sealed: it is worth nothing at another place. */
function sealed(path: string, body: string): string {
  return `${basename(path)}\n${path}\n${body}`;
}

/** The folder and the branch of a worktree. Each can be derived from the other. */
export interface PlaceName {
  /** `03-01-2-1-3fb0x8k2` */
  folder: string;
  /** `teddy/03-01-2/1-3fb0x8k2` */
  branch: string;
}

const PREFIX = 'teddy/';
const TAG = 4;
const SUFFIX = 8;
const LONGEST_TASK = 60;

/** Several projects may share a repository, and each cleans up its own worktrees: their names say whose they are. */
export class PlaceNames {
  private readonly tag: string;

  constructor(root: string) {
    this.tag = sha256(root).slice(0, TAG);
  }

  make({ taskId, attempt }: PlaceSubject): PlaceName {
    const task = taskId.replace(/[^A-Za-z0-9_]/g, '-').slice(0, LONGEST_TASK);
    return composeName(task, String(attempt), this.tag + randomId(SUFFIX - TAG));
  }

  /** Undefined if the folder is not this project's. */
  ofFolder(folder: string): PlaceName | undefined {
    const [rest, suffix] = splitAtLast(folder, '-');
    const [task, attempt] = splitAtLast(rest, '-');
    return this.isOurs(task, attempt, suffix) ? composeName(task, attempt, suffix) : undefined;
  }

  /** Undefined if the branch is not this project's. */
  ofBranch(branch: string): PlaceName | undefined {
    const [rest, last] = splitAtLast(branch, '/');
    const [attempt, suffix] = splitAtLast(last, '-');
    if (!rest.startsWith(PREFIX)) return undefined;
    const task = rest.slice(PREFIX.length);
    return this.isOurs(task, attempt, suffix) ? composeName(task, attempt, suffix) : undefined;
  }

  private isOurs(task: string, attempt: string, suffix: string): boolean {
    const isSuffix = suffix.length === SUFFIX && suffix.startsWith(this.tag);
    return isSuffix && /^\d+$/.test(attempt) && /^[A-Za-z0-9_-]+$/.test(task);
  }
}

function composeName(task: string, attempt: string, suffix: string): PlaceName {
  return { folder: `${task}-${attempt}-${suffix}`, branch: `${PREFIX}${task}/${attempt}-${suffix}` };
}

function splitAtLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return at === -1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
}
