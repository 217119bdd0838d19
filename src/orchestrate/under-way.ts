/** An attempt, from its hand-out until whoever works on it has ended. */
export class UnderWay {
  /** Ends the work. */
  readonly cancelling = new AbortController();
  /** Somebody works on it. */
  readonly begun = new Milestone();
  /** The journal says so; what comes of the work is told only after that. */
  readonly recorded = new Milestone();
  /** Nobody works on it any more. */
  readonly over = new Milestone();
}

class Milestone {
  /** It resolves when `reach` is called. */
  readonly reached: Promise<void>;
  reach!: () => void;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
  }
}
