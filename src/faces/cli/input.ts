// Reads plans, results and reports from a file, standard input or the clipboard; also resolves paths.
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readRootPath } from '../../core/path.js';
import { UserError } from '../../node/errors.js';
import {
  type BytesRead,
  decodeText,
  limitBytes,
  lookAtFile,
  MB,
  readBytes,
  realPath,
} from '../../node/files.js';
import { readClipboard } from '../../node/terminal/clipboard.js';
import { currentFolder, isTerminal, readStdin, writeError } from '../../node/terminal/terminal.js';
import type { Incoming } from '../../workspace/incoming.js';
import { visibleLine } from './output.js';
import type { Project } from './project.js';

const LIMITS = { plan: 10 * MB, result: 10 * MB, report: 20 * MB };

/** Raw input that may not be text. */
export interface BytesInput {
  /** The path as typed, "standard input" or "the clipboard". */
  name: string;
  bytes: Uint8Array;
}

export interface TextInput {
  name: string;
  text: string;
}

/** Reads the plan of a command line: a file, `-` for standard input, undefined for the clipboard. */
export async function readPlanInput(file: string | undefined): Promise<TextInput> {
  const { name, text } = decodeInput(await (file === undefined ? readCopied() : readInput(file, 'plan')));
  if (/^\s*$/.test(text)) throw new UserError(`${name} is empty.`);
  // Results are read without it.
  const { isReport } = await import('../../core/report/mirrored.js');
  if (isReport(text)) throw new UserError(`${name} is the report of a run, not a plan.`);
  return { name, text };
}

/** Reads a file, or standard input for `-`. The input may be empty. */
export async function readInput(file: string, kind: keyof typeof LIMITS): Promise<BytesInput> {
  const limit = LIMITS[kind];
  const name = file === '-' ? 'standard input' : file === '' ? '""' : visibleLine(file);
  if (file === '-' && isTerminal('stdin'))
    writeError(`Paste the ${kind} here, then press Enter and Ctrl-D.\n`);
  return requireBytes(name, file === '-' ? await readStdin(limit) : readBytes(file, limit, { pipes: true }));
}

/** Throws `UserError` if the read failed. */
export function requireBytes(name: string, read: BytesRead): BytesInput {
  if (read.status === 'missing') throw new UserError(`${name} does not exist.`);
  if (read.status === 'refused') throw new UserError(`${name} ${read.reason}.`);
  return { name, bytes: read.bytes };
}

/** Throws `UserError` if the bytes are not text. */
export function decodeInput({ name, bytes }: BytesInput): TextInput {
  const decoded = decodeText(bytes);
  if (decoded.status === 'refused') throw new UserError(`${name} ${decoded.reason}.`);
  return { name, text: decoded.text };
}

async function readCopied(): Promise<BytesInput> {
  const name = 'the clipboard';
  const read = await readClipboard();
  if (read.status === 'refused')
    throw new UserError(`${name} ${read.reason}; name a file instead, or - to paste it here.`);
  return requireBytes(name, limitBytes(new TextEncoder().encode(read.text), LIMITS.plan));
}

export const INCOMING = '.teddy/incoming';

/** Stores piped input in `.teddy/incoming`, or claims a file there. Other files stay where they are. */
export function holdInput(
  file: string,
  bytes: Uint8Array,
  place: Project,
  ending?: '.report',
): Incoming | undefined {
  if (bytes.length === 0) return undefined;
  if (file === '-' || lookAtFile(file) !== 'file') return place.workspace.incoming.keep(bytes, { ending });
  const path = pathInside(place.root, file);
  if (!path?.startsWith(`${INCOMING}/`)) return undefined;
  const held = place.workspace.incoming.take(path);
  if (!held) throw new UserError(`${visibleLine(file)} is being processed by another teddy right now.`);
  return held;
}

const SESSIONS = '.teddy/sessions';

/** A plan from the clipboard, or in a turn's folder, belongs to a session. */
export function isOfSession(root: string, file: string | undefined, session?: string | false): boolean {
  if (session === false) return false;
  if (session !== undefined) return true;
  if (file === undefined) return lookAtFile(`${root}/${SESSIONS}`) === 'folder';
  return pathInside(root, file)?.startsWith(`${SESSIONS}/`) === true;
}

/** The path of an existing file relative to the root; null if it is outside. */
export function pathInside(root: string, file: string | undefined): string | null {
  const real = file === undefined || file === '-' ? undefined : realPath(file);
  return real === undefined ? null : (fromRoot(root, real) ?? null);
}

/** What a path may mean as it was typed: from the current folder, or from the root. */
export function pathsMeant(root: string, written: string): string[] {
  return [...new Set([fromRoot(root, written) ?? written, written])];
}

/**
 * A path typed in the current folder, relative to the root; undefined if it is outside or the root itself.
 */
function fromRoot(root: string, path: string): string | undefined {
  const inside = relative(realPath(root) ?? root, realPlace(resolve(currentFolder(), path)));
  return inside === '' || inside === '..' || inside.startsWith('../') ? undefined : inside;
}

/** Resolves symbolic links in the parent folders, but not in the last component. */
function realPlace(path: string): string {
  const folder = dirname(path);
  return folder === path ? path : join(realPath(folder) ?? realPlace(folder), basename(path));
}

/** A path relative to the root, as it would be typed in the current folder. */
export function pathFromHere(root: string, path: string): string {
  return relative(realPath(currentFolder()) ?? currentFolder(), join(realPath(root) ?? root, path));
}

/**
 * A task file as the user named it: a path in the current folder becomes a path from the root, anything else stays.
 * Throws `UserError` for a path outside the root.
 */
export function planFromRoot(root: string, plan: string): string {
  const isPath = isAbsolute(plan) || /^\.\.?\//.test(plan);
  if (!isPath && lookAtFile(realPath(plan) ?? plan) !== 'file') return plan;
  const path = fromRoot(root, plan);
  if (path !== undefined) return path;
  throw new NoSuchPlan(
    `${visibleLine(plan)} is outside this project (root: ${visibleLine(root)}). Name a task file inside it, or use another --root.`,
  );
}

/** The same for a task id: `../03-01-PLAN.md:2`. */
export function taskFromRoot(root: string, task: string): string {
  const colon = task.lastIndexOf(':');
  return colon === -1 ? task : `${planFromRoot(root, task.slice(0, colon))}${task.slice(colon)}`;
}

/** The STATE.md that the user named, from the root. Throws `UserError` if it cannot be one. */
export function stateFromRoot(root: string, state: string): string {
  if (state === '') throw new UserError('--state is empty. Name a file, or leave it out.');
  const path = fromRoot(root, state);
  const named = `--state ${visibleLine(state)}`;
  if (path === undefined)
    throw new UserError(
      `${named} is outside this project (root: ${visibleLine(root)}). Name a file inside it.`,
    );
  const read = readRootPath(path);
  if (read.status !== 'ok') throw new UserError(`${named} ${read.reason}; name another file.`);
  if (/(?:^|[/-])plan\.md$/i.test(path))
    throw new UserError(`${named} has the name of a task file. Name the project's STATE.md instead.`);
  return path;
}

/** The named task file does not exist or is not one. */
export class NoSuchPlan extends UserError {}

/** For commands that need --plan. */
export function requirePlan({ plan }: { plan?: string }): string {
  if (plan !== undefined && plan !== '') return plan;
  throw new UserError(
    '--plan is missing. Give the path of a task file or its id, such as 03-01; teddy task list shows them.',
  );
}
