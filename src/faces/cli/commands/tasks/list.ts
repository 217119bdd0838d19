import type { ListedTask } from '../../../../tasks/types.js';
import { PLAN, TeddyCommand } from '../../command.js';
import { type GlobalOptions, issueJson, type Paint, printResult, visibleLine } from '../../output.js';
import { cell, tableLines } from '../../table.js';
import { plural } from '../../words.js';
import { openToRead } from './open.js';
import { type PlanListing, printPlanIssues, readLeft, readPlans } from './outlook.js';
import { describeHints, describeStatus, listWaits, questionJson, summarizeQuestion } from './task-lines.js';

interface Options extends GlobalOptions {
  plan?: string;
}

export const listTasksCommand = new TeddyCommand('list')
  .description('list tasks and their status')
  .option('--plan <plan>', `${PLAN} (default: all)`)
  .run(listTasks)
  .helpText(`Examples:
  teddy task list --plan 03-01
  teddy task list --plan .planning/03-01-PLAN.md --json
  teddy task list`);

async function listTasks(options: Options): Promise<number> {
  const project = await openToRead(options);
  const listing = readPlans(project, options.plan);
  const left = readLeft(project, listing);
  const plans = listing.plans.map((plan) => toJson(plan, left));
  const waiting = new Map(listing.next.waiting.map(({ id, on }) => [id, on]));
  if (!options.json) printPlanIssues(listing);
  printResult(
    project.workspace.root,
    options,
    options.plan === undefined ? { plans, unreadable: listing.unreadable } : plans[0],
    (paint) =>
      plans.length === 0
        ? 'No task file found. plans.glob in .teddy/config.yaml says where to look.\n'
        : listing.plans.map((plan) => toWords(plan, { waiting, ...left }, paint)).join('\n'),
  );
  return 0;
}

type Listed = PlanListing['plans'][number];

type Left = ReturnType<typeof readLeft>;

function toJson({ plan, tasks, issues }: Listed, { questions, interrupted }: Left) {
  const listed = tasks.map((task) => {
    const question = questionJson(questions.get(task.id));
    return {
      ...task,
      ready: task.ready && question === null,
      question,
      interrupted: interrupted.has(task.id),
    };
  });
  return { plan: plan.id, path: plan.path, tasks: listed, issues: issues.map(issueJson) };
}

/** By task id: what each is waiting for, and the open questions. */
function toWords(
  { plan, tasks }: Listed,
  { waiting, questions, interrupted }: Left & { waiting: ReadonlyMap<string, string[]> },
  paint: Paint,
): string {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const row = (task: ListedTask) => {
    const question = questions.get(task.id);
    const isInterrupted = interrupted.has(task.id);
    const { mark, word, style } = describeStatus(task, {
      asks: question !== undefined,
      interrupted: isInterrupted,
    });
    const on = waiting.get(task.id) ?? [];
    const waits = on.length === 0 ? '' : `waiting for ${listWaits(on)}`;
    const holdsUp = isInterrupted ? 'teddy orchestrate continues it' : waits;
    return [
      cell(mark, style),
      cell(task.id, 'bold'),
      cell(word, style),
      cell(`${task.name}${describeHints({ type: task.type })}`),
      question ? cell(summarizeQuestion(question), 'yellow') : cell(holdsUp, 'dim'),
    ];
  };
  return [
    `${paint('bold', visibleLine(plan.id))}  ${visibleLine(plan.path)}: ${tasks.length === 0 ? 'no tasks' : `${done} of ${plural(tasks.length, 'task')} done`}`,
    ...tableLines(tasks.map(row), { flexible: 3, paint }),
    '',
  ].join('\n');
}
