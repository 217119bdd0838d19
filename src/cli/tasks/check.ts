import { environmentVariables, writeOutput } from '../../platform/index.js';
import { checkResult } from '../../turn/index.js';
import type { GlobalOptions } from '../options.js';
import { paintFor } from '../paint.js';
import { openTrusted } from '../project.js';
import { resultJson } from '../result-json.js';
import { planFromRoot, requirePlan } from './open.js';
import { readResult, textOf } from './result-input.js';
import { verdictJson, verdictLines } from './verdict-lines.js';

interface Options extends GlobalOptions {
  plan?: string;
}

export async function check(file: string, options: Options): Promise<number> {
  const named = requirePlan(options);
  const { root, workspace, config } = await openTrusted(options);
  const { verdict, plan } = checkResult({
    workspace,
    config,
    text: textOf(await readResult(file)),
    plan: planFromRoot(root, named),
    environment: environmentVariables(),
  });
  writeOutput(
    options.json
      ? resultJson(root, verdictJson(verdict, plan))
      : `${verdictLines(verdict, paintFor('stdout', options)).join('\n')}\n`,
  );
  return verdict.verdict === 'INVALID' ? 1 : 0;
}
