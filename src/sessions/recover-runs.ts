import { SETTINGS } from '../config/schema.js';
import { TIP_LIMITS } from '../core/report/markdown.js';
import type { Run } from '../core/report/record.js';
import { UserError } from '../node/errors.js';
import { endProcesses } from '../node/process/end.js';
import {
  type CommitNote,
  openCommand,
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
import type { CommandChanges } from '../workspace/snapshot/snapshot.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { concludeTurn } from './running-turn.js';
import { Sessions } from './turns/sessions.js';

/**
 * Recovers from killed processes: completes or discards their commits, ends their commands and writes the
 * reports of their runs, which it returns.
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
    const progress = workspace.runNotes(id).progress as Progress[];
    // No journal of this user: a repository may contain any files.
    if (!progress.some(({ kind }) => kind === 'begun')) return undefined;
    await endProcesses(openProcesses(progress), 0);
    const commits = await recoverCommand(workspace, id, progress);
    const run = completeRun(recordOfDead(progress, commits)!);
    const turn = progress.find((entry) => entry.kind === 'begun')?.turn;
    // A plan without a decision stays open.
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

/** Records what the command did that was under way. Gives the notes of all commits and commands. */
async function recoverCommand(
  workspace: Workspace,
  id: string,
  progress: readonly Progress[],
): Promise<CommitNote[]> {
  const number = openCommand(progress);
  const noteOf = (changes: CommandChanges): CommitNote => ({ kind: 'command', number: number!, changes });
  const compared =
    number === undefined ? undefined : await workspace.compareInterrupted(id, UNDO_LIMITS, noteOf);
  const commits = workspace.runNotes(id).commits as CommitNote[];
  // Where nothing changed, there is no note.
  const isUnchanged = compared?.status === 'compared' && compared.changes.changed.length === 0;
  return isUnchanged ? [...commits, noteOf(compared.changes)] : commits;
}

const UNDO_LIMITS = { maxFile: SETTINGS.undo.maxFile.fallback, maxTotal: SETTINGS.undo.maxTotal.fallback };

/** Concludes the turn of the run and thereby the run; false if the turn has changed. */
async function endTurn(workspace: Workspace, { session, turn }: TurnMark, run: Run): Promise<boolean> {
  try {
    const sessions = new Sessions(workspace);
    await concludeTurn(workspace, sessions, sessions.readTurn(session, turn), run);
    return true;
  } catch {
    // A turn that cannot be concluded must not lock users out of the project.
    return false;
  }
}

/** An unreadable run folder must not stop the recovery. */
function take(workspace: Workspace, id: string): RunFolder | undefined {
  try {
    return workspace.takeRun(id);
  } catch {
    return undefined;
  }
}
