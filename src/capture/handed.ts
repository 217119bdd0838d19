import { join } from 'node:path';
import { decodeText, lookAt, mainWorktree, sha256, Unusable } from '../platform/index.js';
import { type Change, type View, Workspace } from '../workspace/index.js';

// While an orchestrator lives, it says here whom it has handed which task to: what it hands out it captures itself.
// Every submit looks here, so this needs nothing of what it takes to read plans and records.

const HANDED = '.ultraplan/state/handed.json';
/** Held for as long as it lives. */
const LOCK = '.ultraplan/state/lock';
const LIMIT = 16 * 1024 * 1024;

/** By the ids of the tasks: who has each, and which attempt it is. */
export type HandedTasks = Readonly<Record<string, { executor: string; attempt: number }>>;

/**
 * Who works on which task for an orchestrator that lives; undefined where there is none. Seen from its worktrees too, in
 * which executors work. Throws `Unusable` where that cannot be seen.
 */
export function readHanded({ root }: Workspace): HandedTasks | undefined {
  const main = mainWorktree(root);
  if (lookAt(join(main, HANDED)) !== 'file') return undefined;
  const workspace = new Workspace(main);
  if (!workspace.isHeld(LOCK)) return undefined;
  return workspace.view(readTasks);
}

function readTasks(view: View): HandedTasks | undefined {
  const read = view.read(HANDED, LIMIT);
  if (read.status === 'missing') return undefined;
  const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
  if (text.status === 'refused') throw new Unusable(`${HANDED} ${text.reason}.`);
  try {
    const { tasks } = JSON.parse(text.text) as { tasks?: HandedTasks };
    return Object.fromEntries(
      Object.entries(tasks ?? {}).map(([id, { executor, attempt }]) => [
        id,
        { executor: String(executor), attempt: Number(attempt) },
      ]),
    );
  } catch {
    throw new Unusable(`${HANDED} is not what teddy orchestrate writes; remove it.`);
  }
}

/** The change that says so from now on; undefined where it is said already. With no tasks the file goes. */
export function changeHanded(view: View, tasks: HandedTasks): Change | undefined {
  const read = view.read(HANDED, LIMIT);
  if (read.status === 'refused') throw new Unusable(`${HANDED} ${read.reason}.`);
  const before = read.status === 'bytes' ? sha256(read.bytes) : null;
  const isEmpty = Object.keys(tasks).length === 0;
  const after = isEmpty ? null : new TextEncoder().encode(`${JSON.stringify({ tasks }, null, 2)}\n`);
  return before === (after && sha256(after)) ? undefined : { path: HANDED, before, after };
}
