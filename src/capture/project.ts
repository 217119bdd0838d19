import { type Config, type PathGlob, readPathGlob } from '../config/index.js';
import { decodeText, MB, sha256, Unusable } from '../platform/index.js';
import type { Change, View, Workspace } from '../workspace/index.js';

/** A root with what config says about capture. Paths are relative to the root. */
export interface CaptureProject {
  workspace: Workspace;
  /** The logs' folder. */
  dir: string;
  /** STATE.md, where somebody named it. */
  state: string | null;
  plans: readonly PathGlob[];
}

/** `state` goes before what config says. */
export function openCapture(
  workspace: Workspace,
  { capture, plans }: Pick<Config, 'capture' | 'plans'>,
  state?: string,
): CaptureProject {
  return {
    workspace,
    dir: capture.dir,
    state: state ?? capture.state,
    plans: plans.glob.flatMap((glob) => {
      const read = readPathGlob(glob);
      return read.status === 'ok' ? [read.value] : [];
    }),
  };
}

/** The files that capture keeps, from the root. Days are `2026-01-26`. */
export const logFiles = {
  ledger: ({ dir }: CaptureProject) => `${dir}/ledger.jsonl`,
  session: ({ dir }: CaptureProject) => `${dir}/current-session.json`,
  pastSession: ({ dir }: CaptureProject, id: string) => `${dir}/sessions/${fileName(id)}.json`,
  day: ({ dir }: CaptureProject, day: string) => `${dir}/summary/daily-${day}.json`,
  plan: ({ dir }: CaptureProject, planId: string) => `${dir}/summary/plan-${fileName(planId)}.json`,
  project: ({ dir }: CaptureProject) => `${dir}/summary/project.json`,
  conflicts: ({ dir }: CaptureProject) => `${dir}/conflicts.jsonl`,
  resolutions: ({ dir }: CaptureProject) => `${dir}/resolutions.jsonl`,
};

/** A text as part of a file's name. Two texts never have the same. */
export function fileName(text: string): string {
  const safe = text
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\./, '_')
    .slice(0, LONGEST_NAME);
  return safe === text && text !== '' ? text : `${safe}-${sha256(text).slice(0, 8)}`;
}

/** In characters, which may take four bytes each. */
const LONGEST_NAME = 40;

const RECORD_LIMIT = 64 * MB;

/** A text under the root; undefined where there is none. Throws `Unusable` where it cannot be read. */
export function readTextAt(view: View, path: string, limit = RECORD_LIMIT): string | undefined {
  const read = view.read(path, limit);
  if (read.status === 'missing') return undefined;
  const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
  if (text.status === 'refused') throw new Unusable(`${path} ${text.reason}.`);
  return text.text;
}

/**
 * A JSON object that capture wrote, with at least the keys of `like`; undefined where there is none. Throws `Unusable`
 * where it is something else.
 */
export function readRecordAt<T extends object>(view: View, path: string, like: T): T | undefined {
  const text = readTextAt(view, path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isLike(value, like)) return value;
  } catch {}
  throw new Unusable(
    `${path} is damaged: it is not what teddy wrote. \`teddy metrics --rebuild\` makes summaries again from the log; any other such file may be removed.`,
  );
}

/** Where `like` has null, a number may stand too. */
function isLike<T extends object>(value: unknown, like: T): value is T {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(like).every(([key, example]) => {
    const found = (value as Record<string, unknown>)[key];
    if (example === null) return found === null || typeof found === 'number';
    return (
      typeof found === typeof example && found !== null && Array.isArray(found) === Array.isArray(example)
    );
  });
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * The change that makes a file hold `text`, or takes it away; undefined where there is nothing to change. Throws
 * `Unusable` where it cannot be read.
 */
export function changeTo(view: View, path: string, text: string | null): Change | undefined {
  const read = view.read(path, RECORD_LIMIT);
  if (read.status === 'refused') throw new Unusable(`${path} ${read.reason}.`);
  const before = read.status === 'bytes' ? sha256(read.bytes) : null;
  const after = text === null ? null : new TextEncoder().encode(text);
  return before === (after && sha256(after)) ? undefined : { path, before, after };
}
