import { loadProject } from '../../../../config/project.js';
import { maskerFor } from '../../../../config/redactor.js';
import { type Validation, validatePlan } from '../../../../core/plan/check.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { readMemos } from '../../../../runs/turn-state.js';
import { openTree } from '../../../../workspace/tree.js';
import { TeddyCommand } from '../../command.js';
import { isOfSession, readPlanInput } from '../../input.js';
import { type IssueReport, reportIssues, VERBOSE } from '../../issue-lines.js';
import { type GlobalOptions, issueJson, type Paint, printResult } from '../../output.js';
import { openProject } from '../../project.js';
import { plural } from '../../words.js';

interface Options extends GlobalOptions {
  syntaxOnly?: boolean;
  strict?: boolean;
  verbose?: boolean;
}

export const validateCommand = new TeddyCommand('validate')
  .description('check a plan: its format, and whether it fits the files here')
  .argument('[file]', 'the plan; - for standard input (default: the clipboard)')
  .option('--syntax-only', 'check only the format, not the files here')
  .option('--strict', 'treat every format warning as an error')
  .option(...VERBOSE)
  .run(validate)
  .helpText(`Examples:
  teddy validate plan.md
  teddy validate plan.md --strict --json
  some-agent | teddy validate -     read the plan from standard input
  teddy validate --syntax-only      check only the format of the copied plan

Exit codes: 0 the plan is ready, 1 it is refused, 2 it cannot be read.`);

export async function validate(file: string | undefined, options: Options): Promise<number> {
  const { root } = await openProject(options);
  const tree = openTree(root);
  const { name, text } = await readPlanInput(file);
  const validation = await validatePlan(text, {
    ...options,
    tree,
    memos: () => readMemos(tree),
    session: isOfSession(root, file) ? undefined : null,
    refuseResearch: async () => {
      const project = await loadProject(root);
      if (project.status === 'refused') return undefined;
      const { refuseResearch } = await import('../../../../runs/web/research.js');
      return refuseResearch(project.config, environmentVariables());
    },
    show: (plan) => maskerFor(plan, environmentVariables()),
  });
  const { ok, plan, issues } = validation;
  printResult(root, options, { ok, plan, issues: issues.map(issueJson) }, (paint) => {
    const report = reportIssues(issues, plan, options, paint);
    const verdict = `${paint('bold', name)}: ${describe(validation, report, options, paint)}\n`;
    return [verdict, ...report.texts].join('\n');
  });
  return ok ? 0 : 1;
}

function describe(
  { ok, plan }: Validation,
  { counts }: IssueReport,
  { syntaxOnly }: Options,
  paint: Paint,
): string {
  if (!ok) return `${paint('red', 'refused')}: ${counts}`;
  const ready = paint('green', syntaxOnly ? 'well formed' : 'ready');
  const actions = plural(plan?.actions.length ?? 0, 'action');
  return `${actions}, ${ready}${counts === '' ? '' : `, with ${counts}`}`;
}
