import { join } from 'node:path';
import { monotonicMs } from '../../node/clock.js';
import { watchFolder } from '../../node/watch.js';
import type { CallContext } from './types.js';

const REPORT_EVERY_MS = 5000;

/** Waits until `look` finds something, at most so many seconds; undefined where the time is over or the client gave up. */
export async function waitFor<T>(
  look: () => T | undefined,
  seconds: number,
  message: string,
  { workspace, signal, report }: CallContext,
): Promise<T | undefined> {
  const started = monotonicMs();
  const secondsLeft = () => seconds - (monotonicMs() - started) / 1000;
  let found = look();
  if (found !== undefined || seconds <= 0) return found;
  await report(message);
  let reportedAt = monotonicMs();
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      try {
        found ??= look();
      } catch (error) {
        return end(() => reject(error));
      }
      if (found !== undefined || signal.aborted || secondsLeft() <= 0) return end(resolve);
      if (monotonicMs() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = monotonicMs();
      void report(message);
    };
    const endWatch = watchFolder(join(workspace.root, '.teddy/requests'), check);
    const timer = setTimeout(check, seconds * 1000);
    signal.addEventListener('abort', check);
    const end = (settle: () => void) => {
      endWatch();
      clearTimeout(timer);
      signal.removeEventListener('abort', check);
      settle();
    };
  });
  return found;
}
