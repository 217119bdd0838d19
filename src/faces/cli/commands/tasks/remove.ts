import { UserError } from '../../../../node/errors.js';
import { exit } from '../../../../node/terminal/terminal.js';
import type { TaskRef } from '../../../../tasks/types.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { findProject } from '../../project.js';
import { changeAndPrint } from './change-lines.js';
import { listIds } from './task-lines.js';

interface Options extends GlobalOptions {
  yes?: boolean;
}

export const removeTaskCommand = new TeddyCommand('remove')
  .description('remove a task without results from its file')
  .argument('<id>', 'task file and position from 1: 03-01:2')
  .option('-y, --yes', 'remove it although other tasks depend on it')
  .run(remove)
  .helpText(`Examples:
  teddy task remove 03-01:4
  teddy task remove 03-01:2 --yes
  teddy task remove 03-01:4 --json

The tasks after it get new ids, and references to them are renumbered. What
depended on it depends on what it depended on. Revert it with teddy undo.`);

async function remove(id: string, { yes, ...options }: Options): Promise<number> {
  const { root } = findProject(options);
  const ask = (task: TaskRef, dependents: readonly TaskRef[]) => askToRemove(root, task, dependents, options);
  return changeAndPrint((at) => ({ kind: 'remove', id: taskFromRoot(at, id) }), 'removed', {
    ...options,
    ...(!yes && { approve: ask }),
  });
}

async function askToRemove(
  root: string,
  { id, name }: TaskRef,
  dependents: readonly TaskRef[],
  options: GlobalOptions,
): Promise<void> {
  const { confirm } = await import('../../review/terminal-review.js');
  const answer = await confirm(
    {
      root,
      title: `Remove ${id}?`,
      about: 'These tasks depend on it. They will depend on what it depends on.',
      texts: [
        { name: id, text: name },
        { name: 'Depends on it', text: dependents.map((each) => `${each.id}  ${each.name}`).join('\n') },
      ],
      yes: 'remove it',
      no: 'keep it',
    },
    options,
  );
  if (answer === 'yes') return;
  if (answer === 'interrupted') exit(130);
  const shown = visibleLine(id);
  const verb = dependents.length === 1 ? 'depends' : 'depend';
  throw new UserError(
    answer === 'no'
      ? `${shown} was not removed.`
      : `${shown} was not removed: ${listIds(dependents.map((each) => each.id))} ${verb} on it. To remove it anyway: teddy task remove ${shown} --yes`,
  );
}
