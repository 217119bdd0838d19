import { endProcesses } from './end.js';
import { findMarked, listProcesses, type ProcessMark } from './process-table.js';

/** How long a program has between the request to end and SIGKILL. */
const GRACE_MS = 5000;

/** What is around a confined program: at a signal it would end at once, and the program with it. */
const CONFINER = 'bwrap';

/** Sends a signal to a program that was started for the user, whatever is around it. One that has ended is no error. */
export function signalProgram(mark: ProcessMark, signal: NodeJS.Signals): void {
  const isAround = ({ pid, parent, name }: { pid: number; parent: number; name: string }) =>
    name === CONFINER && (pid === mark.pid || parent === mark.pid);
  for (const entry of findMarked(listProcesses(), [mark], new Map())) {
    if (isAround(entry)) continue;
    try {
      process.kill(entry.pid, signal);
    } catch {}
  }
}

/** The same for a signal that asks for the end: what is left after a while is killed. */
export function askToEnd(mark: ProcessMark, signal: NodeJS.Signals): void {
  signalProgram(mark, signal);
  setTimeout(() => void endProcesses([mark], 0), GRACE_MS).unref();
}
