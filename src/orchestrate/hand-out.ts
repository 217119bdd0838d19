import { join } from 'node:path';
import { randomId } from '../node/ids.js';
import { letOthersRun } from '../node/sleep.js';
import { UserError } from '../node/user-error.js';
import { requireUnsettled } from '../tasks/plans/change-task.js';
import { openTree } from '../workspace/tree.js';
import type { Attempt } from './attempt.js';
import type { Desk } from './desk.js';
import { renderExecutorPrompt } from './executors/prompt.js';
import type { ExecutorEnd, TaskAssignment } from './executors/types.js';
import type { GraphTask } from './graph/types.js';
import type { Isolation } from './isolation/types.js';
import { countedFailures, startedLine } from './journal.js';
import type { ProjectState } from './project-state.js';
import type { Queue } from './queue/types.js';
import { UnderWay } from './under-way.js';

export interface HandOut {
  desk: Desk;
  state: ProjectState;
  isolation: Isolation;
  queue: Queue<TaskAssignment, ExecutorEnd>;
  underWay: Map<string, UnderWay>;
  executor: string;
  maxAttempts: number;
  timeoutMs: number | null;
  root: string;
}

/** An attempt that somebody works on. */
export interface HandedOut {
  attempt: Attempt;
  /**
   * The records say so. Rejects with `UserError` where they cannot: then nobody works on it any more, and nothing of it
   * counts.
   */
  recorded: Promise<void>;
}

/**
 * Makes a place for an attempt and hands it out. It is recorded while somebody works on it already: where we die in
 * between, its process is known and ended, and it is as if it had not begun. Throws `UserError` where it cannot be.
 */
export async function handOut(task: GraphTask, number: number, at: HandOut): Promise<HandedOut> {
  const { desk, state, isolation, queue, executor } = at;
  const opened = await isolation.open({ taskId: task.id, taskName: task.name, attempt: number });
  if (opened.status === 'failed') throw new UserError(opened.reason);
  const { place } = opened;
  const decisions = state.decisions(task.id);
  const attempt: Attempt = { task, number, key: randomId(8), executor, place, decisions };
  const underWay = new UnderWay();
  try {
    const payload = assignmentOf(attempt, at);
    state.claim(task.id);
    // An end of an attempt with this number that did not count must not be taken for this one's.
    await queue.flush(task.id);
    // What people said since the last look counts.
    requireUnsettled(desk.project, task.plan.path, task.task.index);
    desk.handed.add(task.id, { executor, attempt: number });
    at.underWay.set(task.id, underWay);
    await queue.enqueue([{ task: task.id, attempt: number, payload }]);
    await underWay.begun.reached;
    await letOthersRun();
  } catch (error) {
    at.underWay.delete(task.id);
    desk.handed.remove(task.id);
    await place.close();
    throw error;
  }
  return { attempt, recorded: record(attempt, underWay, at) };
}

async function record(attempt: Attempt, underWay: UnderWay, { desk, queue }: HandOut): Promise<void> {
  const { task, number, executor, place } = attempt;
  try {
    await desk.records.begin(startedLine(attempt));
    desk.emit({ type: 'started', task: { id: task.id, name: task.name }, attempt: number, executor });
  } catch (error) {
    // What it still brings comes of an attempt that never was.
    await queue.cancel(task.id);
    underWay.cancelling.abort();
    underWay.recorded.reach();
    await underWay.over.reached;
    desk.handed.remove(task.id);
    await place.close();
    throw error;
  }
  underWay.recorded.reach();
}

function assignmentOf(attempt: Attempt, at: HandOut): TaskAssignment {
  const { task, number, place } = attempt;
  return {
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
