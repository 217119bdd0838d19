import { monotonicMs } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import { endProcesses } from '../node/process/end.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import { LARGEST_STATE_FILE, readSealedLines, rewriteState, STATE, sealLine } from './state-files.js';

/** Processes that were begun, so that whoever comes after us can end them. */
export interface Processes {
  /** Throws `UserError` where it cannot be written down: then it is not to begin. `what` is for whoever reads the file. */
  note(mark: ProcessMark, what: string): void;
  over(mark: ProcessMark): void;
  close(): void;
}

const PATH = STATE.processes;
const LONGEST_END_MS = 10_000;

/** The state folder is there, and the caller has the project. Throws `UserError` where the file cannot be written. */
export function openProcessList(workspace: Workspace): Processes {
  const growing = workspace.grow(PATH);
  return {
    note(mark, what) {
      if (!growing.write(sealLine(PATH, { op: 'begin', ...mark, what })))
        throw new UserError(
          `${PATH} cannot be written, so nothing is started that could not be stopped later.`,
        );
    },
    over: ({ pid, born }) => void growing.write(sealLine(PATH, { op: 'over', pid, born })),
    close: () => growing.close(),
  };
}

/**
 * Ends what orchestrators left that were killed. The caller has the project: all that is noted here and not over is
 * theirs. Throws `UserError` where something cannot be ended, or the file is not ours.
 */
export async function endLeftProcesses(workspace: Workspace): Promise<{ ended: number }> {
  const left = workspace.view(readLeft);
  if (!left) return { ended: 0 };
  const ended = await endAll(left.marks);
  await rewriteState(workspace, PATH, () => ({
    changes: [{ path: PATH, before: left.hash, after: new Uint8Array(), mode: 0o600 }],
    value: undefined,
  }));
  return { ended };
}

/** How many were ended. */
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

/** Undefined where nothing is noted. */
function readLeft(view: View): { marks: ProcessMark[]; hash: string } | undefined {
  const read = view.read(PATH, LARGEST_STATE_FILE);
  if (read.status === 'refused') throw new UserError(`${PATH} ${read.reason}.`);
  if (read.status === 'missing' || read.size === 0) return undefined;
  // A last line that was cut off is of a process that was never let begin.
  const lines = readSealedLines(PATH, read.bytes);
  if (lines.status === 'refused')
    throw new UserError(
      `${PATH}, line ${lines.line}, ${lines.reason}. Check whether the processes that it names are still running, then delete the file.`,
    );
  const marks = new Map<string, ProcessMark>();
  for (const { op, ...mark } of lines.records as ({ op: string } & ProcessMark)[]) {
    const { pid, born } = mark;
    if (op === 'begin') marks.set(`${pid} ${born}`, mark);
    else marks.delete(`${pid} ${born}`);
  }
  return { marks: [...marks.values()], hash: sha256(read.bytes) };
}
