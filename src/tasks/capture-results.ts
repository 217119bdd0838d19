import { setTaskStatus } from '../core/task-plan/edit.js';
import { isoUtc } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { openTree } from '../workspace/tree.js';
import { type CaptureContext, type Decided, decideResult, type StatusMark } from './decide-result.js';
import { rotateLogs } from './logs/rotate.js';
import { readPlanAt } from './plans/find-plans.js';
import { ProjectSnapshot } from './plans/project-snapshot.js';
import { type CaptureProject, changesTo, describeCommit, logConflict } from './project.js';
import type { CapturedResult, CaptureItem } from './types.js';

/** What became of one of several: `reason` is a whole sentence, and then nothing was changed by it. */
export type CaptureEnd =
  | { status: 'captured'; result: CapturedResult }
  | { status: 'failed'; reason: string };

const MOST_CONFLICTS = 3;
const NOT_CAPTURED = 'The result was not recorded';
const DAY = 'YYYY-MM-DD'.length;
/** Nobody let go of the lock. */
export const LOCKED: Extract<CaptureEnd, { status: 'failed' }> = {
  status: 'failed',
  reason: describeCommit(NOT_CAPTURED, { status: 'locked' }),
};

/**
 * Judges a result, and makes it part of the project: PLAN.md, STATE.md, log, session, summaries and ledger in one
 * commit. A result that is INVALID is kept with the reasons. Whoever submits waits for the others; a program that does
 * not wait and changes a file in between makes all of this begin again, three times at most. Throws `UserError` where
 * nothing could be captured; then nothing was changed.
 */
export async function captureResult(project: CaptureProject, item: CaptureItem): Promise<CapturedResult> {
  const ends = await captureResults(project, () => [item]);
  const end = ends?.get(item) ?? LOCKED;
  if (end.status === 'captured') return end.result;
  throw new UserError(end.reason);
}

/**
 * The same for all the results that `collect` finds when the lock is there, one after the other and in one commit.
 * Undefined where nobody let go of the lock.
 */
export async function captureResults<T extends CaptureItem>(
  project: CaptureProject,
  collect: () => readonly T[],
): Promise<Map<T, CaptureEnd> | undefined> {
  for (let conflicts = 0; ; conflicts++) {
    let items: readonly T[] = [];
    const captured = await project.workspace.update((view) => {
      items = collect();
      const decided = decideAll(project, view, items);
      return { changes: view.changes, value: decided };
    });
    if (captured.status === 'committed') {
      return conclude(project, captured.value, captured.lost, conflicts);
    }
    if (captured.status === 'locked') return undefined;
    if (captured.status === 'conflict') {
      const plans = [...new Set(items.map(({ submission }) => submission.plan))];
      await logConflict(project, items[0]!.now, plans, captured.conflicts, conflicts + 1);
      if (conflicts < MOST_CONFLICTS) continue;
    }
    if (items.length > 1) return captureApart(project, items);
    const reason = describeCommit(NOT_CAPTURED, captured);
    return new Map(items.map((item) => [item, { status: 'failed', reason }]));
  }
}

/** What one of several asked for may be what made all of them fail. */
async function captureApart<T extends CaptureItem>(
  project: CaptureProject,
  items: readonly T[],
): Promise<Map<T, CaptureEnd>> {
  const ends = new Map<T, CaptureEnd>();
  for (const item of items) {
    // Whoever did not let go of the lock for one does not for the next.
    const isLocked = [...ends.values()].at(-1) === LOCKED;
    const end = isLocked ? LOCKED : (await captureResults(project, () => [item]))?.get(item);
    ends.set(item, end ?? LOCKED);
  }
  return ends;
}

type Decisions<T> = Map<T, Decided | UserError>;

/** Each on top of what those before it change; one that cannot be judged changes nothing. */
function decideAll<T extends CaptureItem>(
  project: CaptureProject,
  view: CaptureContext['view'],
  items: readonly T[],
): Decisions<T> {
  const tree = openTree(project.workspace.root);
  const decisions: Decisions<T> = new Map();
  let snapshot = new ProjectSnapshot(view, project);
  for (const item of items) {
    try {
      const decided = view.staging(() => {
        const { changes, value } = decideResult({ view, project, snapshot, tree }, item);
        view.stage(changes);
        view.stage(item.removal ? [item.removal] : []);
        view.stage(item.also?.(view, value.result) ?? []);
        return value;
      });
      decisions.set(item, decided);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      decisions.set(item, error);
      snapshot = new ProjectSnapshot(view, project);
    }
  }
  return decisions;
}

/** What is still to be done once everything is in place. */
async function conclude<T extends CaptureItem>(
  project: CaptureProject,
  decisions: Decisions<T>,
  lost: readonly string[],
  conflicts: number,
): Promise<Map<T, CaptureEnd>> {
  const ends = new Map<T, CaptureEnd>();
  for (const [item, decided] of decisions) {
    if (decided instanceof Error) {
      ends.set(item, { status: 'failed', reason: `${NOT_CAPTURED}: ${decided.message}` });
      continue;
    }
    const { result, mark, firstOfDay } = decided;
    const reason = mark && lost.includes(mark.path) ? await markAgain(project, mark, item.now) : undefined;
    ends.set(
      item,
      reason === undefined
        ? { status: 'captured', result: { ...result, conflicts } }
        : { status: 'failed', reason },
    );
    if (firstOfDay) await rotateLogs(project, isoUtc(item.now).slice(0, DAY), { dryRun: false });
  }
  return ends;
}

/**
 * Another program put its own PLAN.md in place right behind ours: the result is in the log, and the plan does not say
 * so. The same mark is made on what is there now. Gives the reason where that does not help.
 */
async function markAgain(
  project: CaptureProject,
  { path, index, change }: StatusMark,
  now: Date,
): Promise<string | undefined> {
  for (let attempt = 1; attempt <= MOST_CONFLICTS; attempt++) {
    await logConflict(
      project,
      now,
      [path],
      [{ path, reason: 'was overwritten by another program' }],
      attempt,
    );
    const marked = await project.workspace.update((view) => {
      const found = readPlanAt(view, path);
      const edit = found && setTaskStatus(found.plan, index, change);
      return { changes: edit ? changesTo(view, path, edit.text) : [], value: undefined };
    });
    if (marked.status === 'committed' && marked.lost.length === 0) return undefined;
  }
  return `The result is logged, but another program keeps overwriting ${path}, so the file does not show it. Submit it again when that program has finished.`;
}
