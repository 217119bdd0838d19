import { maskerFor } from '../../../../config/redactor.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { requireWord } from '../../../../tasks/capture-results.js';
import { type StartedTask, startTask as start } from '../../../../tasks/plans/change-task.js';
import { TeddyCommand } from '../../command.js';
import { taskFromRoot } from '../../input.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { noteLines } from '../results/result-lines.js';
import { openToWrite } from './open.js';
import { taskTitle } from './task-lines.js';

interface Options extends GlobalOptions {
  session?: string;
}

export const startTaskCommand = new TeddyCommand('start')
  .description('record that you are working on a task')
  .argument('<id>', 'task file and position from 1: 03-01:2')
  .option('--session <id>', 'start or continue this batch of results')
  .run(startTask)
  .helpText(`Examples:
  teddy task start 03-01:2
  teddy task start 03-01:2 --session evening
  teddy task start 03-01:2 --json`);

async function startTask(named: string, options: Options): Promise<number> {
  requireWord('--session', options.session);
  const project = await openToWrite(options);
  const mask = maskerFor(null, environmentVariables());
  const started = await start(project, taskFromRoot(project.workspace.root, named), {
    ...(options.session !== undefined && { session: mask(options.session) }),
  });
  const { id, name, session, attempts, startedBefore } = started;
  const json = { id, name, status: 'in_progress', session, attempts, startedBefore };
  printResult(project.workspace.root, options, json, (paint) => toWords(started, paint));
  return 0;
}

function toWords(started: StartedTask, paint: Paint): string[] {
  const { session, attempts, startedBefore } = started;
  const message = `It was already started at ${startedBefore}, and no result has arrived since.`;
  return [
    `${taskTitle(started, paint)}: ${paint('cyan', 'in progress')} (attempt ${attempts}, batch ${visibleLine(session)})`,
    ...(startedBefore === null ? [] : noteLines([{ severity: 'warning', message }], paint)),
  ];
}
