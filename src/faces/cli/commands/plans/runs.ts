import type { Overall } from '../../../../core/report/record.js';
import { UserError } from '../../../../node/errors.js';
import { listRuns, type RunSummary } from '../../../../runs/run-list.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import { plural } from '../../words.js';

const pruneRunsCommand = new TeddyCommand('prune')
  .description('delete the oldest runs; they can no longer be undone')
  .requiredOption('--keep <n>', 'required: how many of the newest to keep')
  .run(pruneRuns)
  .helpText(`Examples:
  teddy runs prune --keep 20        delete all but the last 20
  teddy runs prune --keep 1         delete all but the last one
  teddy runs prune --keep 20 --json`);

export const runsCommand = new TeddyCommand('runs')
  .description('list the runs in this project, newest first')
  .run(runs)
  .helpText(`Examples:
  teddy runs
  teddy runs --json
  teddy runs prune --keep 20        delete all but the last 20`)
  .addCommand(pruneRunsCommand);

export async function runs(options: GlobalOptions): Promise<number> {
  const { root, workspace } = await openProject(options);
  const list = listRuns(workspace);
  printResult(root, options, list, (paint) => runListWords(list, paint));
  return 0;
}

export async function pruneRuns({ keep, ...options }: GlobalOptions & { keep: string }): Promise<number> {
  if (!/^\d{1,9}$/.test(keep)) throw new UserError(`--keep ${visibleLine(keep)} is not a whole number.`);
  const { root, workspace } = await openProject(options);
  const result = await workspace.pruneRuns(Number(keep));
  if (result.status === 'locked')
    throw new UserError('Another teddy process holds the lock on this project.');
  if (result.status === 'failed') throw new UserError(`The runs could not be deleted (${result.reason}).`);
  const { removed } = result;
  printResult(root, options, { removed }, () => describePruned(removed.length, Number(keep)));
  return 0;
}

function describePruned(removed: number, keep: number): string {
  const kept = keep === 0 ? ' The last run is always kept.' : '';
  if (removed === 0) return `No run was deleted.${kept}\n`;
  return `${plural(removed, 'run')} deleted and can no longer be undone.${kept}\n`;
}

const COLOURS: Record<Overall, 'green' | 'yellow' | 'red'> = {
  Completed: 'green',
  Partial: 'yellow',
  Skipped: 'yellow',
  Failed: 'red',
};

export function runListWords(list: readonly RunSummary[], paint: Paint): string {
  if (list.length === 0) return 'There are no runs here yet.\n';
  const lines = list
    .map(({ id, title, overall, undone, left, interrupted, foreign }) => {
      const undoneWords = undone ? [left ? 'undone in part' : 'undone'] : [];
      const marks = [
        ...(foreign ? ['foreign'] : []),
        ...(interrupted ? ['interrupted'] : []),
        ...undoneWords,
      ].join(', ');
      const words = [
        paint('bold', id),
        paint(COLOURS[overall], overall.padEnd('Completed'.length)),
        visibleLine(title ?? 'Unreadable plan'),
        ...(marks === '' ? [] : [paint('dim', `(${marks})`)]),
      ];
      return `${words.join('  ')}\n`;
    })
    .join('');
  return lines + (list.some(({ foreign }) => foreign) ? FOREIGN : '');
}

const FOREIGN = `A foreign run was recorded by another user, with another HOME or in another project, or its record was changed.
It cannot be undone, never counts as the last run, and is not pruned.
`;
