import { join } from 'node:path';
import { startTask } from '../capture/index.js';
import { randomId, Unusable } from '../platform/index.js';
import { openTree } from '../workspace/index.js';
import type { Attempt } from './attempt.js';
import type { Desk } from './desk.js';
import { renderExecutorPrompt } from './executors/prompt.js';
import type { Assignment, ExecutorEnd } from './executors/types.js';
import type { GraphTask } from './graph/index.js';
import type { Isolation } from './isolation/types.js';
import { countedFailures, startedLine } from './journal.js';
import type { ProjectState } from './project-state.js';
import type { Queue } from './queue/types.js';

export interface HandOut {
  desk: Desk;
  state: ProjectState;
  isolation: Isolation;
  queue: Queue<Assignment, ExecutorEnd>;
  executor: string;
  maxAttempts: number;
  timeoutMs: number | null;
  root: string;
}

/**
 * Makes a place for an attempt and hands it out. It is in the journal before anybody can begin with it. Throws `Unusable`
 * where it cannot be.
 */
export async function handOut(task: GraphTask, number: number, at: HandOut): Promise<Attempt> {
  const { desk, state, isolation, queue, executor } = at;
  const opened = await isolation.open({ taskId: task.id, taskName: task.name, attempt: number });
  if (opened.status === 'failed') throw new Unusable(opened.reason);
  const { place } = opened;
  try {
    const decisions = state.decisions(task.id);
    const attempt: Attempt = { task, number, key: randomId(8), executor, place, decisions };
    const assignment: Assignment = {
      taskId: task.id,
      taskIndex: task.task.index,
      taskName: task.name,
      planPath: join(at.root, task.plan.path),
      attempt: number,
      prompt: promptFor(attempt, at),
      cwd: place.root,
      timeoutMs: at.timeoutMs,
      ...(task.task.verify?.commands.length ? { verify: task.task.verify } : {}),
    };
    state.claim(task.id);
    // An end of an attempt with this number that did not count must not be taken for this one's.
    await queue.flush(task.id);
    const started = startedLine(attempt);
    await startTask(desk.project, task.id, {
      session: desk.run,
      also: (view) => desk.changes(view, [started]),
    });
    desk.journal.took([started]);
    await queue.enqueue([{ task: task.id, attempt: number, payload: assignment }]);
    desk.emit({ type: 'started', task: { id: task.id, name: task.name }, attempt: number, executor });
    return attempt;
  } catch (error) {
    await place.close();
    throw error;
  }
}

function promptFor(
  { task, number, place, decisions }: Attempt,
  { desk, state, isolation, maxAttempts }: HandOut,
): string {
  const history = desk.journal.of(task.id);
  const failures = history.ended.flatMap(({ failure }) => failure ?? []);
  const plan = state.planOf(task)?.plan;
  return renderExecutorPrompt({
    task,
    ...(plan && { plan }),
    failures: failures.length > 0 ? failures : state.earlierFailure(task),
    fix: state.instruction(task.id),
    attempt: number,
    attemptsLeft: maxAttempts - countedFailures(history, decisions).length - 1,
    isolation: isolation.kind,
    tree: openTree(place.root),
    mask: desk.mask,
  });
}
