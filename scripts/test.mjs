// npm test [-- ARGS], npm run test:deep [-- ARGS]: vitest, in a temporary folder inside another project. No test may
// read, change or add anything above its own folder: the run fails if one does.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const OTHER_PROJECT = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch tests-ran-this\n',
  '.teddy/config.yaml': 'not a config: [\n',
  'keep.txt': 'No test changes this file.\n',
};

const [which, ...args] = process.argv.slice(2);
const project = mkdtempSync(join(tmpdir(), 'teddy-tests-'));
for (const [path, text] of Object.entries(OTHER_PROJECT)) {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}
const temporary = join(project, 'tmp');
mkdirSync(temporary);
// Some tests run teddy as another user.
for (const folder of [project, temporary]) chmodSync(folder, 0o755);

const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', `--project=${which}`, ...args], {
  stdio: 'inherit',
  env: { ...process.env, TMPDIR: temporary },
});
const changed = findChanges();
for (const path of changed) console.error(`A test changed ${path} in the folder above its own.`);
rmSync(project, { recursive: true, force: true });
process.exit(changed.length > 0 ? 1 : (status ?? 1));

function findChanges() {
  const found = filesBelow(project).map((path) => relative(project, path));
  const isSame = (path) =>
    found.includes(path) && readFileSync(join(project, path), 'utf8') === OTHER_PROJECT[path];
  return [...new Set([...found, ...Object.keys(OTHER_PROJECT)])].filter((path) => !isSame(path));
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (path === temporary) return [];
    return entry.isDirectory() ? filesBelow(path) : path;
  });
}
