import { maskerFor } from '../../../../config/redactor.js';
import { isStructural, validatePlan } from '../../../../core/plan/check.js';
import type { Plan, PlanIssue } from '../../../../core/plan/types.js';
import type { Tree } from '../../../../core/tree.js';
import { UserError } from '../../../../node/errors.js';
import { environmentVariables, writeError } from '../../../../node/terminal/terminal.js';
import type { Question } from '../../../../review/question.js';
import { findContinuation, firstOpenAction } from '../../../../runs/continue-run.js';
import { executePlan } from '../../../../runs/execute-plan.js';
import { previewPlan } from '../../../../runs/propose.js';
import type { Continuation } from '../../../../runs/run-record.js';
import { readMemos } from '../../../../runs/turn-state.js';
import { openTree } from '../../../../workspace/tree.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { reportFormatOption, TeddyCommand } from '../../command.js';
import { requireOutput } from '../../deliver.js';
import { isOfSession, pathInside, readPlanInput, type TextInput } from '../../input.js';
import { reportIssues, VERBOSE } from '../../issue-lines.js';
import { issueJson, printResult, visibleLine } from '../../output.js';
import {
  findProject,
  type InspectedProject,
  inspectOpened,
  openProject,
  openToInspect,
  openTrusted,
  type TrustedProject,
  trustOpened,
} from '../../project.js';
import { plural } from '../../words.js';
import { type ExecuteCommandOptions, runReviewedPlan } from './run-reviewed-plan.js';

export const executeCommand = new TeddyCommand('execute')
  .description('review a plan action by action and run what you approve')
  .argument('[file]', 'the plan; - for standard input (default: the clipboard)')
  .option('-y, --yes', 'approve everything that no policy denies')
  .option('--dry-run', 'show what would happen, and change nothing')
  .option('--keep-going', 'continue after failures, including predicted ones')
  .option('--continue [run]', 'run the rest of a plan that stopped half-way (default: the last run)')
  .option('--decisions <file>', 'read decisions and replies from a file')
  .addOption(reportFormatOption())
  .option('--output <file>', 'write the report to a file instead of printing it')
  .option('--print', 'print the report also at a terminal')
  .option('--no-copy', 'do not copy the report')
  .option('--web', 'review it on a page in your browser; the terminal can answer, too')
  .option(...VERBOSE)
  .option(
    '--session <name>',
    'record it as a turn of this session (default for a copied plan: the one you last worked in)',
  )
  .option('--no-session', 'do not record it as a turn')
  .run(execute)
  .helpText(`Examples:
  teddy execute plan.md            review it in the terminal, action by action
  teddy execute                    run the plan in the clipboard
  teddy execute plan.md --dry-run  preview every action with its diff
  teddy execute plan.md --web      review it in your browser
  teddy execute plan.md --yes      approve everything; stop at the first failure
  teddy execute --continue         run the rest of the last run's plan
  some-agent | teddy execute -     read standard input; you are still asked

A decisions file (--decisions); every key is optional:
  default: approve                 or skip: for everything not listed below
  decisions:
    - {action: 5, decision: skip, reason: "not today"}
    - {section: Memos, decision: approve}
  replies:
    - {action: 4, text: "Yes, continue."}

Exit codes: 0 success, or everything was skipped; 1 an action failed, or the
plan was refused; 2 could not start (usage, files, no terminal);
130 interrupted. Except with 2, there is always a report.`);

export async function execute(file: string | undefined, options: ExecuteCommandOptions): Promise<number> {
  requireOutput(options);
  if (options.continue !== undefined) return continuePlan(file, options);
  const isTurn = isOfSession(findProject(options).root, file, options.session);
  if (!options.dryRun && isTurn) {
    const { executeInSession } = await import('../sessions/session-turn.js');
    return executeInSession(file, options);
  }
  if (options.dryRun) {
    const inspected = await openToInspect(options);
    return dryRun(await readPlanInput(file), inspected, { isTurn }, options);
  }
  const project = await openTrusted(options);
  const input = await readPlanInput(file);
  const path = pathInside(project.root, file);
  return reviewPlan(input.text, path, project, options);
}

function reviewPlan(
  text: string,
  path: string | null,
  project: TrustedProject,
  options: ExecuteCommandOptions,
): Promise<number> {
  return runReviewedPlan(text, project, options, {
    execute: (execution) => executePlan(text, { ...execution, path }),
    retry: (edited) => reviewPlan(edited, null, project, options),
  });
}

/** Resumes the plan of an earlier run at its first action that did not succeed. */
async function continuePlan(first: string | undefined, options: ExecuteCommandOptions): Promise<number> {
  const opened = await openProject(options);
  const { file, named } = splitWords(first, options.continue);
  const input = file === undefined ? undefined : await readPlanInput(file);
  const continued = findContinuation(opened.workspace, named, input?.text);
  if (continued.status === 'refused') throw new UserError(visibleLine(continued.reason));
  const { run, text, turn } = continued;
  const isTurn = turn !== undefined && options.session !== false;
  if (options.dryRun) {
    const name = input?.name ?? `The plan of run ${run}`;
    return dryRun({ name, text }, await inspectOpened(opened), { isTurn, continued }, options);
  }
  const project = await trustOpened(opened, options);
  writeError(`Continuing run ${run} at action ${firstOpenAction(continued)}.\n`);
  if (isTurn) {
    const { continueInSession } = await import('../sessions/session-turn.js');
    return continueInSession(turn.session, continued, options);
  }
  const path = file === undefined ? continued.path : pathInside(project.root, file);
  return runReviewedPlan(text, project, options, {
    execute: (execution) => executePlan(text, { ...execution, path, continued }),
    retry: (edited) => reviewPlan(edited, null, project, options),
  });
}

/** `--continue plan.md` means that file: the id of a run has neither a dot nor a slash. */
function splitWords(file: string | undefined, word: ExecuteCommandOptions['continue']) {
  if (typeof word !== 'string') return { file, named: undefined };
  return file === undefined && /[./]/.test(word) ? { file: word, named: undefined } : { file, named: word };
}

/** Every question of the review, each as if all before it had been approved and had succeeded. */
async function dryRun(
  input: TextInput,
  { root, workspace, config }: InspectedProject,
  { isTurn, continued }: { isTurn: boolean; continued?: Continuation },
  options: ExecuteCommandOptions,
): Promise<number> {
  const tree = openTree(root);
  const { ok, plan, issues } = await validatePlan(input.text, {
    tree,
    memos: () => readMemos(tree),
    session: isTurn ? undefined : null,
    refuseResearch: async () => {
      const { refuseResearch } = await import('../../../../runs/web/research.js');
      return refuseResearch(config, environmentVariables());
    },
    continued,
    show: (plan) => maskerFor(plan, environmentVariables()),
  });
  const refused = issues.some((issue) => isStructural(issue, plan));
  // A refused plan is not reviewed.
  const questions = plan === null || refused ? [] : preview(plan, issues, tree, workspace, continued);
  const actions = plan === null ? 'not a plan' : plural(plan.actions.length, 'action');
  const json = { ok, issues: issues.map(issueJson), questions };
  const { printQuestion } = await import('../../review/question-lines.js');
  printResult(workspace.root, options, json, (paint) => {
    const { counts, texts } = reportIssues(issues, plan, options, paint);
    return [
      `${paint('bold', input.name)}: ${actions}${counts === '' ? '' : `, ${counts}`}; dry run, nothing changes`,
      '',
      ...texts,
      ...questions.map((question) => printQuestion(question, options)),
    ].join('\n');
  });
  return ok ? 0 : 1;
}

/** Only a missing FIND quotes lines of a file, whose secrets must be masked. */
function preview(
  plan: Plan,
  issues: readonly PlanIssue[],
  tree: Tree,
  workspace: Workspace,
  continued: Continuation | undefined,
): Question[] {
  const quotes = issues.some(({ code }) => code === 'find-missing');
  const show = quotes ? maskerFor(plan, environmentVariables()) : (text: string) => text;
  const isDone = (number: number) => continued?.actions.has(number) ?? false;
  return previewPlan(plan, workspace, { tree, show, issues, isDone });
}
