import { errorCode } from './error-code.js';
import { loadAddon } from './kernel-lock.js';

/** What these file systems say that know no attributes. */
const NONE = ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Gives an open file the extended attributes of another, its access list (ACL) among them, and takes away an access list
 * that only the new one has. Gives the names of those that could not be kept.
 */
export function keepAttributes(file: number, like: number): string[] {
  const names = namesOf(like);
  const lost = names.filter((name) => !copyAttribute(file, like, name));
  if (!names.includes(ACCESS_LIST) && namesOf(file).includes(ACCESS_LIST)) removeAttribute(file, ACCESS_LIST);
  return lost;
}

/** A new file inherits it from the folder that it is made in, which is not the one that it goes to. */
const ACCESS_LIST = 'system.posix_acl_access';

function namesOf(file: number): string[] {
  try {
    return loadAddon().listAttrsSync(file);
  } catch (error) {
    if (NONE.includes(errorCode(error))) return [];
    throw error;
  }
}

function copyAttribute(file: number, like: number, name: string): boolean {
  const addon = loadAddon();
  try {
    const value = addon.getAttrSync(like, name);
    if (value === null) return true;
    const bytes = Buffer.from(value);
    if (isSame(addon.getAttrSync(file, name), bytes)) return true;
    addon.setAttrSync(file, name, bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return true;
  } catch {
    return false;
  }
}

function isSame(one: ArrayBuffer | null, other: Buffer): boolean {
  return one !== null && Buffer.from(one).equals(other);
}

function removeAttribute(file: number, name: string): void {
  try {
    loadAddon().removeAttrSync(file, name);
  } catch {}
}
