import { join } from 'node:path';
import { UserError } from '../../node/errors.js';
import { decodeText, lookAtFile } from '../../node/files.js';
import { mainWorktree } from '../../node/git/repository.js';
import { sha256 } from '../../node/ids.js';
import type { View } from '../../workspace/view.js';
import { Workspace } from '../../workspace/workspace.js';

// A running orchestrator lists here which executor has which task; it captures their results itself.
// Every submit reads this, so this needs nothing of what it takes to read plans and records. It counts only while its
// writer lives, so nobody waits for the disk.

const ASSIGNMENTS = '.ultraplan/state/handed.jsonl';
/** Held for as long as it lives. */
const LOCK = '.ultraplan/state/lock';
const LIMIT = 256 * 1024 * 1024;

/** Who has a task, and which attempt it is. */
interface TaskAssignment {
  executor: string;
  attempt: number;
}

/** By the ids of the tasks. */
export type AssignedTasks = Readonly<Record<string, TaskAssignment>>;

/** Says who has which task. */
export interface Assignments {
  /** Throws `UserError` where it cannot be said. */
  add(task: string, by: TaskAssignment): void;
  remove(task: string): void;
  /** Nobody has anything any more. */
  end(): Promise<void>;
}

type Line = { op: 'begin' } | ({ op: 'hand'; task: string } & TaskAssignment) | { op: 'over'; task: string };

/** The caller holds the lock of orchestrators, and its folder is there. Whatever was said before no longer counts. */
export function openAssignments(workspace: Workspace): Assignments {
  const file = workspace.grow(ASSIGNMENTS, { fleeting: true });
  const write = (line: Line) => file.write(`${JSON.stringify(line)}\n`);
  // A process that died may have left half a line.
  file.write('\n');
  write({ op: 'begin' });
  return {
    add(task, { executor, attempt }) {
      if (!write({ op: 'hand', task, executor, attempt }))
        throw new UserError(`${ASSIGNMENTS} cannot be written, so no task is started.`);
    },
    remove: (task) => void write({ op: 'over', task }),
    async end() {
      file.close();
      // What stays counts for nothing.
      await workspace.update((view) => {
        const read = view.read(ASSIGNMENTS, LIMIT);
        const before = read.status === 'bytes' ? sha256(read.bytes) : null;
        return {
          changes: before === null ? [] : [{ path: ASSIGNMENTS, before, after: null }],
          value: undefined,
        };
      });
    },
  };
}

/**
 * Who works on which task for an orchestrator that lives; undefined where there is none. Seen from its worktrees too, in
 * which executors work. Throws `UserError` where that cannot be seen.
 */
export function readAssignments(workspace: Workspace): AssignedTasks | undefined {
  return isOrchestrating(workspace) ? new Workspace(mainWorktree(workspace.root)).view(readTasks) : undefined;
}

/** Whether an orchestrator is running. By its lock, not by its files, which executors could remove. */
export function isOrchestrating({ root }: Workspace): boolean {
  const main = mainWorktree(root);
  return lookAtFile(join(main, LOCK)) === 'file' && new Workspace(main).isHeld(LOCK);
}

function readTasks(view: View): AssignedTasks {
  const read = view.read(ASSIGNMENTS, LIMIT);
  if (read.status === 'missing') return {};
  const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
  if (text.status === 'refused') throw new UserError(`${ASSIGNMENTS} ${text.reason}.`);
  const lines = text.text.split('\n');
  // What comes after the last line is still being written.
  const said = lines.slice(lines.lastIndexOf(JSON.stringify({ op: 'begin' })) + 1, -1);
  const tasks = new Map<string, TaskAssignment>();
  try {
    for (const line of said) take(JSON.parse(line) as Line, tasks);
  } catch {
    throw new UserError(`${ASSIGNMENTS} was not written by teddy orchestrate. Delete it.`);
  }
  return Object.fromEntries(tasks);
}

function take(line: Line, tasks: Map<string, TaskAssignment>): void {
  if (line.op === 'hand')
    tasks.set(String(line.task), { executor: String(line.executor), attempt: Number(line.attempt) });
  else if (line.op === 'over') tasks.delete(line.task);
  else throw new Error('it is not a line of ours');
}
