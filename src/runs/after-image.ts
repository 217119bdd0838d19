import { applyHunks, diffHunks } from '../core/changeset/hunks.js';
import { resourcesOf } from '../core/plan/action-texts.js';
import { hasEffect, simulateAction } from '../core/plan/actions.js';
import { readAction } from '../core/plan/read.js';
import type { Action, Plan } from '../core/plan/types.js';
import type { KeptChanges } from '../core/report/record.js';
import { Overlay, type Tree } from '../core/tree.js';
import { decodeText } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import type { RunChange } from '../workspace/runs/run-changes.js';
import type { Workspace } from '../workspace/workspace.js';
import type { CommitNote } from './progress.js';

/**
 * What a run made of a file, where no copy of it is left: its last commit is done again in memory, on what that commit
 * had found. Undefined unless the journal's hash says that it is the very same content.
 */
export function remakeFile(
  change: RunChange,
  plan: Plan | null,
  workspace: Workspace,
): Uint8Array | undefined {
  const { path, last, states } = change;
  if (plan === null || last.before === undefined || states.after === null) return undefined;
  const tree = new Overlay(treeOfOne(path, last.before));
  for (const { action, kept } of writesOf(last.note as CommitNote | undefined, plan)) {
    const located = resourcesOf(action).map(({ target }) => workspace.locate(target));
    if (!located.some((each) => each.status === 'inside' && each.path === path)) continue;
    const written = simulateAction(action, tree);
    if (written?.status !== 'written') return undefined;
    tree.write(path, kept ? withoutDropped(written, kept) : written.after);
  }
  const made = tree.text(path);
  const bytes = made.status === 'text' ? new TextEncoder().encode(made.text) : undefined;
  return bytes && sha256(bytes) === states.after.hash ? bytes : undefined;
}

/** What was written of a change of which the user dropped hunks. */
function withoutDropped(
  { path, before, after }: { path: string; before: string | null; after: string },
  { dropped }: KeptChanges,
): string {
  const hunks = diffHunks(before ?? '', after, path);
  const ids = new Set(dropped.map(({ id }) => id));
  return applyHunks(before ?? '', hunks, new Set(hunks.map(({ id }) => id).filter((id) => !ids.has(id))));
}

/** The writing actions of one commit, each as it ran. */
function writesOf(
  note: CommitNote | undefined,
  plan: Plan,
): { action: Action; kept: KeptChanges | undefined }[] {
  if (note?.kind !== 'actions') return [];
  return note.ended.flatMap(({ number, record: { outcome } }) => {
    const { ranAs, kept } = outcome.status === 'not-run' ? {} : outcome;
    const action = ranAs === undefined ? plan.actions[number - 1] : readAction(ranAs).action;
    return action && hasEffect(action, 'writes') ? [{ action, kept }] : [];
  });
}

/** A tree in which every name leads to the one file. */
function treeOfOne(path: string, bytes: Uint8Array | null): Tree {
  return {
    stat: (each) => (each === path && bytes !== null ? { kind: 'file' } : undefined),
    text: (each) => (each === path && bytes !== null ? decodeText(bytes) : { status: 'missing' }),
    real: () => path,
  };
}
