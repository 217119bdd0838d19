import { setTimeout as sleep } from 'node:timers/promises';

export { setImmediate as letOthersRun } from 'node:timers/promises';
export { sleep };

/** A question that is answered with yes once the time has passed. */
export function timeAfter(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

/** Whether the condition came true in time. It is looked at ever more seldom, since looking may be costly. */
export async function becomesTrue(condition: () => boolean, withinMs: number): Promise<boolean> {
  const isLate = timeAfter(withinMs);
  for (let pause = 5; !condition(); pause = Math.min(pause * 1.5, 100)) {
    if (isLate()) return false;
    await sleep(pause);
  }
  return true;
}

/** Whether the promise came to its end before the condition came true. The promise must not reject. */
export function endsBefore(promise: Promise<unknown>, condition: () => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (ended: boolean) => {
      clearInterval(timer);
      resolve(ended);
    };
    const timer = setInterval(() => condition() && settle(false), 20);
    promise.then(() => settle(true));
  });
}

/** Nothing else of this process goes on meanwhile. */
export function pauseBlocking(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
