import type { Run } from '../../../../core/report/record.js';
import { UserError } from '../../../../node/errors.js';
import { chooseUndo, type PassedOver, type UndoneRun, undoRun } from '../../../../runs/undo-run.js';
import { describeUncommitted } from '../../../../workspace/commit/change.js';
import type { RestoredFiles } from '../../../../workspace/runs/restored-files.js';
import type { UndoResult } from '../../../../workspace/runs/undo.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { pathsMeant } from '../../input.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import { showProgress } from '../../terminal/progress-line.js';
import { fileLines, leftoverLines, runLine } from './undo-lines.js';

interface Options extends GlobalOptions {
  dryRun?: boolean;
  force?: string;
}

export const undoCommand = new TeddyCommand('undo')
  .description('restore the files that a run changed; repeat it to go further back')
  .argument('[run]', 'the id of the run, or its first or last characters (default: the newest not undone)')
  .option('--dry-run', 'show what would be restored, and change nothing')
  .option('--force <file>', 'restore this file even if it was changed after the run')
  .run(undo)
  .helpText(`Examples:
  teddy undo                        undo the last run; again: the run before
  teddy undo --dry-run              show what would be restored
  teddy undo 20260115-093000-k3x9   undo this run, whatever came after it
  teddy undo k3x9 --force src/a.ts  restore src/a.ts, too, over later changes

Files that a command changed are restored like those of other actions. Ignored
files, .git, files above a limit (undo.maxFile) and everything outside the
project are not. A file that was changed after the run is left as it is and
listed; teddy diff RUN FILE prints its old text. teddy redo reverts an undo.

Exit codes: 0 everything was restored (or was undone before), 1 some files were
left as they are, 2 there is nothing to undo, or no such run.`);

export async function undo(named: string | undefined, options: Options): Promise<number> {
  const { root, workspace } = await openProject(options);
  const chosen = await chooseUndo(workspace, named);
  if (chosen.status === 'missing') throw new UserError(visibleLine(chosen.reason));
  const dryRun = options.dryRun ?? false;
  const undone = await showProgress(workspace, 'Undoing', options, () =>
    undoForced(workspace, chosen.run, dryRun, options.force),
  );
  const files = requireUndone(undone);
  const { wasUndone, commands, run } = undone;
  const passedOver = chosen.passedOver.map(({ id }) => id);
  const json = { run: run.id, wasUndone, dryRun, ...files, commands, passedOver };
  printResult(root, options, json, (paint) => [
    ...chosen.passedOver.map((each) => describePassedOver(each, paint)),
    ...toWords(undone, files, dryRun, paint),
  ]);
  const isLeft = files.refused.length > 0 || commands.some(({ unrestorable }) => unrestorable.length > 0);
  return isLeft ? 1 : 0;
}

/** Undoes a run, and gives the lines for the user. Throws `UserError` where there is nothing to undo. */
export async function undoLines(
  workspace: Workspace,
  named: string | undefined,
  paint: Paint,
): Promise<string[]> {
  const chosen = await chooseUndo(workspace, named);
  if (chosen.status === 'missing') throw new UserError(visibleLine(chosen.reason));
  const undone = await undoRun(workspace, chosen.run, { dryRun: false });
  return [
    ...chosen.passedOver.map((each) => describePassedOver(each, paint)),
    ...toWords(undone, requireUndone(undone), false, paint),
  ];
}

/** With a file that is restored in any case, if one is named. */
async function undoForced(
  workspace: Workspace,
  run: Run,
  dryRun: boolean,
  file: string | undefined,
): Promise<UndoneRun> {
  for (const force of file === undefined ? [] : pathsMeant(workspace.root, file)) {
    const undone = await undoRun(workspace, run, { dryRun, force });
    if (undone.result.status !== 'not-changed') return undone;
  }
  if (file !== undefined)
    throw new UserError(`Nothing was undone: ${run.id} did not change ${visibleLine(file)}.`);
  return undoRun(workspace, run, { dryRun });
}

/** A run that was undone may have lost its journal, which is no longer needed. */
function requireUndone({ result, wasUndone }: UndoneRun): RestoredFiles {
  if (result.status === 'undone') {
    const { restored, deleted, refused } = result;
    return { restored, deleted, refused };
  }
  if (wasUndone && result.status === 'unknown') return { restored: [], deleted: [], refused: [] };
  throw new UserError(explain(result));
}

function explain(result: Exclude<UndoResult, { status: 'undone' }>): string {
  switch (result.status) {
    case 'unknown':
      return 'Cannot undo: the journal of this run is missing or damaged.';
    case 'not-changed':
      return 'Nothing was undone: the run did not change that file.';
    case 'changed':
      return 'Nothing was undone: files have changed since the preview.';
    case 'failed':
    case 'stuck':
      return `The undo failed (${result.reason}).`;
    default:
      return `Nothing was undone: ${visibleLine(describeUncommitted(result))}.`;
  }
}

function describePassedOver({ id, title }: PassedOver, paint: Paint): string {
  return paint('dim', `${id}  ${visibleLine(title ?? 'Unreadable plan')}: nothing to undo, skipped`);
}

function toWords(
  { run, commands, wasUndone }: UndoneRun,
  files: RestoredFiles,
  dryRun: boolean,
  paint: Paint,
): string[] {
  if (wasUndone && files.restored.length + files.refused.length === 0)
    return [`${run.id} was undone already.`];
  return [
    runLine(run, dryRun ? 'dry run, nothing changes' : 'undone', paint),
    ...fileLines(files, { dryRun, other: 'old text', run: run.id }, paint),
    ...leftoverLines(commands, files.refused),
    ...(dryRun ? [] : ['Revert this undo with: teddy redo']),
  ];
}
