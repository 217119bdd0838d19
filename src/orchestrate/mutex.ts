/** Work that must not overlap, one after the other in the order in which it was asked for. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work, work);
    this.last = turn.catch(() => {});
    return turn;
  }
}
