import { monotonicMs } from '../../node/clock.js';
import { type Executor, type ExecutorEnd, NOTHING_USED, type TaskAssignment } from './types.js';

/** How a person gets a task, and how we hear that they are done with it. */
export interface HumanDesk {
  /** Shows the task. */
  onHanded(assignment: TaskAssignment): void;
  /** Waits until a result of this task is captured, or `signal` says that nobody waits for it any more. */
  submitted(taskId: string, signal: AbortSignal): Promise<void>;
}

/** A person, who submits the result with `teddy result submit`. */
export function createHumanExecutor(desk: HumanDesk): Executor {
  return {
    name: 'human',
    kind: 'person',
    async run(assignment, { signal }) {
      const began = monotonicMs();
      const end = await waitFor(desk, assignment, signal);
      return { ...end, durationMs: Math.round(monotonicMs() - began), usage: NOTHING_USED };
    },
  };
}

type Waited =
  | { status: 'submitted' | 'cancelled' }
  | Pick<Extract<ExecutorEnd, { status: 'crashed' }>, 'status' | 'reason' | 'limited'>;

async function waitFor(desk: HumanDesk, assignment: TaskAssignment, signal: AbortSignal): Promise<Waited> {
  try {
    if (signal.aborted) return { status: 'cancelled' };
    desk.onHanded(assignment);
    await desk.submitted(assignment.taskId, signal);
    return { status: signal.aborted ? 'cancelled' : 'submitted' };
  } catch (error) {
    if (signal.aborted) return { status: 'cancelled' };
    return { status: 'crashed', reason: `The result could not be waited for (${error}).`, limited: false };
  }
}
