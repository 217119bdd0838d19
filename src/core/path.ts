export type PathRead =
  | { status: 'ok'; path: string }
  | { status: 'invalid'; reason: string }
  | { status: 'outside'; reason: string };

/**
 * A path of a plan, as a path relative to the root: `/src/a.ts` → `src/a.ts`; the root itself is `.`.
 * The names alone are judged here. Where links on disk lead is the workspace's to say.
 */
export function readRootPath(written: string): PathRead {
  if (written === '') return { status: 'invalid', reason: 'is empty' };
  const control = /[\u0000-\u001f\u007f]/.exec(written);
  if (control) {
    return {
      status: 'invalid',
      reason: `holds a control character (U+${hex(control[0])}) at position ${control.index + 1}`,
    };
  }
  if (/\p{Surrogate}/u.test(written)) return { status: 'invalid', reason: 'holds half a character' };
  if (written.includes('\\'))
    return { status: 'invalid', reason: 'holds a backslash; folders are divided by "/"' };
  if (/^~(?:\/|$)/.test(written)) return { status: 'outside', reason: 'leads to a home folder' };
  if (/^[A-Za-z][A-Za-z0-9+.-]{0,30}:/.test(written))
    return { status: 'invalid', reason: 'begins like a URL or a drive' };
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

/** Whether a path lies in a tree that no action may write to, however its name is spelled. */
export function isProtected(path: string): boolean {
  // Most paths can be told at a glance: folding makes a protected name only of its own letters, or of others than ASCII.
  if (!MAY_BE_PROTECTED.test(path)) return false;
  return path.split('/').some((part) => PROTECTED.has(foldName(part)));
}

/** The name that a forgiving file system would take `name` for. */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
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
