import type { FileCall, FileCallName } from '../../../src/node/file-calls.js';

/** Which file calls change something on disk. How often a file is read depends on the file system. */
const CHANGES: Record<FileCallName, boolean> = {
  open: true,
  write: true,
  sync: true,
  truncate: true,
  chmod: true,
  chmodAt: true,
  chown: true,
  setTimes: true,
  keepAttributes: true,
  rename: true,
  link: true,
  symlink: true,
  copy: true,
  unlink: true,
  mkdir: true,
  rmdir: true,
  close: false,
  read: false,
  stat: false,
  statAt: false,
  lstat: false,
  list: false,
  readlink: false,
  realpath: false,
  access: false,
};

export function changesDisk({ name }: FileCall): boolean {
  return CHANGES[name];
}
