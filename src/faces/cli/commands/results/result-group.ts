import { commandGroup, EVERYWHERE } from '../../command.js';
import { RESULT_FIELDS } from '../../result-fields.js';
import { checkResultCommand } from './check.js';
import { submitResultCommand } from './submit.js';

export const resultCommand = commandGroup('result', [submitResultCommand, checkResultCommand])
  .description("judge executors' results and make them part of the project")
  .addHelpText(
    'after',
    `
Examples:
  teddy result submit result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01 --fix > fixed.yaml

${RESULT_FIELDS}
${EVERYWHERE}`,
  );
