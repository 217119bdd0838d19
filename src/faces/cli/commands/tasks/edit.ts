import { UserError } from '../../../../node/errors.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import { changeAndPrint, namedTasks } from './change-lines.js';

interface Options extends GlobalOptions {
  name?: string;
  files?: string[];
  verify?: string;
  action?: string;
  done?: string;
  after?: string[];
}

export const editTaskCommand = new TeddyCommand('edit')
  .description('change what a task says; the rest of its file stays as it is')
  .argument('<id>', 'task file and position from 1: 03-01:2')
  .option('--name <name>', 'its name; its checkbox and references get it too')
  .option('--files <file...>', 'the files that it may change')
  .option('--verify <command>', 'the command that proves it done')
  .option('--action <text>', 'what its executor must do')
  .option('--done <text>', 'when it is done')
  .option('--after <id...>', 'the tasks that it waits for, of the same file')
  .run(edit)
  .helpText(`Examples:
  teddy task edit 03-01:2 --verify 'npm test -- http'
  teddy task edit 03-01:2 --name 'Retry three times' --files src/http.ts
  teddy task edit 03-01:4 --after 03-01:1 03-01:2

A task with results keeps its name, because they refer to it by name. Revert a
change with teddy undo.`);

async function edit(id: string, options: Options): Promise<number> {
  const { name, verify, action, done } = options;
  const [files, after] = [options.files, options.after].map((each) => each && namedTasks(each));
  const change = { name, files, verify, action, done, after };
  if (Object.values(change).every((each) => each === undefined))
    throw new UserError(
      `Say what to change of ${visibleLine(id)}: --name, --files, --verify, --action, --done or --after.`,
    );
  return changeAndPrint(
    (root) => ({ kind: 'edit', id: taskFromRoot(root, id), ...change }),
    'changed',
    options,
  );
}
