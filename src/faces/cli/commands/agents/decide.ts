import { findRecords, keepDecision } from '../../../../agents/records.js';
import { maskerFor } from '../../../../config/redactor.js';
import { isoUtc, now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { TeddyCommand } from '../../command.js';
import { type GlobalOptions, printResult, visibleLine } from '../../output.js';
import { openProject } from '../../project.js';

export const decideCommand = new TeddyCommand('decide')
  .description("record whether an agent's work was right, for teddy agent stats")
  .argument('<task-id>', 'the task id of the report')
  .argument('<decision>', 'accept or reject')
  .option('--reason <text>', 'why')
  .run(decide)
  .helpText(`Examples:
  teddy agent decide auth-1 accept
  teddy agent decide auth-1 accept --json
  teddy agent decide auth-2 reject --reason "The limit is per process."`);

async function decide(
  taskId: string,
  word: string,
  options: GlobalOptions & { reason?: string },
): Promise<number> {
  if (word !== 'accept' && word !== 'reject')
    throw new UserError(`${JSON.stringify(word)} must be accept or reject.`);
  if (!/\S/.test(taskId)) throw new UserError('The task id is empty.');
  const { root, workspace } = await openProject(options);
  const records = findRecords(workspace, taskId);
  if (!records?.answers.length) {
    throw new UserError(
      `There is no saved report of task ${JSON.stringify(taskId)}. teddy agent check saves reports of briefed tasks.`,
    );
  }
  const mask = maskerFor(null, environmentVariables());
  const { agent, sha256: answer } = records.answers.at(-1)!;
  const record = {
    at: isoUtc(now()),
    decision: word,
    reason: options.reason === undefined ? null : mask(options.reason),
    answer,
  } as const;
  const path = await keepDecision(workspace, taskId, record);
  printResult(root, options, { task_id: taskId, agent, ...record, kept: path }, () => [
    `${visibleLine(agent)} on ${visibleLine(taskId)}: ${word}ed. Saved in ${path}.`,
  ]);
  return 0;
}
