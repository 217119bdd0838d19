import type { Config } from '../config/types.js';
import { type PathGlob, readPathGlob } from '../core/glob.js';
import { isProtected, readRootPath } from '../core/path.js';
import { wordPattern } from '../core/text.js';
import { isoUtc } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { decodeText, MB } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import {
  type Change,
  type CommitResult,
  type Conflict,
  describeUncommitted,
} from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import { isLike } from './metrics/records.js';

/** A root with what config says about capture. Paths are relative to the root. */
export interface CaptureProject {
  workspace: Workspace;
  /** The logs' folder. */
  dir: string;
  /** STATE.md, if an option or the config names it. */
  state: string | null;
  plans: readonly PathGlob[];
}

/** `state` overrides the config. */
export function openCapture(
  workspace: Workspace,
  { capture, plans }: Pick<Config, 'capture' | 'plans'>,
  state?: string,
): CaptureProject {
  return {
    workspace,
    dir: requireOurs('capture.dir', capture.dir),
    state: requireState(
      state === undefined ? 'capture.state' : '--state',
      state ?? capture.state,
      capture.dir,
    ),
    plans: plans.glob.flatMap((glob) => {
      const read = readPathGlob(glob);
      return read.status === 'ok' ? [read.value] : [];
    }),
  };
}

/** Throws `UserError` if capture may not write there. `name` is the user's name for this path. */
function requireOurs<T extends string | null>(name: string, path: T): T {
  if (path === null || isOurs(path)) return path;
  throw new UserError(`${name} is ${JSON.stringify(path)}, a protected place. Choose another one.`);
}

/** STATE.md cannot be one of the logs either. */
export function requireState<T extends string | null>(name: string, path: T, dir: string): T {
  if (path === null || !path.startsWith(`${dir}/`)) return requireOurs(name, path);
  throw new UserError(
    `${name} is ${JSON.stringify(path)}, which is reserved for logs. Choose another place.`,
  );
}

/** Logs may be in `.ultraplan`, but in no other protected folder, and not in the root itself. */
function isOurs(path: string): boolean {
  const read = readRootPath(path);
  if (read.status !== 'ok' || read.path === '.') return false;
  if (path.startsWith('/')) return false;
  const inside = read.path.startsWith('.ultraplan/') ? read.path.slice('.ultraplan/'.length) : read.path;
  return !isProtected(inside);
}

/** The files that capture keeps, from the root. Days are `2026-01-26`. */
export const logFiles = {
  ledger: ({ dir }: CaptureProject) => `${dir}/ledger.jsonl`,
  session: ({ dir }: CaptureProject) => `${dir}/current-session.json`,
  pastSession: ({ dir }: CaptureProject, id: string) => `${dir}/sessions/${fileName(id)}.json`,
  day: ({ dir }: CaptureProject, day: string) => `${dir}/summary/daily-${day}.json`,
  plan: ({ dir }: CaptureProject, planId: string) => `${dir}/summary/plan-${fileName(planId)}.json`,
  project: ({ dir }: CaptureProject) => `${dir}/summary/project.json`,
  priorTotals: ({ dir }: CaptureProject) => `${dir}/summary/earlier.json`,
  conflicts: ({ dir }: CaptureProject) => `${dir}/conflicts.jsonl`,
  resolutions: ({ dir }: CaptureProject) => `${dir}/resolutions.jsonl`,
};

const UNSAFE = wordPattern(String.raw`[^\p{L}\p{N}._ -]`, 'g');

/** A text as part of a file name; different texts get different names. */
export function fileName(text: string): string {
  const safe = text.replace(UNSAFE(text), '_').replace(/^\./, '_').slice(0, LONGEST_NAME);
  return safe === text && text !== '' ? text : `${safe}-${sha256(text).slice(0, 8)}`;
}

/** In characters, which may take four bytes each. */
const LONGEST_NAME = 40;

const RECORD_LIMIT = 64 * MB;

/** A text under the root; undefined if there is none. Throws `UserError` if it cannot be read. */
export function readTextAt(view: View, path: string, limit = RECORD_LIMIT): string | undefined {
  const read = view.read(path, limit);
  if (read.status === 'missing') return undefined;
  const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
  if (text.status === 'refused') throw new UserError(`${path} ${text.reason}.`);
  return text.text;
}

/** A damaged file's `value` is whatever it contains; `reason` is one or two full sentences. */
export type RecordFile<T> =
  | { status: 'missing' }
  | { status: 'record'; value: T }
  | { status: 'damaged'; value: unknown; reason: string };

/** Reads a JSON object that capture wrote, checked against the shape of `like`. */
export function readRecordFile<T extends object>(view: View, path: string, like: T): RecordFile<T> {
  const read = view.read(path, RECORD_LIMIT);
  if (read.status === 'missing') return read;
  const decoded = read.status === 'bytes' ? decodeText(read.bytes) : read;
  if (decoded.status === 'refused')
    return { status: 'damaged', value: undefined, reason: `${path} ${decoded.reason}.` };
  let value: unknown;
  try {
    value = JSON.parse(decoded.text);
  } catch {}
  if (isLike(value, like)) return { status: 'record', value };
  const wayOut = /(?:^|\/)summary\/[^/]+$/.test(path)
    ? '`teddy metrics --rebuild` recreates it from the logs; if it has no log, delete it.'
    : 'Keep a copy and delete it: the next result starts a new batch.';
  return { status: 'damaged', value, reason: `${path} is damaged. ${wayOut}` };
}

/** Undefined if there is none. Throws `UserError`, with a remedy, if it is damaged. */
export function readRecordAt<T extends object>(view: View, path: string, like: T): T | undefined {
  const read = readRecordFile(view, path, like);
  if (read.status === 'damaged') throw new UserError(read.reason);
  return read.status === 'record' ? read.value : undefined;
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * The change that writes `text` to a file, or removes it; none if there is nothing to change. Throws `UserError` if the file
 * cannot be read.
 */
export function changesTo(view: View, path: string, text: string | null): Change[] {
  const read = view.read(path, RECORD_LIMIT);
  if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
  const before = read.status === 'bytes' ? sha256(read.bytes) : null;
  const after = text === null ? null : new TextEncoder().encode(text);
  return before === (after && sha256(after)) ? [] : [{ path, before, after }];
}

const LINE_FEED = 10;

/** Appends a line, after ending an unterminated last line. */
export function appendLine(view: View, path: string, line: string): Change {
  const end = view.readEnd(path, 1);
  const isOpen = end.status === 'bytes' && end.size > 0 && end.bytes[0] !== LINE_FEED;
  return {
    path,
    append: new TextEncoder().encode(`${isOpen ? '\n' : ''}${line}\n`),
    offset: end.status === 'bytes' ? end.size : 0,
  };
}

/** Logs that another program changed a file between reading and writing it. Nothing depends on this note. */
export async function logConflict(
  project: CaptureProject,
  now: Date,
  plans: readonly string[],
  conflicts: readonly Conflict[],
  attempt: number,
): Promise<void> {
  const line = JSON.stringify({ at: isoUtc(now), plans, attempt, conflicts });
  const path = logFiles.conflicts(project);
  await project.workspace.update((view) => {
    return { changes: [appendLine(view, path, line)], value: undefined };
  });
}

/** Why nothing was changed, as a full sentence that starts with `what`. */
export function describeCommit(what: string, result: Exclude<CommitResult, { status: 'committed' }>): string {
  if (result.status === 'locked')
    return `${what}: another teddy process has locked this project for a minute. Try again when it has finished.`;
  const advice = result.status === 'conflict' ? ' Try again when no other program is writing there.' : '';
  return `${what}: ${describeUncommitted(result)}.${advice}`;
}
