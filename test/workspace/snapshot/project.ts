import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/node/ids.js';
import type { CommandChanges } from '../../../src/workspace/snapshot/snapshot.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { plainGit } from '../../repository.js';

const LIMITS = { maxFile: 1024 * 1024, maxTotal: 64 * 1024 * 1024 };

/** A new folder, with the files that a shell script makes there; committed with `git`. */
export function makeProject(script = '', { git = true } = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-snapshot-')));
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwX', root]);
    rmSync(root, { recursive: true, force: true });
  });
  if (git) plainGit(root, 'init', '-q', '-b', 'main');
  shell(root, script);
  if (git) {
    plainGit(root, 'add', '-A');
    plainGit(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  }
  return root;
}

function shell(root: string, script: string): void {
  const identity = { GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@example.org' };
  execFileSync('/bin/sh', ['-c', script], {
    cwd: root,
    stdio: 'pipe',
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...identity,
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@example.org',
    },
  });
}

/** Everything below a folder but `.git` and `.teddy`: kind, mode, content. What is ignored is left out by name. */
export function look(
  root: string,
  isLeftOut: (path: string) => boolean = () => false,
): Record<string, string> {
  const seen: Record<string, string> = {};
  const enter = (folder: string) => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (path === '.git' || path === '.teddy' || isLeftOut(path)) continue;
      const stats = lstatSync(join(root, path));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) seen[path] = `link ${readlinkSync(join(root, path))}`;
      else if (stats.isDirectory()) {
        seen[`${path}/`] = mode;
        enter(path);
      } else if (stats.isFile()) seen[path] = `${mode} ${sha256(readFileSync(join(root, path)))}`;
      else seen[path] = 'special';
    }
  };
  enter('');
  return seen;
}

let runs = 0;

/** Starts a run, runs a script as its command, and ends the run. */
export async function runCommandIn(
  root: string,
  script: string,
  limits = LIMITS,
): Promise<{ run: string; workspace: Workspace; changes: CommandChanges }> {
  const workspace = new Workspace(root);
  const run = `20260101-000000-${(runs++).toString(36).padStart(4, '0')}`;
  const begun = await workspace.beginRun(() => ({ id: run, files: {}, note: { kind: 'begun' } }));
  if (begun.status !== 'begun') throw new Error(JSON.stringify(begun));
  try {
    const recorded = await workspace.recordState(run, limits);
    if (recorded.status !== 'recorded') throw new Error(recorded.reason);
    shell(root, script);
    const compared = await recorded.compare((changes) => changes);
    if (compared.status !== 'compared') throw new Error(compared.reason);
    begun.folder.writeRecord('run.json', '{}');
    return { run, workspace, changes: compared.changes };
  } finally {
    begun.folder.close();
  }
}

/** Undoes a run, of which everything can be undone. */
export async function undoWhole(workspace: Workspace, run: string): Promise<void> {
  const preview = await workspace.undo(run, { dryRun: true });
  const undone = await workspace.undo(run);
  expect(undone).toEqual(preview);
  expect(undone).toMatchObject({ status: 'undone', refused: [] });
}
