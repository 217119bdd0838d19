/** Who or what ended a try before it was over. */
export type Cause = 'interrupted' | 'timeout' | 'idle' | 'too-large';

/** The limits of one try. The first cause stands. */
export interface Watch {
  /** For whatever works for this try. */
  signal: AbortSignal;
  /** Settles when the try is to be over, and never rejects. */
  stopped: Promise<Cause>;
  readonly cause: Cause | null;
  /** Something came. */
  touch(): void;
  stop(cause: Cause): void;
  /** The try is over: all that still works for it is ended. */
  close(): void;
}

export function startWatch(caller: AbortSignal, limits: { wholeMs: number; idleMs: number }): Watch {
  const controller = new AbortController();
  const { promise, resolve } = withResolver();
  let cause: Cause | null = null;
  let closed = false;
  const stop = (why: Cause) => {
    if (cause !== null || closed) return;
    cause = why;
    resolve(why);
    controller.abort();
  };
  const interrupt = () => stop('interrupted');
  const whole = setTimeout(() => stop('timeout'), limits.wholeMs);
  const idle = setTimeout(() => stop('idle'), limits.idleMs);
  caller.addEventListener('abort', interrupt, { once: true });
  if (caller.aborted) interrupt();
  return {
    signal: controller.signal,
    stopped: promise,
    get cause() {
      return cause;
    },
    touch: () => void (closed || idle.refresh()),
    stop,
    close() {
      closed = true;
      clearTimeout(whole);
      clearTimeout(idle);
      caller.removeEventListener('abort', interrupt);
      controller.abort();
    },
  };
}

function withResolver(): { promise: Promise<Cause>; resolve: (cause: Cause) => void } {
  let resolve!: (cause: Cause) => void;
  const promise = new Promise<Cause>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
