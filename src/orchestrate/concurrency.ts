/** Runs work one after another, in the order in which it was requested. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work, work);
    this.last = turn.catch(() => {});
    return turn;
  }
}

/** An event that happens once, and that others wait for. */
export class Milestone<T = void> {
  readonly reached: Promise<T>;
  reach!: (value: T) => void;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
  }
}

/** Work beside a loop. The loop waits for changes, and ends with the first failure. */
export class Background {
  failure: unknown;
  private readonly works = new Set<Promise<unknown>>();
  private change = new Milestone();

  get isIdle(): boolean {
    return this.works.size === 0;
  }

  track(work: Promise<unknown>): void {
    this.works.add(work);
    const end = (error?: unknown) => {
      this.works.delete(work);
      this.fail(error);
    };
    work.then(() => end(), end);
  }

  /** Without an error, only wakes the loop. */
  fail(error?: unknown): void {
    this.failure ??= error;
    this.wake();
  }

  wake(): void {
    this.change.reach();
  }

  /** Resolves at the next change from now on. */
  nextChange(): Promise<void> {
    this.change = new Milestone();
    return this.change.reached;
  }
}
