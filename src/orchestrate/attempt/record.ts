import { now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { captureResult } from '../../tasks/capture-results.js';
import { releaseChanges, releaseTask } from '../../tasks/plans/change-task.js';
import type { CapturedResult } from '../../tasks/types.js';
import { type Finished, type NamedTask, nameOf } from '../events.js';
import type { ExecutorEnd } from '../executors/types.js';
import type { GraphTask } from '../graph/types.js';
import { type EndedLine, resultIdOf, type StartedLine, timestamp } from '../journal.js';
import type { Attempt, Orchestration, Running } from '../orchestration.js';
import type { QueueEvent } from '../queue/types.js';
import { type AttemptVerdict, describeErrors, RENAMED } from './claim.js';

/** The outcome of an attempt, once it is recorded. */
export interface RecordedAttempt
  extends Pick<AttemptVerdict, 'claimed' | 'reason' | 'remarks' | 'needsHuman'> {
  line: EndedLine;
  captured: CapturedResult | null;
  /** Where its changes are saved, if they did not land. */
  patch: string | null;
}

/** Recording an attempt again changes nothing. `finished`: as reported to faces; null if it does not count. */
export async function recordAttempt(
  attempt: Attempt,
  end: ExecutorEnd,
  verdict: AttemptVerdict,
  running: Running,
  o: Orchestration,
): Promise<{ recorded: RecordedAttempt; finished: Finished | null }> {
  if (verdict.outcome === 'done') return recordDone(attempt, end, verdict, running, o);
  const captured = await capture(attempt, end, verdict, o);
  const recorded = { ...captured, patch: await putAway(attempt, o) };
  return { recorded, finished: reportFinished(attempt, recorded, o) };
}

/** What it made ready starts at once, and is recorded with it or after it. */
async function recordDone(
  attempt: Attempt,
  end: ExecutorEnd,
  verdict: AttemptVerdict,
  running: Running,
  o: Orchestration,
): ReturnType<typeof recordAttempt> {
  const { id } = attempt.task;
  running.isDone = true;
  o.state.vouch(id);
  const done = await o.records.run(async () => {
    try {
      await running.startNext();
      const recorded = await capture(attempt, end, verdict, o);
      return { recorded, finished: reportFinished(attempt, recorded, o) };
    } catch (error) {
      o.graph.settle(id, 'open');
      throw error;
    }
  });
  await putAway(attempt, o);
  return done;
}

/** In one commit with the journal's line. */
async function capture(
  attempt: Attempt,
  end: ExecutorEnd,
  verdict: AttemptVerdict,
  o: Orchestration,
): Promise<RecordedAttempt> {
  const line = endedLine(attempt, end, verdict);
  const captured =
    verdict.text === null
      ? await captureNothing(attempt, line, o)
      : await captureText(attempt, verdict.text, verdict, line, o);
  const { claimed, reason, remarks, needsHuman } = verdict;
  return { line, claimed, captured, reason, remarks, needsHuman, patch: null };
}

async function captureNothing({ task }: Attempt, line: EndedLine, o: Orchestration): Promise<null> {
  await releaseTask(o.project, task.id, { also: (view) => [o.journal.change(view, [line])] });
  o.journal.took([line]);
  return null;
}

async function captureText(
  attempt: Attempt,
  text: string,
  { verification, command, filesChanged, refused }: AttemptVerdict,
  line: EndedLine,
  o: Orchestration,
): Promise<CapturedResult> {
  const { task } = attempt;
  const captured = await captureResult(o.project, {
    submission: {
      text,
      plan: task.plan.path,
      id: resultIdOf({ task: task.id, attempt: attempt.number, key: attempt.key }),
      session: o.run,
      executor: attempt.executor,
      expectedIndex: task.task.index,
      attempt: attempt.number,
      durationMs: line.durationMs,
      // What does not count is recorded anyway.
      ...(line.outcome === 'cut-off' && { superseded: true }),
      ...(filesChanged && { filesChanged }),
      ...(refused !== null && { refused }),
      ...(verification && {
        verified: { taskIndex: task.task.index, command: command ?? '', run: verification },
      }),
    },
    now: now(),
    mask: o.mask,
    also(view, { status, verdict }) {
      if (line.outcome === 'done') {
        // What has landed is recorded under the task's current name.
        const isOther = attempt.place.record.branch === null && verdict.match?.task.name !== task.name;
        if (isOther) throw new UserError(`${CHANGED} ${RENAMED}`);
        if (status === 'rejected') throw new UserError(`${CHANGED} ${describeErrors(verdict.issues)}`);
        return o.records.include(view, [line]);
      }
      // An applied result already ends the work on its task.
      const isApplied = status !== 'rejected' && line.outcome !== 'cut-off';
      const released = isApplied ? [] : releaseChanges(view, o.project, task.id);
      return [...released, o.journal.change(view, [line])];
    },
  });
  if (line.outcome === 'done') o.records.took([line]);
  else o.journal.took([line]);
  return captured;
}

const CHANGED = 'the task file was changed during the verification.';

/** Returns where its changes are saved, if they did not land. */
export async function putAway({ task, place }: Attempt, o: Orchestration): Promise<string | null> {
  const { patch } = await place.close();
  await o.queue.cancel(task.id);
  return patch;
}

/** Reports the end of an attempt, unless it does not count. */
export function reportFinished(
  { task, number }: Attempt,
  { line, claimed, captured, reason, remarks }: RecordedAttempt,
  o: Orchestration,
): Finished | null {
  if (line.outcome === 'cut-off') return null;
  const finished: Finished = {
    task: nameOf(task),
    attempt: number,
    executor: line.executor,
    outcome: line.outcome,
    claimed,
    why: line.failure?.kind ?? null,
    reason,
    ...(line.outcome === 'done' && captured?.verification && { verified: captured.verification.command }),
    warnings: [...remarks, ...(line.outcome === 'done' ? reportedIssues(captured) : [])],
    durationMs: line.durationMs,
    usage: line.usage,
    logged: captured?.logged ?? null,
  };
  o.tally.count(finished, number > 1);
  o.emit({ type: 'finished', ...finished });
  if (line.outcome === 'done') {
    o.done.add(task.id);
    o.graph.settle(task.id, 'completed');
  }
  return finished;
}

function reportedIssues(captured: CapturedResult | null): string[] {
  const issues = [...(captured?.verdict.issues ?? []), ...(captured?.notes ?? [])];
  return issues.filter(({ code }) => REPORTED.has(code)).map(({ message }) => message);
}

/** Issues that say how far a claim can be believed; the log has the others. */
const REPORTED = new Set([
  'unverified',
  'flaky',
  'evidence-empty',
  'task-folded',
  'task-words-differ',
  'file-missing',
  'file-absolute',
  'file-outside',
  'file-unplanned',
  'file-unclaimed',
  'file-unchanged',
]);

/** The result of a superseded attempt is logged, and its task stays as it is. Returns the log, if there is one. */
export async function recordLate(
  task: GraphTask,
  event: QueueEvent<ExecutorEnd>,
  o: Orchestration,
): Promise<string | null> {
  if (event.type !== 'completed' || event.result.status !== 'returned') return null;
  const { logged } = await captureResult(o.project, {
    submission: {
      text: event.result.text,
      plan: task.plan.path,
      // Not the id of the attempt that superseded it.
      id: `${task.id}#${event.attempt}.${event.token}`,
      session: o.run,
      executor: o.executor.name,
      expectedIndex: task.task.index,
      attempt: event.attempt,
      superseded: true,
    },
    now: now(),
    mask: o.mask,
  });
  return logged;
}

export function startedLine(
  { task, number, key, executor, place, decisions }: Attempt,
  { run }: Pick<Orchestration, 'run'>,
): StartedLine {
  return {
    type: 'started',
    at: timestamp(),
    task: task.id,
    name: task.name,
    attempt: number,
    key,
    executor,
    place: place.record,
    decisions,
    run,
  };
}

export function endedLine(
  {
    task,
    number,
    executor,
    decisions,
  }: Pick<Attempt, 'number' | 'executor' | 'decisions'> & { task: NamedTask },
  { durationMs, usage }: Pick<ExecutorEnd, 'durationMs' | 'usage'>,
  { outcome, failure, behind }: Pick<EndedLine, 'outcome' | 'failure' | 'behind'>,
): EndedLine {
  return {
    type: 'ended',
    at: timestamp(),
    task: task.id,
    name: task.name,
    attempt: number,
    executor,
    outcome,
    failure,
    behind,
    durationMs: Math.round(durationMs),
    usage,
    decisions,
  };
}
