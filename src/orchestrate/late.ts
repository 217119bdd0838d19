import { now } from '../node/clock.js';
import { captureResult } from '../tasks/capture-results.js';
import type { Desk } from './desk.js';
import type { ExecutorEnd } from './executors/types.js';
import type { GraphTask } from './graph/types.js';
import type { QueueEvent } from './queue/types.js';

type Back = Exclude<QueueEvent<ExecutorEnd>, { type: 'expired' }>;

/** What a superseded attempt brings is logged, and changes nothing of its task. Gives the log, where there is one. */
export async function recordLate(
  task: GraphTask,
  event: Back,
  desk: Desk,
  executor: string,
): Promise<string | null> {
  if (event.type !== 'completed' || event.result.status !== 'returned') return null;
  const { logged } = await captureResult(desk.project, {
    submission: {
      text: event.result.text,
      plan: task.plan.path,
      // Of the attempt that superseded it there is another.
      id: `${task.id}#${event.attempt}.${event.token}`,
      session: desk.run,
      executor,
      expectedIndex: task.task.index,
      attempt: event.attempt,
      superseded: true,
    },
    now: now(),
    mask: desk.mask,
  });
  return logged;
}
