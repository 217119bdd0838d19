// Random trees, edits and decisions through the whole landing: review, commit, undo. Every byte, mode and link counts.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decisionIds, diffTrees } from '../../../src/core/changeset/changeset.js';
import type { Entry } from '../../../src/core/changeset/entry-tree.js';
import type { Answer } from '../../../src/review/question.js';
import { startWork } from '../../../src/workspace/copy/work.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { entryTree, listEntries } from '../../core/changeset/memory-entries.js';
import { type Entries, expectedSubset, trees } from '../../core/changeset/random-trees.js';
import { SOAK } from '../../workspace/faults/random.js';
import { review, userWho } from './make.js';

const OWN = new Set(['.git', '.teddy']);

function clear(root: string): void {
  for (const name of readdirSync(root)) if (!OWN.has(name)) rmSync(join(root, name), { recursive: true });
}

function plant(root: string, entries: Entries): void {
  clear(root);
  for (const [path, entry] of entries) {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    if (entry.kind === 'link') symlinkSync(entry.target, full);
    else {
      writeFileSync(full, entry.bytes);
      chmodSync(full, entry.executable ? 0o755 : 0o644);
    }
  }
}

function readPlanted(root: string, below = ''): Entries {
  const found: Entries = new Map();
  for (const name of readdirSync(join(root, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    if (OWN.has(path)) continue;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) for (const [at, entry] of readPlanted(root, path)) found.set(at, entry);
    else found.set(path, readEntry(join(root, path), stats));
  }
  return found;
}

function readEntry(full: string, stats: { isSymbolicLink(): boolean; mode: number }): Entry {
  if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(full) };
  return { kind: 'file', bytes: readFileSync(full), executable: (stats.mode & 0o100) !== 0 };
}

test('what is kept is there to the byte, what is dropped is not, and undo restores the rest', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-landing-')));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const seen = { files: 0, landed: 0, parts: 0 };
  try {
    await fc.assert(
      fc.asyncProperty(trees, fc.infiniteStream(fc.nat(3)), async ({ base, folder: made }, dice) => {
        plant(folder, base);
        const workspace = new Workspace(folder);
        const started = await startWork(workspace, { command: ['agent'] });
        if (started.status !== 'ok') throw new Error(started.reason);
        const { work } = started;
        plant(work.copy.copy, made);
        work.update({ end: { at: '2026-01-02T03:04:05Z', exitCode: 0 } });
        const files = diffTrees(entryTree(base), entryTree(made));
        const kept = new Set<string>();
        const user = userWho((question): Answer => {
          const file = files[question.number - 1]!;
          expect(question.path).toBe(file.path);
          seen.files++;
          const choice = dice.next().value;
          if (choice === 0) return { decision: 'skip', by: 'person', reason: null };
          const approve = { decision: 'approve', by: 'person', hash: question.hash } as const;
          if (choice === 1 || question.parts.length === 0) {
            for (const id of decisionIds(file)) kept.add(id);
            return approve;
          }
          const ids = question.parts.map(({ id }) => id).filter(() => dice.next().value % 2 === 0);
          const dropped = new Set(question.parts.map(({ id }) => id).filter((id) => !ids.includes(id)));
          for (const id of decisionIds(file)) if (!dropped.has(id)) kept.add(id);
          seen.parts++;
          return { ...approve, keep: { ids, reasons: {} } };
        });
        const reviewed = await review(work, workspace, user);
        work.close();
        const after = listEntries(readPlanted(folder));
        expect(after).toEqual(listEntries(expectedSubset(base, made, files, kept)));
        if (reviewed.status !== 'reviewed' || !reviewed.landed) return;
        seen.landed++;
        expect(await workspace.undo(reviewed.run.id)).toMatchObject({ status: 'undone', refused: [] });
        expect(listEntries(readPlanted(folder))).toEqual(listEntries(base));
        const redone = await workspace.redo(reviewed.run.id);
        expect(redone).toMatchObject({ status: 'redone' });
        expect(listEntries(readPlanted(folder))).toEqual(after);
      }),
      { numRuns: SOAK ? 2_000 : 60 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${seen.files} files asked about, ${seen.parts} in parts, ${seen.landed} landings`);
  expect(seen.landed).toBeGreaterThan(20);
});
