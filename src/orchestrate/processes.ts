import { monotonicMs } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { removeTree } from '../node/files.js';
import { sha256 } from '../node/ids.js';
import { endProcesses } from '../node/process/end.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import { LARGEST_STATE_FILE, readSealedLines, rewriteState, STATE, sealLine } from './state-files.js';

/** Processes that were started, so that the next orchestrator can end them after a crash. */
export interface Processes {
  /**
   * Throws `UserError` if it cannot be written: then the process must not start. `what` is for readers of the file;
   * `temporary` is its own folder for temporary files, removed with it.
   */
  note(mark: ProcessMark, what: string, temporary?: string): void;
  remove(mark: ProcessMark): void;
  close(): void;
}

type NotedMark = ProcessMark & { temporary?: string };

const PATH = STATE.processes;
const LONGEST_END_MS = 10_000;

/** The caller holds the project. Throws `UserError` if the file cannot be written. */
export function openProcessList(workspace: Workspace): Processes {
  const file = workspace.grow(PATH);
  return {
    note(mark, what, temporary) {
      if (!file.write(sealLine(PATH, { op: 'begin', ...mark, what, ...(temporary && { temporary }) })))
        throw new UserError(
          `${PATH} cannot be written. Nothing was started: without it, teddy could not stop the processes after a crash.`,
        );
    },
    remove: ({ pid, born }) => void file.write(sealLine(PATH, { op: 'over', pid, born })),
    close: () => file.close(),
  };
}

/** Ends the processes of killed orchestrators. The caller holds the project. Throws `UserError` if one cannot be ended. */
export async function endLeftProcesses(workspace: Workspace): Promise<{ ended: number }> {
  const left = workspace.view(readLeft);
  if (!left) return { ended: 0 };
  const ended = await endAll(left.marks);
  for (const { temporary } of left.marks) if (temporary !== undefined) removeTree(temporary);
  await rewriteState(workspace, PATH, () => ({
    changes: [{ path: PATH, before: left.hash, after: new Uint8Array(), mode: 0o600 }],
    value: undefined,
  }));
  return { ended };
}

async function endAll(marks: readonly ProcessMark[]): Promise<number> {
  const deadline = monotonicMs() + LONGEST_END_MS;
  for (let count = 0; ; ) {
    const { ended, survived } = await endProcesses(marks, 0);
    count += ended.length;
    const [first] = survived;
    if (first === undefined) return count;
    if (monotonicMs() > deadline)
      throw new UserError(
        `Process ${first.pid} (${first.name}), left by an earlier teddy orchestrate, cannot be stopped.`,
      );
  }
}

/** Undefined if there are none. */
function readLeft(view: View): { marks: NotedMark[]; hash: string } | undefined {
  const read = view.read(PATH, LARGEST_STATE_FILE);
  if (read.status === 'refused') throw new UserError(`${PATH} ${read.reason}.`);
  if (read.status === 'missing' || read.size === 0) return undefined;
  // The process of an incomplete last line was never started.
  const lines = readSealedLines(PATH, read.bytes);
  if (lines.status === 'refused')
    throw new UserError(
      `${PATH}, line ${lines.line}, ${lines.reason}. Check whether the processes that it names are still running, then delete the file.`,
    );
  const marks = new Map<string, NotedMark>();
  for (const { op, ...mark } of lines.records as ({ op: string } & NotedMark)[]) {
    const { pid, born } = mark;
    if (op === 'begin') marks.set(`${pid} ${born}`, mark);
    else marks.delete(`${pid} ${born}`);
  }
  return { marks: [...marks.values()], hash: sha256(read.bytes) };
}
