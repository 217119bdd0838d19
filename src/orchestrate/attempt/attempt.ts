import { join } from 'node:path';
import { letOthersRun } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { randomId } from '../../node/ids.js';
import { releaseTask, requireUnsettled, startTask } from '../../tasks/plans/change-task.js';
import { openTree } from '../../workspace/tree.js';
import type { ExecutorFailure, Finished } from '../events.js';
import { writePrompt } from '../executors/prompt.js';
import type { ExecutorEnd, TaskAssignment } from '../executors/types.js';
import type { Attempt, Orchestration, Running } from '../orchestration.js';
import { collectClaim, concludeVerdict, type NeedsHuman, postponeTask } from './claim.js';
import { endedLine, type RecordedAttempt, recordAttempt, startedLine } from './record.js';
import { landClaim, verifySubmitted } from './verify.js';
import { executeJob } from './worker.js';

export type AttemptEnding =
  /** It could not be judged: it stays where it is until the next start. */
  | { status: 'interrupted' }
  /** It is done and verified, but the user must look at it, or remove what keeps it from landing: it is finished again later. */
  | { status: 'pending'; needsHuman: NeedsHuman }
  /** `finished` is null if it does not count. */
  | { status: 'recorded'; recorded: RecordedAttempt; finished: Finished | null };

/**
 * One attempt at a task: place → execute → collect → merge → verify → review → land → record. Throws `UserError` if it cannot
 * start or cannot be recorded; `running` says which.
 */
export async function runAttempt(running: Running, o: Orchestration): Promise<AttemptEnding> {
  const attempt = await placeAttempt(running, o);
  const end = await executeAttempt(attempt, running, o);
  return finishAttempt(attempt, end, running, o);
}

/** From the end of its executor: also for an attempt whose orchestrator died then, and for one that could not land. */
export async function finishAttempt(
  attempt: Attempt,
  end: ExecutorEnd,
  running: Running,
  o: Orchestration,
): Promise<AttemptEnding> {
  running.decisions = o.state.decisions(attempt.task.id);
  const claim = await collectClaim(attempt, end, o);
  const judged = claim.status === 'success' ? await landClaim(attempt, claim, o) : claim.verdict;
  const verdict = concludeVerdict(attempt, end, judged, o);
  if (verdict === 'interrupted') return { status: 'interrupted' };
  const { needsHuman } = verdict;
  const isKept = needsHuman?.why === 'cannot-land' || needsHuman?.why === 'review';
  if (needsHuman && isKept && !attempt.superseded) return { status: 'pending', needsHuman };
  return { status: 'recorded', ...(await recordAttempt(attempt, end, verdict, running, o)) };
}

async function placeAttempt(running: Running, o: Orchestration): Promise<Attempt> {
  const { task, number } = running;
  const opened = await o.isolation.open({ taskId: task.id, taskName: task.name, attempt: number });
  if (opened.status === 'failed') throw new UserError(opened.reason);
  const decisions = o.state.decisions(task.id);
  const { place } = opened;
  running.place = place;
  return { task, number, key: randomId(8), executor: o.executor.name, place, decisions };
}

/**
 * Waits for its end. The start is recorded while the executor already runs: after a crash in between, its process is known
 * and ended, and the attempt does not count.
 */
async function executeAttempt(attempt: Attempt, running: Running, o: Orchestration): Promise<ExecutorEnd> {
  await assign(attempt, running, o);
  running.attempt = attempt;
  const recorded = recordStart(attempt, running, o);
  running.assigned.reach();
  await recorded;
  return running.end.reached;
}

async function assign(attempt: Attempt, running: Running, o: Orchestration): Promise<void> {
  const { task, number, executor, place } = attempt;
  try {
    const payload = describeAssignment(attempt, writePrompt(attempt, openTree(place.root), o), o);
    o.state.claim(task.id);
    // An interrupted attempt may have had the same number: its end is not this one's.
    await o.queue.flush(task.id);
    // Decisions since the last refresh count.
    requireUnsettled(o.project, task.plan.path, task.task.index);
    o.assignments.add(task.id, { executor, attempt: number });
    await o.queue.enqueue([{ task: task.id, attempt: number, payload }]);
    await running.taken.reached;
    await letOthersRun();
  } catch (error) {
    o.assignments.remove(task.id);
    await place.close();
    throw error;
  }
}

async function recordStart(attempt: Attempt, running: Running, o: Orchestration): Promise<void> {
  const { task, number, executor, place } = attempt;
  try {
    await o.records.recordStart(startedLine(attempt, o));
    o.emit({ type: 'started', task: { id: task.id, name: task.name }, attempt: number, executor });
  } catch (error) {
    // What it still returns belongs to no attempt.
    await o.queue.cancel(task.id);
    running.cancelling.abort();
    running.recorded.reach();
    await running.over.reached;
    o.assignments.remove(task.id);
    await place.close();
    throw error;
  }
  running.recorded.reach();
}

function describeAssignment(attempt: Attempt, prompt: string, o: Orchestration): TaskAssignment {
  const { task, number, place } = attempt;
  const { workspace, config } = o.options;
  const budgetUsd = leftOfBudgets(task.id, o);
  return {
    taskId: task.id,
    taskIndex: task.task.index,
    taskName: task.name,
    planPath: join(workspace.root, task.plan.path),
    attempt: number,
    prompt,
    cwd: place.root,
    timeoutMs: config.orchestrate.taskTimeMs,
    ...(task.task.verify?.commands.length ? { verify: task.task.verify } : {}),
    ...(budgetUsd !== null && { budgetUsd }),
  };
}

const SMALLEST_BUDGET_USD = 0.01;

/** Null: no limit. Other attempts that run may use up the run's budget as well. */
function leftOfBudgets(task: string, { limits, tally }: Orchestration): number | null {
  const left = [
    ...(limits.taskBudgetUsd === null ? [] : [limits.taskBudgetUsd - tally.costOf(task)]),
    ...(limits.budgetUsd === null ? [] : [limits.budgetUsd - tally.costUsd]),
  ];
  if (left.length === 0) return null;
  return Math.max(SMALLEST_BUDGET_USD, Number(Math.min(...left).toFixed(4)));
}

/** Gives a task to a person, and waits for their result. */
export async function giveToPerson(
  running: Running,
  o: Orchestration,
): Promise<{ attempt: Attempt; recorded: RecordedAttempt }> {
  const attempt = await placeAttempt(running, o);
  const { task, number, executor } = attempt;
  const before = o.state.results(task.id);
  o.state.claim(task.id);
  await o.queue.flush(task.id);
  const started = startedLine(attempt, o);
  o.assignments.add(task.id, { executor, attempt: number });
  await startTask(o.project, task.id, {
    session: o.run,
    also: (view) => [o.journal.change(view, [started])],
  });
  o.journal.took([started]);
  o.emit({ type: 'started', task: { id: task.id, name: task.name }, attempt: number, executor });
  const assignment = describeAssignment(attempt, task.task.source, o);
  const end = await executeJob(assignment, running, running.cancelling.signal, o);
  if (o.state.results(task.id) > before && o.state.lastResult(task)?.status === 'success') {
    const checked = await verifySubmitted(task, o);
    if (checked.status === 'needs-human') throw new UserError(checked.message);
  }
  const recorded = readBack(attempt, end, o.state.results(task.id) > before, o);
  await releaseTask(o.project, task.id, { also: (view) => [o.journal.change(view, [recorded.line])] });
  o.journal.took([recorded.line]);
  return { attempt, recorded };
}

const OUTCOMES = { success: 'done', failure: 'failed', blocked: 'blocked' } as const;

/** The result is already recorded: reads it back. */
function readBack(attempt: Attempt, end: ExecutorEnd, hasResult: boolean, o: Orchestration): RecordedAttempt {
  const { task, number } = attempt;
  const last = hasResult ? o.state.lastResult(task) : null;
  const reason = last?.error ?? 'It was reported as done, but its verification failed.';
  const evidence = last?.evidence ?? null;
  const failure: ExecutorFailure = {
    attempt: number,
    kind: 'reported',
    reason,
    evidence,
    filesChanged: null,
  };
  const outcome = last ? OUTCOMES[last.status] : 'cut-off';
  const postponed = outcome === 'blocked' ? postponeTask(task, reason, o) : undefined;
  const behind = postponed?.behind ?? [];
  const line = endedLine(attempt, end, { outcome, behind, failure: outcome === 'failed' ? failure : null });
  const isStuck = postponed !== undefined && behind.length === 0 && !postponed.isOver;
  return {
    line,
    claimed: last?.status ?? null,
    captured: null,
    reason: outcome === 'done' || last === null ? null : reason,
    remarks: [],
    needsHuman: isStuck ? { why: 'blocked', message: reason } : null,
    patch: null,
  };
}
