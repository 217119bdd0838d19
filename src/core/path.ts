import type { Machine, Tree } from './tree.js';

export type PathRead =
  | { status: 'ok'; path: string }
  | { status: 'invalid'; reason: string }
  | { status: 'outside'; reason: string };

/** Names in which nothing is left to judge: most paths, many times each. */
const PLAIN = /^\/?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/**
 * A path of a plan, as a path relative to the root: `/src/a.ts` → `src/a.ts`; the root itself is `.`.
 * The names alone are judged here. Where links on disk lead is the workspace's to say.
 */
export function readRootPath(written: string): PathRead {
  if (written === '') return { status: 'invalid', reason: 'is empty' };
  if (written.length <= 255 && PLAIN.test(written))
    return { status: 'ok', path: written.startsWith('/') ? written.slice(1) : written };
  const control = /[\u0000-\u001f\u007f]/.exec(written);
  if (control) {
    return {
      status: 'invalid',
      reason: `contains a control character (U+${hex(control[0])}) at position ${control.index + 1}`,
    };
  }
  if (!written.isWellFormed()) return { status: 'invalid', reason: 'contains half a character' };
  if (written.includes('\\'))
    return { status: 'invalid', reason: 'contains a backslash; folders are separated by "/"' };
  if (/^~(?:\/|$)/.test(written)) return { status: 'outside', reason: 'leads to a home folder' };
  if (/^[A-Za-z][A-Za-z0-9+.-]{0,30}:/.test(written))
    return { status: 'invalid', reason: 'looks like a URL or a drive' };
  const parts: string[] = [];
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.length === 0) return { status: 'outside', reason: 'leads out of the project root' };
      parts.pop();
      continue;
    }
    if (byteLength(part) > 255) return { status: 'invalid', reason: 'has a name longer than 255 bytes' };
    parts.push(part);
  }
  const path = parts.join('/');
  if (byteLength(path) > 4000) return { status: 'invalid', reason: 'is longer than 4000 bytes' };
  return { status: 'ok', path: path === '' ? '.' : path };
}

const MAY_BE_PROTECTED = /git|teddy|ultraplan|[^\u0000-\u007f]/i;
const PROTECTED = new Set(['.git', '.teddy', '.ultraplan', 'git~1']);

/** Whether a path is in a tree that no action may write to, however its name is spelled. */
export function isProtected(path: string): boolean {
  // Most paths can be judged at a glance: folding makes a protected name only of its own letters, or of others than ASCII.
  if (!MAY_BE_PROTECTED.test(path)) return false;
  return path.split('/').some((part) => PROTECTED.has(foldName(part)));
}

/** The name that a forgiving file system would take `name` for. */
export function foldName(name: string): string {
  const plain = /[^\0-\x7f]/.test(name)
    ? name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    : name;
  const folded = plain.toLowerCase();
  let end = folded.length;
  while (end > 1 && (folded[end - 1] === '.' || folded[end - 1] === ' ')) end--;
  return folded.slice(0, end);
}

function byteLength(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/** The project as far as it decides what a written path means. */
export interface PlaceFacts {
  machine?: Machine | undefined;
  /** Whether something is at a path from the root, or an earlier action puts it there. */
  has(path: string): boolean;
}

/** `message` and `reason` complete the sentence `The path "…" …`. */
export type ResolvedPlace =
  | { status: 'inside'; path: string; notes: PlaceNote[] }
  | { status: 'refused'; code: 'path-invalid' | 'path-outside'; reason: string; meant?: string };

interface PlaceNote {
  code: 'path-absolute' | 'path-backslash';
  message: string;
  /** A path from the root that is better written in its place. */
  meant: string;
}

/** Top folders that hold other people's and other projects' files on any machine. */
const ELSEWHERE = /^\/(home|Users|root|mnt|tmp)(?:\/|$)/;
const DRIVE = /^(?:[A-Za-z]:[\\/]|\\\\[^\\])/;
const FILE_URL = /^file:/i;

/**
 * The one way from a path in a plan to a path from the root. `rootRelative`: a link's text proves that its leading
 * slash is the root's. Without a machine, only what is clear from the text alone counts as another place.
 */
export function resolvePlace(written: string, rootRelative: boolean, facts: PlaceFacts): ResolvedPlace {
  if (FILE_URL.test(written)) return refuseFileUrl(written, facts);
  if (DRIVE.test(written)) return resolveDrive(written, facts);
  const slashed = readBackslashes(written, facts);
  if (slashed.status === 'refused') return slashed;
  const read = readRootPath(slashed.path);
  if (read.status !== 'ok') {
    const code = read.status === 'outside' ? 'path-outside' : 'path-invalid';
    return { status: 'refused', code, reason: read.reason, ...meantAtHome(slashed.path, facts) };
  }
  const { notes } = slashed;
  const asAbsolute = slashed.path.startsWith('/') ? facts.machine?.insideRoot(`/${read.path}`) : undefined;
  if (rootRelative || !slashed.path.startsWith('/')) {
    // In a root such as /app, `[app/a.py](/app/a.py)` is ordinary where the project has that folder.
    if (asAbsolute === undefined || facts.has(firstPart(read.path))) return inside(read.path, notes);
    const message = `is read from the project root, as ${read.path}, because the link text has no leading slash`;
    return inside(read.path, [...notes, { code: 'path-absolute', message, meant: asAbsolute }]);
  }
  if (asAbsolute !== undefined) {
    const message = `is absolute and inside the project root; it is read as ${asAbsolute}`;
    return inside(asAbsolute, [...notes, { code: 'path-absolute', message, meant: asAbsolute }]);
  }
  const elsewhere = describeElsewhere(read.path, facts);
  if (elsewhere === undefined) return inside(read.path, notes);
  return outside(`is outside the project: ${elsewhere}`, read.path);
}

/** The path from the root that a task file or a list means by `written`; undefined if it means another place. */
export function placeIn(
  tree: Pick<Tree, 'stat' | 'machine'> | undefined,
  written: string,
): string | undefined {
  const has = (path: string) => tree?.stat(path) !== undefined;
  const place = resolvePlace(written, false, { machine: tree?.machine, has });
  return place.status === 'inside' ? place.path : undefined;
}

function inside(path: string, notes: PlaceNote[]): ResolvedPlace {
  return { status: 'inside', path, notes };
}

function outside(reason: string, meant?: string): ResolvedPlace {
  return { status: 'refused', code: 'path-outside', reason, ...(meant === undefined ? {} : { meant }) };
}

/** Why a path from `/` clearly means another place; undefined if it does not. */
function describeElsewhere(path: string, { machine, has }: PlaceFacts): string | undefined {
  if (path === '.') return undefined;
  const absolute = `/${path}`;
  const place = machine?.places.find((each) => isAtOrBelow(absolute, each.path));
  if (place) return `it is in ${place.name} (${place.path})`;
  const top = ELSEWHERE.exec(absolute)?.[1];
  if (top !== undefined) return `it is in /${top} on this machine`;
  const [first, second] = path.split('/');
  if (!machine || second === undefined || has(first!)) return undefined;
  if (!machine.exists(`/${first}`) || !machine.exists(`/${first}/${second}`)) return undefined;
  return `/${first}/${second} is on this machine, and the project has no ${first}`;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function firstPart(path: string): string {
  return path.split('/')[0]!;
}

function resolveDrive(written: string, { machine }: PlaceFacts): ResolvedPlace {
  const path = machine?.insideRoot(written.replaceAll('\\', '/'));
  if (path === undefined) return outside('is outside the project: it is on a Windows drive or share');
  const message = `is absolute and inside the project root; it is read as ${path}`;
  return inside(path, [{ code: 'path-absolute', message, meant: path }]);
}

function refuseFileUrl(written: string, { machine }: PlaceFacts): ResolvedPlace {
  const path = machine?.insideRoot(decodePath(written.replace(/^file:(?:\/\/[^/]*)?/i, '')));
  const reason = 'is a file URL; a path from the project root is needed here';
  return { status: 'refused', code: 'path-invalid', reason, ...(path === undefined ? {} : { meant: path }) };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** `~/proj/a.py` is refused, but where it means a file of the project, that one can be named. */
function meantAtHome(path: string, { machine }: PlaceFacts): { meant?: string } {
  if (!path.startsWith('~/') || machine?.home === undefined) return {};
  const meant = machine.insideRoot(machine.home + path.slice(1));
  return meant === undefined ? {} : { meant };
}

type Slashed =
  | { status: 'slashed'; path: string; notes: PlaceNote[] }
  | Extract<ResolvedPlace, { status: 'refused' }>;

/** A backslash that can also be Markdown's escape of the character behind it. */
const ESCAPE = /\\(?=[!-.:-@[-`{-~])/g;

/**
 * Backslashes divide folders, as on Windows. Where each of them may also be Markdown's escape (`my\_file.py`), the file
 * that exists decides, or the folder in front of the backslash; else nothing is guessed.
 */
function readBackslashes(written: string, { has }: PlaceFacts): Slashed {
  if (!written.includes('\\')) return { status: 'slashed', path: written, notes: [] };
  // White space before the last separator is not part of a name.
  const slashed = written.replaceAll('\\', '/').replace(/(?<!\s)\s+\/+$/, '');
  const unescaped = written.replace(ESCAPE, '');
  const exists = (text: string) => {
    const read = readRootPath(text);
    return read.status === 'ok' && (read.path === '.' || has(read.path));
  };
  const folder = slashed.slice(0, written.indexOf('\\'));
  const isDivided = unescaped.includes('\\') || sameRootPath(slashed, unescaped) || exists(slashed);
  if (isDivided) return readAs(slashed);
  if (exists(unescaped)) return readAs(unescaped);
  if (folder !== '' && !folder.endsWith('/') && exists(folder)) return readAs(slashed);
  const reason = `has a backslash that can be read in two ways, as ${slashed} or as ${unescaped}`;
  return { status: 'refused', code: 'path-invalid', reason };
}

function sameRootPath(one: string, other: string): boolean {
  const [first, second] = [readRootPath(one), readRootPath(other)];
  return first.status === 'ok' && second.status === 'ok' && first.path === second.path;
}

function readAs(path: string): Slashed {
  const meant = path.replace(/^\/+/, '');
  const message = `has backslashes; it is read as ${meant}`;
  return { status: 'slashed', path, notes: [{ code: 'path-backslash', message, meant }] };
}
