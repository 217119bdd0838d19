/** Work that must not overlap, one after the other in the order in which it was asked for. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work, work);
    this.last = turn.catch(() => {});
    return turn;
  }
}

/** Something that others wait for. It comes once. */
export class Milestone<T = void> {
  readonly reached: Promise<T>;
  reach!: (value: T) => void;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
  }
}

/** What goes on besides a loop that waits for it. The first that goes wrong is to end the loop. */
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

  /** `error` may be missing: then the loop only looks again. */
  fail(error?: unknown): void {
    this.failure ??= error;
    this.wake();
  }

  wake(): void {
    this.change.reach();
  }

  /** Of all that happens from now on. */
  nextChange(): Promise<void> {
    this.change = new Milestone();
    return this.change.reached;
  }
}
