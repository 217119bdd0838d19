import type { Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { UserError } from './errors.js';
import { files } from './file-calls.js';
import { closing, readAll } from './folder.js';

/**
 * What tells whether the content of a file or folder is this user's own: nobody else owns it, and nobody else can write
 * to it. Judge what was opened (`Folder.stat`), so that nothing can be swapped in after the check.
 */
type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

const LARGEST_TABLE = 16 * 1024 * 1024;

/** Why `path` must not be used: one sentence with the remedy. Undefined where it can be. */
export function refuseForeign(path: string, stats: Owned): string | undefined {
  if (!isOwn(stats)) {
    const owner = `chown -R ${effectiveUser()} ${quote(path)}`;
    return `${path} is not used because it belongs to another user (uid ${stats.uid}); if you trust what it holds, run: ${isRoot() ? '' : 'sudo '}${owner}`;
  }
  if (!isWritableByOthers(stats)) return undefined;
  return `${path} is not used because other users can write to it (mode ${octal(stats.mode)}); run: chmod -R go-w ${quote(path)}`;
}

/** The same for a file that no other user may read, either. */
export function refuseShown(path: string, stats: Stats): string | undefined {
  if (isPrivate(stats)) return undefined;
  if (!stats.isFile()) return `${path} is not used because it is not a regular file; remove it`;
  return (
    refuseForeign(path, stats) ??
    `${path} is not used because other users can read it (mode ${octal(stats.mode)}); run: chmod 600 ${quote(path)}`
  );
}

/** Throws `UserError` where `refuseForeign` has a reason. */
export function requireOwn(path: string, stats: Owned): void {
  const reason = refuseForeign(path, stats);
  if (reason !== undefined) throw new UserError(reason);
}

/** As git has it: the effective user's; for root under sudo, also those of the user who called sudo. */
export function isOwn({ uid }: Owned): boolean {
  const user = process.geteuid?.();
  if (user === undefined || uid === user) return true;
  return user === 0 && /^\d+$/.test(process.env.SUDO_UID ?? '') && uid === Number(process.env.SUDO_UID);
}

/** Whether a file is this user's, and for no other's eyes. A second name may be what a power cut left of a rename. */
export function isPrivate(stats: Stats): boolean {
  return stats.isFile() && isOwn(stats) && (stats.mode & 0o077) === 0;
}

/** A group of which the owner is the only member is nobody else: with such groups, the usual umask is 002. */
function isWritableByOthers({ uid, gid, mode }: Owned): boolean {
  if (process.geteuid === undefined) return false;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isPrivateGroup(gid, uid));
}

/** Whether the group is named as its user and has no other member, as `useradd` makes them. */
function isPrivateGroup(gid: number, uid: number): boolean {
  const users = readRows('/etc/passwd');
  const groups = readRows('/etc/group').filter(([, , id]) => id === String(gid));
  const user = uid === process.geteuid?.() ? ownName() : users.find(([, , id]) => id === String(uid))?.[0];
  const members = users.flatMap(([name, , , group]) => (group === String(gid) ? [name] : []));
  for (const [name, , , listed = ''] of groups) members.push(name, ...listed.split(',').filter(Boolean));
  return groups.length > 0 && user !== undefined && members.every((member) => member === user);
}

function ownName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function readRows(path: string): string[][] {
  try {
    const bytes = closing(files.open(path, 'r'), (file) =>
      readAll(file, files.stat(file).size, LARGEST_TABLE),
    );
    const lines = Buffer.from(bytes ?? [])
      .toString('utf8')
      .split('\n');
    return lines.filter((line) => line !== '').map((line) => line.split(':'));
  } catch {
    return [];
  }
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function effectiveUser(): number {
  return process.geteuid?.() ?? 0;
}

function isRoot(): boolean {
  return effectiveUser() === 0;
}

/** As one word of a shell. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
