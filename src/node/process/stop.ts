import type { ProcessEnd, ProcessOptions } from './types.js';

/** The longest time a timer can wait for; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Who may end a command: the clock, the caller, and whatever goes wrong around it. The first one counts. */
export class StopRequest {
  readonly made: Promise<ProcessEnd>;
  #make!: (end: ProcessEnd) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.abort('The caller asked for its end.');

  constructor({ timeoutMs, signal }: ProcessOptions) {
    this.made = new Promise((resolve) => {
      this.#make = resolve;
    });
    if (timeoutMs !== undefined && timeoutMs <= LONGEST_MS) {
      this.#timer = setTimeout(() => this.#make({ status: 'timed-out' }), timeoutMs);
    }
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  abort(reason: string): ProcessEnd {
    const end: ProcessEnd = { status: 'aborted', reason };
    this.#make(end);
    return end;
  }

  /** After this, clock and caller are no longer listened to. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
