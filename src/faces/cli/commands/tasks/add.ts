import { PLAN, TeddyCommand } from '../../command.js';
import { planFromRoot } from '../../input.js';
import type { GlobalOptions } from '../../output.js';
import { changeAndPrint, namedTasks } from './change-lines.js';

interface Options extends GlobalOptions {
  plan: string;
  files?: string[];
  verify?: string;
  action?: string;
  done?: string;
  after?: string[];
}

export const addTaskCommand = new TeddyCommand('add')
  .description('add a task to a task file')
  .argument('<name>', 'what it does, on one line; it gets the next number if the others have one')
  .requiredOption('--plan <plan>', PLAN)
  .option('--files <file...>', 'the files that it may change')
  .option('--verify <command>', 'the command that proves it done')
  .option('--action <text>', 'what its executor must do (default: its name)')
  .option('--done <text>', 'when it is done (default: when the command succeeds)')
  .option('--after <id...>', 'the tasks that it waits for, of the same file')
  .run(add)
  .helpText(`Examples:
  teddy task add 'Write the docs' --plan 03-01
  teddy task add 'Retry twice' --plan 03-01 --files src/http.ts --verify 'npm test -- http'
  teddy task add 'Measure it' --plan 03-01 --after 03-01:1 03-01:2

It is added at the end. In a file whose tasks are done in their order, --after
puts it right behind the last task that it waits for; later ones are renumbered.
Revert it with teddy undo.`);

async function add(name: string, options: Options): Promise<number> {
  const { files = [], verify = null, action = null, done = null, after = [] } = options;
  const words = { files: namedTasks(files), verify, action, done, after: namedTasks(after) };
  return changeAndPrint(
    (root) => ({ kind: 'add', plan: planFromRoot(root, options.plan), name, ...words }),
    'added',
    options,
  );
}
