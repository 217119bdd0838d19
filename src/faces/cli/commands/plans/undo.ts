import { UserError } from '../../../../node/errors.js';
import { explainForeign, findRun, listRuns, type UndoneRun, undoRun } from '../../../../runs/run-list.js';
import { describeUncommitted } from '../../../../workspace/commit/change.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';
import { plural } from '../../words.js';

interface Options extends GlobalOptions {
  dryRun?: boolean;
}

export const undoCommand = new TeddyCommand('undo')
  .description('put the files back as they were before a run')
  .argument('[run]', 'the id of the run, or its beginning or end (default: the last one)')
  .option('--dry-run', 'only say what would be put back')
  .run(undo)
  .helpText(`Examples:
  teddy undo                        the last run
  teddy undo 20260115-093000-k3x9   that run
  teddy undo k3x9 --dry-run         what would be put back

A file that was changed since the run is left as it is, and named. What
commands did is not undone.

Exit codes: 0 all of it put back (or undone before), 1 some files were left,
2 there is no such run.`);

export async function undo(named: string | undefined, options: Options): Promise<number> {
  const { root, workspace } = await openProject(options);
  const found = findRun(workspace, named);
  if (found.status === 'missing') throw new UserError(visibleLine(found.reason));
  if (found.origin !== 'own') throw new UserError(`Cannot undo: ${explainForeign(found)}`);
  const dryRun = options.dryRun ?? false;
  const undone = await undoRun(workspace, found.run, { dryRun });
  const { result, commands, wasUndone } = undone;
  // Its journal may be gone by now, and so may what it would have to say.
  const isGone = wasUndone && result.status === 'unknown';
  if (result.status !== 'undone' && !isGone) throw new UserError(explain(result));
  const { restored, refused } = result.status === 'undone' ? result : { restored: [], refused: [] };
  const nothingLeft = wasUndone && restored.length === 0 && refused.length === 0;
  const json = { run: found.run.id, wasUndone, dryRun, restored, refused, commands };
  printResult(root, options, json, (paint) =>
    nothingLeft ? describeBefore(found.run.id, workspace) : toWords(undone, restored, refused, dryRun, paint),
  );
  return refused.length > 0 ? 1 : 0;
}

function describeBefore(id: string, workspace: Workspace): string {
  const runs = listRuns(workspace);
  const older = runs.slice(runs.findIndex((run) => run.id === id) + 1);
  const earlier = older.find(({ undone, foreign }) => !undone && !foreign);
  const next = earlier ? ` The run before it is ${earlier.id}: teddy undo ${earlier.id}` : '';
  return `${id} was undone already.${next}\n`;
}

type Failed = Exclude<UndoneRun['result'], { status: 'undone' }>;

function explain(result: Failed): string {
  switch (result.status) {
    case 'unknown':
      return 'Cannot undo: the journal of this run is missing or damaged.';
    case 'conflict':
    case 'refused':
      return `Nothing was undone: ${visibleLine(describeUncommitted(result))}.`;
    case 'locked':
      return 'Nothing was undone: another teddy holds the lock on this project.';
    case 'failed':
    case 'stuck':
      return `It could not be undone (${result.reason}).`;
  }
}

function toWords(
  { run, commands }: UndoneRun,
  restored: readonly string[],
  refused: readonly { path: string; reason: string }[],
  dryRun: boolean,
  paint: Paint,
): string[] {
  const verb = dryRun ? 'would be put back' : 'put back';
  const title = visibleLine(run.plan.title ?? 'Unreadable plan');
  return [
    `${paint('bold', run.id)}  ${title}: ${plural(restored.length, 'file')} ${verb}`,
    ...restored.map((path) => `  ${paint('green', visibleLine(path))}`),
    ...(refused.length > 0 ? [`Left as ${refused.length === 1 ? 'it is' : 'they are'}:`] : []),
    ...refused.map(({ path, reason }) => `  ${paint('yellow', visibleLine(path))} ${visibleLine(reason)}`),
    ...(commands.length > 0 ? ['Commands that ran; what they did is not undone:'] : []),
    ...commands.map(
      ({ number, description }) =>
        `  action ${number} EXECUTE${description === null ? '' : `: ${visibleLine(description)}`}`,
    ),
  ];
}
