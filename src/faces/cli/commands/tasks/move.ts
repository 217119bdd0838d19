import { UserError } from '../../../../node/errors.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { changeAndPrint } from './change-lines.js';

export const moveTaskCommand = new TeddyCommand('move')
  .description('move a task to another position of its file')
  .argument('<id>', 'task file and position from 1: 03-01:4')
  .requiredOption('--to <position>', 'its new position, from 1')
  .run(move)
  .helpText(`Examples:
  teddy task move 03-01:4 --to 2
  teddy task move 03-01:4 --to 1 --json
  teddy task move .planning/03-01-PLAN.md:4 --to 2

The tasks between get new ids, and references to them are renumbered. Names keep
their numbers. Tasks with results keep their ids, so nothing moves across them.
Revert it with teddy undo.`);

async function move(id: string, { to, ...options }: GlobalOptions & { to: string }): Promise<number> {
  if (!/^[1-9]\d{0,5}$/.test(to))
    throw new UserError(`--to ${visibleLine(to)} is not a position, such as 2.`);
  return changeAndPrint(
    (root) => ({ kind: 'move', id: taskFromRoot(root, id), to: Number(to) }),
    `moved from ${visibleLine(id)}`,
    options,
  );
}
