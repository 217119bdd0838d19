import { UserError } from '../../node/user-error.js';
import { releaseTask, startTask } from '../../tasks/plans/change-task.js';
import type { ExecutorFailure } from '../events.js';
import type { ExecutorEnd } from '../executors/types.js';
import { endedLine, startedLine } from '../journal.js';
import type { Orchestration } from '../orchestration.js';
import { describeAssignment, placeAttempt } from './attempt.js';
import { postponeTask } from './claim.js';
import type { RecordedAttempt } from './record.js';
import type { Attempt, Running } from './running.js';
import { verifySubmitted } from './verify.js';
import { executeJob } from './worker.js';

/** Gives a task to a person, and waits for the result that they submit. */
export async function giveToPerson(
  running: Running,
  o: Orchestration,
): Promise<{ attempt: Attempt; recorded: RecordedAttempt }> {
  const attempt = await placeAttempt(running, o);
  const { task, number, executor } = attempt;
  const before = o.state.results(task.id);
  o.state.claim(task.id);
  await o.queue.flush(task.id);
  const started = startedLine(attempt);
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

/** It is captured already: what it says is read back. */
function readBack(attempt: Attempt, end: ExecutorEnd, hasResult: boolean, o: Orchestration): RecordedAttempt {
  const { task, number } = attempt;
  const last = hasResult ? o.state.lastResult(task) : null;
  const reason = last?.error ?? 'It was said to be done, and its verification did not pass.';
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
