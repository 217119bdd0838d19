import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Path → what stands there, to the byte: of `.teddy` only what is the project's, and not the tool's own papers. */
export type Snapshot = Record<string, string>;

export function snapshot(root: string): Snapshot {
  const found: Snapshot = {};
  const visit = (folder: string) => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (/^\.teddy\/(?:runs|tx|contents|lock|\.gitignore)$/.test(path)) continue;
      const full = join(root, path);
      const stats = lstatSync(full);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found[path] = `link to ${readlinkSync(full)}`;
      else if (stats.isDirectory()) found[path] = `folder ${mode}`;
      else found[path] = `file ${mode} ${readFileSync(full, 'latin1')}`;
      if (stats.isDirectory()) visit(path);
    }
  };
  visit('');
  return found;
}

export type Entry =
  | { kind: 'file'; path: string; bytes: Buffer; mode: number }
  | { kind: 'folder'; path: string; mode: number }
  | { kind: 'link'; path: string; target: string };

/** Makes these, as far as no other stands in the way. */
export function makeEntries(root: string, entries: readonly Entry[]): void {
  mkdirSync(join(root, '.teddy'), { recursive: true });
  for (const entry of entries) {
    const full = join(root, entry.path);
    try {
      mkdirSync(dirname(full), { recursive: true });
      if (entry.kind === 'link') symlinkSync(entry.target, full);
      else if (entry.kind === 'folder') mkdirSync(full);
      else writeFileSync(full, entry.bytes, { flag: 'wx' });
      if (entry.kind !== 'link') chmodSync(full, entry.mode);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
}
