import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { onTestFinished } from 'vitest';

/** What a program that a test starts gets of the environment; compiled code is shared by all of them. */
export const PROGRAM_ENV = {
  PATH: process.env.PATH,
  TMPDIR: tmpdir(),
  XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
};

/** A new folder with these files, gone after the test. */
export function makeFolder(files: Record<string, string | Uint8Array> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'teddy-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** The home folder of whoever works in this folder: never the folder itself, which teddy would not copy then. */
export function homeOf(folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const home = join(tmpdir(), 'teddy-test-homes', name);
  mkdirSync(home, { recursive: true });
  return home;
}

/** What one of teddy's own folders holds, apart from the file that keeps git out of it; nothing where it is missing. */
export function listContent(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name !== '.gitignore');
}

/** Every file below a folder, by its path from there. */
export function readTree(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}
