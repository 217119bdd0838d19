import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { briefTask } from '../../../../orchestrate/brief-task.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import { type GlobalOptions, printResult, visible } from '../../output.js';
import { openToPreview } from '../../project.js';

export const briefTaskCommand = new TeddyCommand('brief')
  .description("print the prompt that a task's executor would get")
  .argument('<id>', 'task file and position from 1: 03-01:2')
  .run(brief)
  .helpText(`Examples:
  teddy task brief 03-01:2
  teddy task brief 03-01:2 | claude -p
  teddy task brief 03-01:2 --json

It is the prompt of the next attempt: with your instruction and the failures
so far. Nothing is started; submit a result with teddy result submit.`);

async function brief(id: string, options: GlobalOptions): Promise<number> {
  const { root, workspace, config } = await openToPreview(options);
  const briefed = await briefTask(taskFromRoot(root, id), {
    workspace,
    config,
    environment: environmentVariables(),
  });
  printResult(root, options, briefed, () => visible(briefed.prompt));
  return 0;
}
