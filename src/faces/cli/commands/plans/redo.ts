import { UserError } from '../../../../node/errors.js';
import { redoRun } from '../../../../runs/undo-run.js';
import { describeUncommitted } from '../../../../workspace/commit/change.js';
import type { RestoredFiles } from '../../../../workspace/runs/restored-files.js';
import type { RedoResult } from '../../../../workspace/runs/undo.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import { showProgress } from '../../terminal/progress-line.js';
import { commandLines, fileLines, runLine } from './undo-lines.js';

export const redoCommand = new TeddyCommand('redo')
  .description('revert the last undo')
  .run(redo)
  .helpText(`Examples:
  teddy redo                        bring back what the undo reverted
  teddy undo && teddy redo          compare both states, then keep the changes
  teddy redo --json                 for scripts

Repeat it to revert the undo before. It changes nothing if one of the files was
changed after the undo. Commands are not run again.

Exit codes: 0 the undo was reverted, 1 a file was changed after the undo,
2 there is nothing to redo.`);

export async function redo(options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const redone = await showProgress(workspace, 'Redoing', options, () => redoRun(workspace));
  if (redone.status === 'missing') throw new UserError(visibleLine(redone.reason));
  const { run, commands, result } = redone;
  if (result.status !== 'redone' && result.status !== 'changed') throw new UserError(explain(result));
  const isDone = result.status === 'redone';
  const files: RestoredFiles = isDone
    ? { restored: result.restored, deleted: result.deleted, refused: [] }
    : { restored: [], deleted: [], refused: result.refused };
  printResult(root, options, { run: run.id, ...files, commands }, (paint) => [
    runLine(run, isDone ? 'redone' : 'not redone, nothing was changed', paint),
    ...fileLines(files, { other: "run's text" }, paint),
    ...(isDone ? commandLines('Commands are not run again:', commands) : []),
  ]);
  return isDone ? 0 : 1;
}

function explain(result: Exclude<RedoResult, { status: 'redone' | 'changed' }>): string {
  switch (result.status) {
    case 'unknown':
      return 'Cannot redo: the journal of the undo is missing or damaged.';
    case 'failed':
    case 'stuck':
      return `The redo failed (${result.reason}).`;
    default:
      return `Nothing was redone: ${visibleLine(describeUncommitted(result))}.`;
  }
}
