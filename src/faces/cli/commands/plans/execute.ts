import { maskerFor } from '../../../../config/redactor.js';
import type { Config } from '../../../../config/types.js';
import { isStructural } from '../../../../core/plan/check.js';
import type { Plan, PlanIssue } from '../../../../core/plan/types.js';
import type { Tree } from '../../../../core/tree.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import type { Question } from '../../../../review/question.js';
import { executePlan, validatePlan } from '../../../../runs/execute-plan.js';
import { previewPlan } from '../../../../runs/propose.js';
import { refuseResearch } from '../../../../runs/research.js';
import { readMemos } from '../../../../runs/turn-state.js';
import { openTree } from '../../../../workspace/tree.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { reportFormatOption, TeddyCommand } from '../../command.js';
import { requireOutput } from '../../deliver.js';
import { isOfSession, pathInside, readPlanInput, type TextInput } from '../../input.js';
import { countIssues, planIssueText } from '../../issue-lines.js';
import { type GlobalOptions, issueJson, printResult } from '../../output.js';
import { findProject, openTrusted } from '../../project.js';
import { printQuestion } from '../../review/question-lines.js';
import { plural } from '../../words.js';
import { carryOut, type ExecuteWords } from './carry-out.js';

export const executeCommand = new TeddyCommand('execute')
  .description('decide on each action of a plan, carry it out, and report what happened')
  .argument('[file]', 'the plan; - for standard input, nothing for the clipboard')
  .option('-y, --yes', 'approve everything that no policy denies')
  .option('--dry-run', 'show what would be done, and do nothing')
  .option('--keep-going', 'go on after a failure, and in spite of one that is foreseen')
  .option('--decisions <file>', 'take decisions and replies from a file')
  .addOption(reportFormatOption())
  .option('--output <file>', 'write the report to a file instead of printing it')
  .option('--no-copy', 'do not copy the report')
  .option('--session <name>', 'make it a turn of this session (clipboard: of the last one)')
  .option('--no-session', 'make it no turn of any session')
  .run(execute)
  .helpText(`Examples:
  teddy execute plan.md            review it in the terminal, action by action
  teddy execute                    the plan in the clipboard; report goes there
  teddy execute plan.md --yes      approve all of it; stop at the first failure
  teddy execute plan.md --dry-run  what would be done, with diffs
  some-agent | teddy execute -     from standard input; you are asked even so
  teddy execute plan.md --decisions d.yaml --format json

A decisions file, every key optional:
  default: approve                 or skip, for what is not named below
  decisions:
    - {action: 5, decision: skip, reason: "not today"}
    - {section: Memos, decision: approve}
  replies:
    - {action: 4, text: "Yes, go on."}

Exit codes: 0 done (or all of it skipped), 1 an action failed or the plan was
refused, 2 nobody to ask, not trusted or not readable, 130 interrupted.
There is a report in every case but 2.`);

export async function execute(file: string | undefined, options: ExecuteWords): Promise<number> {
  requireOutput(options);
  const isTurn = isOfSession(findProject(options).root, file, options.session);
  if (!options.dryRun && isTurn) {
    const { executeInSession } = await import('../sessions/session-turn.js');
    return executeInSession(file, options);
  }
  const project = await openTrusted(options);
  const input = await readPlanInput(file);
  if (options.dryRun) return dryRun(input, { ...project, tree: openTree(project.root), isTurn }, options);
  const path = pathInside(project.root, file);
  return carryOut(input.text, project, options, (execution) =>
    executePlan(input.text, { ...execution, path }),
  );
}

/** Everything that a person would be asked, one after the other, as if each had been approved and had succeeded. */
async function dryRun(
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
  const actions = plan === null ? 'not a plan' : plural(plan.actions.length, 'action');
  const counts = countIssues(issues);
  const json = { ok, issues: issues.map(issueJson), questions };
  printResult(workspace.root, options, json, (paint) =>
    [
      `${paint('bold', input.name)}: ${actions}${counts === '' ? '' : `, ${counts}`}; nothing is done`,
      '',
      ...issues.map((issue) => planIssueText(issue, plan, paint)),
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
