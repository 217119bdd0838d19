import { endProcesses } from './end.js';
import { findMarked, listProcesses, type ProcessMark } from './process-table.js';

/** The time between the request to end and SIGKILL. */
const GRACE_MS = 5000;

/** A confined program's wrapper: a signal would end it at once, and the program with it. */
const CONFINER = 'bwrap';

/** Sends a signal to a program that was started for the user, through its wrapper. It is not an error if it has ended. */
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

/** The same for a request to end: what remains after a while is killed. */
export function askToEnd(mark: ProcessMark, signal: NodeJS.Signals): void {
  signalProgram(mark, signal);
  setTimeout(() => void endProcesses([mark], 0), GRACE_MS).unref();
}
