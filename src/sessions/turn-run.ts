import type { Run } from '../core/report/record.js';
import type { Progress } from '../runs/progress.js';
import { runOf } from '../runs/run-list.js';
import { isUndecided } from '../runs/run-record.js';
import type { Workspace } from '../workspace/workspace.js';
import type { TurnMeta } from './turns/types.js';

/**
 * The run that carried out the plan of a turn and is over; not one that was refused or left, which did nothing. What a run
 * was of stands in its journal, which only this user's teddy can have written.
 */
export function findRunOfTurn(workspace: Workspace, meta: TurnMeta): Run | undefined {
  for (const id of workspace.runs().reverse()) {
    const begun = (workspace.runNotes(id).progress as Progress[]).find(({ kind }) => kind === 'begun');
    if (begun?.kind !== 'begun' || begun.turn?.session !== meta.session) continue;
    // A session goes from turn to turn: before this one's runs there are only those of others.
    if (begun.turn.turn !== meta.turn) return undefined;
    const read = runOf(workspace, id);
    if (read?.origin !== 'own' || read.run.refused || isUndecided(read.run)) continue;
    if (isSamePlan(begun, meta)) return read.run;
  }
  return undefined;
}

/** A turn may have been planned again since: it is the same only where its plan came at the same time. */
function isSamePlan({ run, turn }: Extract<Progress, { kind: 'begun' }>, meta: TurnMeta): boolean {
  const plannedAt = Date.parse(meta.plannedAt ?? meta.madeAt);
  // Older versions did not note it.
  if (turn?.plannedAt === undefined) return Date.parse(run.startedAt) >= plannedAt;
  return Date.parse(turn.plannedAt) === plannedAt;
}
