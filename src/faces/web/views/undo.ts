import type { Run } from '../../../core/report/record.js';
import { runOf } from '../../../runs/run-list.js';
import { type UndoneRun, undoRun } from '../../../runs/undo-run.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { UndoPreview } from '../api.js';
import { ApiProblem } from '../requests.js';

/** What undoing a run would restore and leave, as sentences. Undefined where there is no such run. */
export async function previewOnPage(workspace: Workspace, id: string): Promise<UndoPreview | undefined> {
  const run = findOwn(workspace, id);
  return run && describeUndo(await undoRun(workspace, run, { dryRun: true }));
}

/** Does what the preview with this hash showed; throws `ApiProblem` where that has changed. */
export async function undoOnPage(
  workspace: Workspace,
  id: string,
  preview: string,
): Promise<UndoPreview | undefined> {
  const run = findOwn(workspace, id);
  if (run === undefined) return undefined;
  const undone = await undoRun(workspace, run, { preview });
  if (undone.result.status === 'changed')
    throw new ApiProblem(409, 'What the undo does has changed. Look at it again.');
  return describeUndo(undone);
}

/** An id from an address may be any text. */
function findOwn(workspace: Workspace, id: string): Run | undefined {
  const read = workspace.runs().includes(id) ? runOf(workspace, id) : undefined;
  return read?.origin === 'own' ? read.run : undefined;
}

function describeUndo({ result, commands, wasUndone }: UndoneRun): UndoPreview {
  const leaves = commands.flatMap(({ number, description, recorded, unrestorable, moved }) => [
    recorded
      ? `What the command of action ${number}${nameOf(description)} did to ignored files, nested git repositories and outside the project is not undone.`
      : `The command of action ${number}${nameOf(description)} is not undone.`,
    ...unrestorable.map(({ path, reason }) => `Leaves ${path} as it is: it ${reason}.`),
    ...moved.map(({ name, revert }) => `Leaves ${name} of git where it is; to move it back: ${revert}`),
  ]);
  if (result.status !== 'undone') {
    const why = 'reason' in result ? ` (${result.reason})` : '';
    return { hash: '', canUndo: false, restores: [], leaves: [`This run cannot be undone${why}.`] };
  }
  const gone = new Set(result.deleted);
  const restores = result.restored.map((path) => (gone.has(path) ? `Deletes ${path}.` : `Restores ${path}.`));
  const left = result.refused.map(({ path, reason }) => `Leaves ${path} as it is: it ${reason}.`);
  return {
    hash: result.preview,
    canUndo: restores.length > 0,
    restores,
    leaves: [...(wasUndone ? ['This run was undone before.'] : []), ...left, ...leaves],
  };
}

function nameOf(description: string | null): string {
  return description === null ? '' : ` (${description})`;
}
