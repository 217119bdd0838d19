import { TIP_LIMITS } from '../core/report/markdown.js';
import type { Run } from '../core/report/record.js';
import { UserError } from '../node/errors.js';
import { endProcesses } from '../node/process/end.js';
import {
  type CommitNote,
  openContext,
  openProcesses,
  type Progress,
  recordOfDead,
  type TurnMark,
} from '../runs/progress.js';
import { closeRun, completeRun, isUndecided } from '../runs/run-record.js';
import { projectState } from '../runs/turn-state.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import { RUN_RECORD } from '../workspace/runs/runs.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { concludeTurn } from './turn-in-hand.js';
import { Sessions } from './turns/sessions.js';

/**
 * Ends what killed processes left: commits are completed or discarded, commands of theirs that still run are ended, and
 * each of their runs gets its report. Gives those runs.
 */
export async function recoverRuns(workspace: Workspace): Promise<Run[]> {
  const recovery = await workspace.recover();
  if (recovery.status === 'locked') {
    throw new UserError(
      'Another teddy process has held the lock on this project for a minute. Try again when it has finished.',
    );
  }
  if (recovery.status === 'stopped') throw new UserError(recovery.reason);
  const ended: Run[] = [];
  for (const id of workspace.deadRuns()) {
    const run = await endDeadRun(workspace, id);
    if (run) ended.push(run);
  }
  return ended;
}

async function endDeadRun(workspace: Workspace, id: string): Promise<Run | undefined> {
  const folder = take(workspace, id);
  if (!folder) return undefined;
  try {
    if (workspace.readRunFile(id, RUN_RECORD) !== undefined) return undefined;
    folder.clearParts();
    const notes = workspace.runNotes(id);
    const progress = notes.progress as Progress[];
    const commits = notes.commits as CommitNote[];
    const draft = recordOfDead(progress, commits);
    // Not of this user's making: a repository may bring anything.
    if (!draft) return undefined;
    await endProcesses(openProcesses(progress), 0);
    const run = completeRun(draft);
    const turn = progress.find((entry) => entry.kind === 'begun')?.turn;
    // A plan of which nothing was approved yet waits on.
    if (turn && !isUndecided(run) && (await endTurn(workspace, turn, run))) return run;
    const context = turn ? [] : openContext(progress, commits);
    if (context.length > 0) {
      const state = projectState(workspace, openTree(workspace.root), id);
      await state.changeContext(context, () => ({ kind: 'context' }));
    }
    closeRun(folder, run, TIP_LIMITS);
    return run;
  } finally {
    folder.close();
  }
}

/** Concludes the turn that the run was of, and with it the run; false where the turn is not there as it was. */
async function endTurn(workspace: Workspace, { session, turn }: TurnMark, run: Run): Promise<boolean> {
  try {
    const sessions = new Sessions(workspace);
    await concludeTurn(workspace, sessions, sessions.readTurn(session, turn), run);
    return true;
  } catch {
    // A turn that cannot be concluded is no reason to lock everybody out of the project.
    return false;
  }
}

/** One odd folder among the runs is no reason not to go on. */
function take(workspace: Workspace, id: string): RunFolder | undefined {
  try {
    return workspace.takeRun(id);
  } catch {
    return undefined;
  }
}
