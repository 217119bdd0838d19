// Before the tests: builds dist/ when anything that it is made from is newer, so that tests never run an old teddy.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = [
  'src',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** Written last. */
const BUILT = 'dist/hash';

export default function buildWhenStale() {
  mkdirSync(join(tmpdir(), 'teddy-test-cache'), { recursive: true, mode: 0o700 });
  const newest = Math.max(...SOURCES.map((path) => newestTime(join(root, path))));
  if (newest < timeOf(join(root, BUILT))) return;
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), '--keep-types'], { stdio: 'inherit' });
}

function newestTime(path) {
  const inside = statSync(path).isDirectory()
    ? readdirSync(path).map((name) => newestTime(join(path, name)))
    : [];
  return Math.max(timeOf(path), ...inside);
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
