import { join } from 'node:path';
import { randomId } from '../node/ids.js';
import { UserError } from '../node/user-error.js';
import { releaseTask, startTask } from '../tasks/plans/change-task.js';
import type { Attempt } from './attempt.js';
import { verifyClaim } from './claims.js';
import type { ExecutorFailure } from './events.js';
import type { ExecutorEnd, TaskAssignment } from './executors/types.js';
import type { GraphTask } from './graph/types.js';
import type { HandOut } from './hand-out.js';
import type { Worktree } from './isolation/types.js';
import { endedLine, startedLine } from './journal.js';
import type { Settled } from './settle-attempt.js';

/** Gives a task to a person, and waits for the result that they submit. */
export async function handOver(
  task: GraphTask,
  number: number,
  at: HandOut,
  run: (assignment: TaskAssignment) => Promise<ExecutorEnd>,
): Promise<{ attempt: Attempt; settled: Settled }> {
  const { desk, state, executor, root } = at;
  const place = projectItself(root, task, number);
  const decisions = state.decisions(task.id);
  const attempt: Attempt = { task, number, key: randomId(8), executor, place, decisions };
  const before = state.results(task.id);
  state.claim(task.id);
  await at.queue.flush(task.id);
  const started = startedLine(attempt);
  desk.handed.add(task.id, { executor, attempt: number });
  await startTask(desk.project, task.id, {
    session: desk.run,
    also: (view) => [desk.journal.change(view, [started])],
  });
  desk.journal.took([started]);
  desk.emit({ type: 'started', task: { id: task.id, name: task.name }, attempt: number, executor });
  const end = await run({
    taskId: task.id,
    taskIndex: task.task.index,
    taskName: task.name,
    planPath: join(root, task.plan.path),
    attempt: number,
    prompt: task.task.source,
    cwd: root,
    timeoutMs: null,
  });
  if (state.results(task.id) > before && state.lastResult(task)?.status === 'success') {
    const checked = await verifyClaim(task, desk, state);
    if (checked.status === 'stuck') throw new UserError(checked.message);
  }
  const settled = settleGiven(attempt, end, state.results(task.id) > before, at);
  await releaseTask(desk.project, task.id, { also: (view) => [desk.journal.change(view, [settled.line])] });
  desk.journal.took([settled.line]);
  return { attempt, settled };
}

const OUTCOMES = { success: 'done', failure: 'failed', blocked: 'blocked' } as const;

/** It is captured already: what it says is read back. */
function settleGiven(
  attempt: Attempt,
  end: ExecutorEnd,
  hasResult: boolean,
  { desk, state }: HandOut,
): Settled {
  const { task, number } = attempt;
  const last = hasResult ? state.lastResult(task) : null;
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
  const postponed = outcome === 'blocked' ? desk.postpone(task, reason) : undefined;
  const behind = postponed?.behind ?? [];
  const line = endedLine(attempt, end, { outcome, behind, failure: outcome === 'failed' ? failure : null });
  const stuck = postponed !== undefined && behind.length === 0 && !postponed.isOver;
  return {
    line,
    claimed: last?.status ?? null,
    captured: null,
    reason: outcome === 'done' || last === null ? null : reason,
    remarks: [],
    stuck: stuck ? { why: 'blocked', message: reason } : null,
  };
}

/** People work where the project is, and see to their own changes. */
function projectItself(root: string, { id, name }: GraphTask, attempt: number): Worktree {
  return {
    root,
    record: { taskId: id, taskName: name, attempt, root, base: null, branch: null },
    findReplaced: () => undefined,
    changes: async () => ({ status: 'unknown', reason: 'People work in the project itself.' }),
    merge: async () => ({ status: 'merged', candidate: null }),
    compare: async () => ({ status: 'ok', changed: [], added: [] }),
    land: async () => ({ status: 'landed' }),
    close: async () => ({ patch: null }),
  };
}
