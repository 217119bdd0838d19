import { join } from 'node:path';
import { isMachinery } from '../core/agent-report/claims.js';
import type { FileChange } from '../core/agent-report/types.js';
import { readRootPath } from '../core/path.js';
import { UserError } from '../node/errors.js';
import { MB } from '../node/files.js';
import type { GitRefusal } from '../node/git/command.js';
import { listGitChanges } from '../node/git/listing.js';
import { sha256 } from '../node/ids.js';
import type { View } from '../workspace/view.js';
import { Workspace } from '../workspace/workspace.js';

/** The state of the files when an agent was briefed, stored as JSON. */
export interface Baseline {
  /** The commit that was checked out; git's empty tree if there was none. */
  commit: string;
  /** Files that already differed from the commit, each with a hash of its content; null if deleted. */
  files: Record<string, string | null>;
}

export type ChangesSince = { status: 'ok'; changes: FileChange[] } | GitRefusal;

/** Differing files beyond this count as changed by the agent, so that they get reviewed. */
const MOST_FILES = 5000;
const LARGEST_FILE = 10 * MB;
const LARGEST_END = MB / 16;
/** A view keeps every folder it has visited open. */
const FILES_OF_A_VIEW = 100;
const DEEPEST_REPOSITORY = 3;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads the current state of the files under `root`; null without a git repository. */
export async function readBaseline(root: string): Promise<Baseline | null> {
  return readNested(root, 1);
}

/**
 * Lists the files changed since the baseline, including those restored to the commit since. `base`, any name of a
 * commit, overrides the baseline; without either, lists the differences from HEAD.
 */
export async function changesSince(
  root: string,
  baseline: Baseline | null,
  base: string | null = null,
): Promise<ChangesSince> {
  if (base !== null) return listGitChanges(root, base);
  if (!baseline) return listGitChanges(root);
  // A record may be forged, and git could take its text for an option.
  if (!COMMIT.test(baseline.commit))
    return { status: 'failed', reason: 'the record of the briefing has no commit' };
  const listed = await listGitChanges(root, baseline.commit, { hidden: true });
  if (listed.status !== 'ok') return listed;
  const before = readFiles(baseline.files);
  const now = await markFiles(root, [...before.keys()], 1);
  const changes = listed.changes.filter(({ path }) => !before.has(path));
  for (const [path, mark] of before) {
    const after = now.get(path) ?? null;
    if (mark !== after) changes.push({ path, change: changeOf(mark, after) });
  }
  return { status: 'ok', changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

function changeOf(before: string | null, after: string | null): FileChange['change'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'modified';
}

/** Drops entries that are not valid project paths. */
function readFiles(files: Baseline['files']): Map<string, string | null> {
  const known = new Map<string, string | null>();
  for (const [written, mark] of Object.entries(files).slice(0, MOST_FILES)) {
    const read = readRootPath(written);
    if (read.status !== 'ok' || isMachinery(read.path) || (mark !== null && typeof mark !== 'string'))
      continue;
    known.set(written.endsWith('/') ? `${read.path}/` : read.path, mark);
  }
  return known;
}

async function readNested(root: string, depth: number): Promise<Baseline | null> {
  const listed = await listGitChanges(root, undefined, { hidden: true });
  if (listed.status !== 'ok') return null;
  // Our JSON never has a key `__proto__`.
  const paths = listed.changes
    .map(({ path }) => path)
    .filter((path) => !isMachinery(path) && path !== '__proto__');
  const marks = await markFiles(root, paths.slice(0, MOST_FILES), depth);
  return { commit: listed.base, files: Object.fromEntries(marks) };
}

/** Hashes each file's content; null if the file is missing. A nested repository is hashed by its own baseline. */
async function markFiles(
  root: string,
  paths: readonly string[],
  depth: number,
): Promise<Map<string, string | null>> {
  const marks = new Map<string, string | null>();
  const workspace = new Workspace(root);
  for (let from = 0; from < paths.length; from += FILES_OF_A_VIEW) {
    const some = paths.slice(from, from + FILES_OF_A_VIEW);
    workspace.view((view) => {
      for (const path of some) marks.set(path, path.endsWith('/') ? null : markFile(view, path));
    });
  }
  for (const path of paths.filter((each) => each.endsWith('/'))) {
    const nested = depth < DEEPEST_REPOSITORY ? await readNested(join(root, path), depth + 1) : null;
    marks.set(path, sha256(JSON.stringify(nested)));
  }
  return marks;
}

/** A large file is identified by its size and its end only. */
function markFile(view: View, path: string): string | null {
  try {
    const whole = view.read(path, LARGEST_FILE);
    if (whole.status === 'missing') return null;
    if (whole.status === 'bytes') return sha256(whole.bytes);
    const end = view.readEnd(path, LARGEST_END);
    return end.status === 'bytes' ? `${end.size} ${sha256(end.bytes)}` : whole.reason;
  } catch (error) {
    if (error instanceof UserError) return 'cannot be read';
    throw error;
  }
}
