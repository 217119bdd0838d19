import { runOf } from '../../runs/run-list.js';
import { type UndoneRun, undoRun } from '../../runs/undo-run.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { UndoPreview } from './api.js';

/** What undoing a run restores and leaves, as sentences; with `dryRun` nothing is done. Undefined where there is no such run. */
export async function undoOnPage(
  workspace: Workspace,
  id: string,
  { dryRun }: { dryRun: boolean },
): Promise<UndoPreview | undefined> {
  const read = runOf(workspace, id);
  if (read?.origin !== 'own') return undefined;
  const undone = await undoRun(workspace, read.run, { dryRun });
  return describeUndo(undone);
}

function describeUndo({ result, commands, wasUndone }: UndoneRun): UndoPreview {
  const leaves = commands.map(
    ({ number, description }) =>
      `The command of action ${number}${description === null ? '' : ` (${description})`} is not undone.`,
  );
  if (result.status !== 'undone') {
    const why = 'reason' in result ? ` (${result.reason})` : '';
    return { canUndo: false, restores: [], leaves: [`This run cannot be undone${why}.`] };
  }
  const gone = new Set(result.deleted);
  const restores = result.restored.map((path) => (gone.has(path) ? `Deletes ${path}.` : `Restores ${path}.`));
  const left = result.refused.map(({ path, reason }) => `Leaves ${path} as it is: it ${reason}.`);
  return {
    canUndo: restores.length > 0,
    restores,
    leaves: [...(wasUndone ? ['This run was undone before.'] : []), ...left, ...leaves],
  };
}
