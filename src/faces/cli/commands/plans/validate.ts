import { loadProject } from '../../../../config/project.js';
import { maskerFor } from '../../../../config/redactor.js';
import type { Plan } from '../../../../core/plan/types.js';
import { environmentVariables, writeOutput } from '../../../../node/terminal/terminal.js';
import { type Validation, validatePlan } from '../../../../runs/execute-plan.js';
import { refuseResearch } from '../../../../runs/research.js';
import { readMemos } from '../../../../runs/turn-state.js';
import { openTree } from '../../../../workspace/tree.js';
import { TeddyCommand } from '../../command.js';
import { readPlanInput } from '../../input.js';
import { countIssues, issueLines, plural } from '../../issue-lines.js';
import { openProject } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';
import { type Paint, paintFor } from '../../paint.js';
import { issueJson, resultJson } from '../../result-json.js';
import { isOfSession } from './plan-origin.js';

interface Options extends GlobalOptions {
  syntaxOnly?: boolean;
  strict?: boolean;
}

export const validateCommand = new TeddyCommand('validate')
  .description('say whether a plan can be carried out, and what is wrong with it')
  .argument('[file]', 'the plan; - for standard input, nothing for the clipboard')
  .option('--syntax-only', 'read the plan, but do not check it against the files here')
  .option('--strict', 'refuse whatever is not written exactly as the format says')
  .run(validate)
  .addHelpText(
    'after',
    `
Examples:
  teddy validate plan.md
  teddy validate plan.md --strict --json
  some-agent | teddy validate -     read the plan from standard input
  teddy validate --syntax-only      only its form, whatever files are here

Exit codes: 0 the plan is ready, 1 it is refused, 2 it cannot be read.`,
  );

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
      return project.status === 'refused'
        ? undefined
        : refuseResearch(project.config, environmentVariables());
    },
    show: (plan) => maskerFor(plan, environmentVariables()),
  });
  writeOutput(
    options.json
      ? resultJson(root, toJson(validation))
      : toWords(name, validation, options, paintFor('stdout', options)),
  );
  return validation.ok ? 0 : 1;
}

function toJson({ ok, plan, issues }: Validation) {
  return { ok, plan, issues: issues.map(issueJson) };
}

function toWords(name: string, validation: Validation, options: Options, paint: Paint): string {
  const { plan, issues } = validation;
  const verdict = `${paint('bold', name)}: ${describe(validation, options, paint)}\n`;
  return [verdict, ...issues.map((issue) => issueLines(issue, plan, paint))].join('\n');
}

function describe({ ok, plan, issues }: Validation, { syntaxOnly }: Options, paint: Paint): string {
  const counts = countIssues(issues);
  if (!ok) return `${paint('red', 'refused')}: ${counts}`;
  const ready = paint('green', syntaxOnly ? 'well formed' : 'ready');
  return [plural(countActions(plan), 'action'), counts === '' ? ready : `${ready}, with ${counts}`].join(
    ', ',
  );
}

function countActions(plan: Plan | null): number {
  return plan?.actions.length ?? 0;
}
