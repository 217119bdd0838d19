import type { Workspace } from '../workspace/workspace.js';
import type { Refusal } from './run-record.js';

/** Ctrl-C and what else ends a process politely, as they come. Gives what ends the listening. */
export type Interrupts = (listen: (signal: InterruptName) => void) => () => void;

/** `stop`: the user stopped the run in another face. */
type InterruptName = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'stop';

/** What aborts the signal ends the run, as SIGTERM does. */
export function interruptsOf(signal: AbortSignal): Interrupts {
  return (listen) => {
    const interrupt = () => listen('SIGTERM');
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt);
    return () => signal.removeEventListener('abort', interrupt);
  };
}

const STOP = 'stop.json';
const LOOK_MS = 500;

/** Asks a run under way to stop: it ends its command, and runs nothing more. False where the run is over. */
export function requestStop(workspace: Workspace, run: string): boolean {
  if (!workspace.liveRuns().includes(run)) return false;
  const added = workspace.inQuestions(run, (files) => files.add(STOP, { stop: true }, { sync: true }), {
    make: true,
  });
  return added !== undefined;
}

/** What comes of `interrupts`, and once that another face wants the run to stop. `run` is undefined until it has an id. */
export function withStop(
  interrupts: Interrupts,
  workspace: Workspace,
  run: () => string | undefined,
): Interrupts {
  return (listen) => {
    const timer = setInterval(() => {
      const id = run();
      if (id === undefined || !isStopRequested(workspace, id)) return;
      clearInterval(timer);
      listen('stop');
    }, LOOK_MS);
    timer.unref();
    const end = interrupts(listen);
    return () => {
      clearInterval(timer);
      end();
    };
  };
}

function isStopRequested(workspace: Workspace, run: string): boolean {
  try {
    return workspace.inQuestions(run, (files) => files.read(STOP) !== undefined) ?? false;
  } catch {
    return false;
  }
}

function describeInterrupt(signal: InterruptName): string {
  if (signal === 'stop') return 'Stop on the page';
  return signal === 'SIGINT' ? 'Ctrl-C' : signal;
}

/**
 * Ctrl-C ends the action that runs; where a person is asked about the next, that is all. Otherwise, as any other signal,
 * it ends the run. Either way what was done is reported.
 */
export function watchInterrupts(interrupts: Interrupts, hasPerson: boolean) {
  let current: AbortController | undefined;
  let isSeen = hasPerson;
  let signal: InterruptName | undefined;
  const stop = interrupts((name) => {
    // Between actions a person has keys for it; and in their editor Ctrl-C is the editor's.
    const endsRun = name !== 'SIGINT' || !(current ? isSeen : hasPerson);
    if (endsRun && (signal === undefined || name !== 'SIGINT')) signal = name;
    current?.abort(name);
  });
  return {
    end: stop,
    /** A signal for one action; `seen` when a person said yes to this very one, and will be asked about the next. */
    begin(seen: boolean): { signal: AbortSignal; end(): void } {
      current = new AbortController();
      isSeen = seen;
      return {
        signal: current.signal,
        end() {
          current = undefined;
        },
      };
    },
    /** Why nothing more is asked or run. */
    stop(): Refusal | undefined {
      if (signal === undefined) return undefined;
      return { by: 'teddy', reason: `Not run: the run was interrupted by ${describeInterrupt(signal)}.` };
    },
    /** For the record; null when nothing interrupted the run. */
    reason(): string | null {
      if (signal === undefined) return null;
      return `The run was interrupted by ${describeInterrupt(signal)}.`;
    },
  };
}
