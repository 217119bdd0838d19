import { maskerFor } from '../../../../config/redactor.js';
import type { Config } from '../../../../config/types.js';
import { isStructural } from '../../../../core/plan/issue-log.js';
import type { Plan, PlanIssue } from '../../../../core/plan/types.js';
import type { Tree } from '../../../../core/tree.js';
import { environmentVariables, writeOutput } from '../../../../node/terminal/terminal.js';
import type { Question } from '../../../../review/question.js';
import { previewPlan } from '../../../../runs/preview-plan.js';
import { refuseResearch } from '../../../../runs/research/research.js';
import { readMemos } from '../../../../runs/state/memos.js';
import { validatePlan } from '../../../../runs/validate-plan.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import type { TextInput } from '../../input.js';
import { issueJson } from '../../issue-json.js';
import { countIssues, issueLines, plural } from '../../issue-lines.js';
import type { GlobalOptions } from '../../options.js';
import { paintFor } from '../../paint.js';
import { resultJson } from '../../result-json.js';
import { printQuestion } from '../../review/print.js';

/** Everything that a person would be asked, one after the other, as if each had been approved and had succeeded. */
export async function dryRun(
  input: TextInput,
  { workspace, tree, config, isTurn }: { workspace: Workspace; tree: Tree; config: Config; isTurn: boolean },
  options: GlobalOptions,
): Promise<number> {
  const { ok, plan, issues } = await validatePlan(input.text, {
    tree,
    memos: () => readMemos(tree),
    session: isTurn ? undefined : null,
    refuseResearch: async () => refuseResearch(config, environmentVariables()),
    show: (plan) => maskerFor(plan, environmentVariables()),
  });
  const refused = issues.some((issue) => isStructural(issue, plan));
  // What cannot be carried out as written is asked of nobody.
  const questions = plan === null || refused ? [] : await preview(plan, issues, tree, workspace);
  if (options.json) {
    writeOutput(resultJson(workspace.root, { ok, issues: issues.map(issueJson), questions }));
    return ok ? 0 : 1;
  }
  const paint = paintFor('stdout', options);
  writeOutput(
    [
      `${paint('bold', input.name)}: ${plan === null ? 'not a plan' : plural(plan.actions.length, 'action')}${describe(issues)}; nothing is done`,
      '',
      ...issues.map((issue) => issueLines(issue, plan, paint)),
      ...questions.map((question) => printQuestion(question, options)),
    ].join('\n'),
  );
  return ok ? 0 : 1;
}

/** Only where FIND is missing are lines of a file quoted, and their secrets to be masked. */
async function preview(
  plan: Plan,
  issues: readonly PlanIssue[],
  tree: Tree,
  workspace: Workspace,
): Promise<Question[]> {
  const quotes = issues.some(({ code }) => code === 'find-missing');
  const show = quotes ? maskerFor(plan, environmentVariables()) : (text: string) => text;
  return previewPlan(plan, tree, workspace, show);
}

function describe(issues: readonly PlanIssue[]): string {
  const counts = countIssues(issues);
  return counts === '' ? '' : `, ${counts}`;
}
