import { join } from 'node:path';
import { UserError } from '../../node/errors.js';
import { decodeText, lookAtFile } from '../../node/files.js';
import { mainWorktree } from '../../node/git/repository.js';
import { sha256 } from '../../node/ids.js';
import type { View } from '../../workspace/view.js';
import { Workspace } from '../../workspace/workspace.js';

// A running orchestrator lists here which executor has which task; it captures their results itself.
// Every submit reads this file, so it must not import what reads plans and records. It is valid only while its writer runs,
// so it is never synced to disk.

const ASSIGNMENTS = '.ultraplan/state/handed.jsonl';
/** Held while the orchestrator runs. */
const LOCK = '.ultraplan/state/lock';
const LIMIT = 256 * 1024 * 1024;

/** Who has a task, and which attempt it is. */
interface TaskAssignment {
  executor: string;
  attempt: number;
}

/** By the ids of the tasks. */
export type AssignedTasks = Readonly<Record<string, TaskAssignment>>;

/** Records which executor has which task. */
export interface Assignments {
  /** Throws `UserError` if it cannot be written. */
  add(task: string, by: TaskAssignment): void;
  remove(task: string): void;
  /** Clears all assignments. */
  end(): Promise<void>;
}

type Line = { op: 'begin' } | ({ op: 'hand'; task: string } & TaskAssignment) | { op: 'over'; task: string };

/** The caller holds the orchestrator's lock, and its folder exists. Earlier assignments become invalid. */
export function openAssignments(workspace: Workspace): Assignments {
  const file = workspace.grow(ASSIGNMENTS, { fleeting: true });
  const write = (line: Line) => file.write(`${JSON.stringify(line)}\n`);
  // A crashed process may have left half a line.
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
      // A leftover file has no effect.
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
 * The assignments of the running orchestrator; undefined if none is running. Also works in its worktrees, where the
 * executors are. Throws `UserError` if they cannot be read.
 */
export function readAssignments(workspace: Workspace): AssignedTasks | undefined {
  return isOrchestrating(workspace) ? new Workspace(mainWorktree(workspace.root)).view(readTasks) : undefined;
}

/** Whether an orchestrator is running, judged by its lock: executors could remove its files. */
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
  // An unfinished last line is still being written.
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
  else throw new Error('teddy did not write this line');
}
