import { readPlan } from '../formats/plan/index.js';
import type { Run, TipLimits } from '../formats/report/index.js';
import { environmentVariables, killGroup, systemName, Unusable } from '../platform/index.js';
import {
  type CommitNote,
  notReached,
  openContext,
  openProcesses,
  type Progress,
  recordOfDead,
} from '../run/index.js';
import { projectState } from '../session/index.js';
import { openTree, RUN_RECORD, type Workspace } from '../workspace/index.js';
import { redactorFor } from './redactor.js';
import { closeRun, draftRun, PLAN_COPY } from './run-record.js';

/**
 * Ends what killed processes left: commits are completed or discarded, commands of theirs that still run are ended, and
 * each of their runs gets its report. Gives those runs. Cheap where there is nothing to do.
 */
export async function recoverRuns(workspace: Workspace, tip: TipLimits): Promise<Run[]> {
  if (!workspace.isUnfinished()) return [];
  const recovery = await workspace.recover();
  if (recovery.status === 'locked') {
    throw new Unusable(
      'Another teddy has held the lock on this project for a minute; try again when it is done.',
    );
  }
  if (recovery.status === 'stopped') throw new Unusable(recovery.reason);
  const ended: Run[] = [];
  for (const id of workspace.deadRuns()) {
    const run = await endDeadRun(workspace, id, tip);
    if (run) ended.push(run);
  }
  return ended;
}

async function endDeadRun(workspace: Workspace, id: string, tip: TipLimits): Promise<Run | undefined> {
  const folder = workspace.beginRun(id);
  if (!folder) return undefined;
  try {
    if (workspace.readRunFile(id, RUN_RECORD) !== undefined) return undefined;
    folder.clearParts();
    const notes = workspace.runNotes(id);
    const progress = notes.progress as Progress[];
    const commits = notes.commits as CommitNote[];
    const draft = recordOfDead(progress, commits) ?? draftUnbegun(workspace, id);
    if (!draft) {
      workspace.removeRun(id);
      return undefined;
    }
    for (const mark of openProcesses(progress)) killGroup(mark);
    const context = openContext(progress, commits);
    if (context.length > 0) {
      const state = projectState(workspace, openTree(workspace.root), id);
      await state.changeContext(context, () => ({ kind: 'context' }));
    }
    return closeRun(folder, draft, tip);
  } finally {
    folder.close();
  }
}

/** A run that was cut off before its first note: there may be no more of it than the plan as it came. */
function draftUnbegun(workspace: Workspace, id: string): Omit<Run, 'overall'> | undefined {
  const text = workspace.readRunFile(id, PLAN_COPY);
  if (text === undefined) return undefined;
  const { plan, issues } = readPlan(text);
  const [, day = '', time = ''] = /^(\d{8})-(\d{6})/.exec(id) ?? [];
  const startedAt = `${day.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}.000Z`;
  const path = `.teddy/runs/${id}/${PLAN_COPY}`;
  const facts = { id, startedAt, environment: { os: systemName(), cwd: workspace.root }, path };
  const redactor = redactorFor(plan, environmentVariables());
  const draft = draftRun(facts, plan, issues, notReached);
  return redactor.maskAll({ ...draft, interrupted: 'The process of this run ended before the run began.' });
}
