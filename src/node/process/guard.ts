import { endProcessesNow } from './end.js';
import type { ProcessMark } from './mark.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LAST_MOMENT_MS = 200;

const live = new Set<ProcessMark>();

/**
 * Ends the command's processes when this process ends, until the returned function is called. It holds for every end but
 * SIGKILL and a crash of the runtime: what those leave behind is found by its mark, with `endProcesses`.
 */
export function guardProcesses(mark: ProcessMark): () => void {
  if (live.size === 0) listen();
  live.add(mark);
  return () => {
    if (live.delete(mark) && live.size === 0) stopListening();
  };
}

function listen(): void {
  process.on('exit', endAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function stopListening(): void {
  process.off('exit', endAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

/** A listener of our own takes away the signal's usual effect, so it is sent again; where a face listens too, it decides. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  stopListening();
  process.kill(process.pid, signal);
}

/** Blocks: nothing else of this process is to go on. */
function endAll(): void {
  endProcessesNow([...live], LAST_MOMENT_MS);
  live.clear();
}
