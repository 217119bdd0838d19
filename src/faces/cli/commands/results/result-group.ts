import { commandGroup } from '../../command.js';
import { checkResultCommand } from './check.js';
import { RESULT_FIELDS } from './result-lines.js';
import { submitResultCommand } from './submit.js';

export const resultCommand = commandGroup('result', [submitResultCommand, checkResultCommand])
  .description("check and record executors' results")
  .helpText(`Examples:
  teddy result submit result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01
  teddy result check result.yaml --plan 03-01 --fix > fixed.yaml

${RESULT_FIELDS}`);
