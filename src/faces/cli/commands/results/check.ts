import type { Verdict } from '../../../../core/task-result/types.js';
import { environmentVariables, writeError, writeOutput } from '../../../../node/terminal/terminal.js';
import type { fixAndCheck } from '../../../../tasks/verify-result.js';
import { PLAN, TeddyCommand } from '../../command.js';
import { decodeInput, planFromRoot, readInput, requirePlan } from '../../input.js';
import { type GlobalOptions, printResult, resultJson, visibleLine } from '../../output.js';
import { openToInspect } from '../../project.js';
import { verdictJson, verdictLines } from './result-lines.js';

interface Options extends GlobalOptions {
  plan?: string;
  fix?: boolean;
}

export const checkResultCommand = new TeddyCommand('check')
  .description('check a result without applying it')
  .argument('<file>', 'the YAML result; - for standard input')
  .option('--plan <plan>', `required: ${PLAN}`)
  .option('--fix', 'print the result with its format corrected')
  .run(check)
  .helpText(`Examples:
  teddy result check result.yaml --plan 03-01
  some-executor | teddy result check - --plan 03-01 --json
  teddy result check result.yaml --plan 03-01 --fix > fixed.yaml

--fix corrects the format, not the claims: quotes, types, words such as yes or
completed. It drops nothing and invents nothing; text outside the fields
becomes a comment. It prints only results that are not INVALID.

Exit codes: 0 VALID or VALID_WITH_WARNINGS, 1 INVALID or not fixable, 2 unknown
task file or unreadable input.`);

async function check(file: string, options: Options): Promise<number> {
  const named = requirePlan(options);
  const { root, workspace, config } = await openToInspect(options);
  const input = {
    workspace,
    config,
    text: decodeInput(await readInput(file, 'result')).text,
    plan: planFromRoot(root, named),
    environment: environmentVariables(),
  };
  const checks = await import('../../../../tasks/verify-result.js');
  if (options.fix) return printFixed(root, checks.fixAndCheck(input), options);
  const { verdict, plan } = checks.checkResult(input);
  printResult(root, options, verdictJson(verdict, plan), (paint) => verdictLines(verdict, paint));
  return verdict.verdict === 'INVALID' ? 1 : 0;
}

/**
 * Prints only the corrected result, so that it can be piped, or the problems that its executor must correct.
 */
function printFixed(
  root: string,
  { verdict, plan, fixed }: ReturnType<typeof fixAndCheck>,
  options: Options,
): number {
  if (options.json) writeOutput(resultJson(root, { ...verdictJson(verdict, plan), fixed }));
  else if (fixed !== null) writeOutput(fixed);
  else writeError(`${['The result cannot be fixed automatically:', ...errorLines(verdict)].join('\n')}\n`);
  return fixed === null ? 1 : 0;
}

function errorLines({ issues }: Verdict): string[] {
  return issues
    .filter(({ severity }) => severity === 'error')
    .map(({ message, hint }) => `  ${visibleLine(hint === undefined ? message : `${message} ${hint}`)}`);
}
