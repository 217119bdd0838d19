import type { OpenQuestion } from '../../../../orchestrate/attempt-records.js';
import type { ListedTask } from '../../../../tasks/types.js';
import { PLAN, TeddyCommand } from '../../command.js';
import { type GlobalOptions, issueJson, type Paint, printResult } from '../../output.js';
import { type Cell, cell, pageWidth, tableLines } from '../../table.js';
import { openToRead } from './open.js';
import { type PlanListing, printPlanIssues, readLeft, readPlans, separateQuestions } from './outlook.js';
import {
  describeAnswers,
  describeHints,
  firstLineOf,
  listWaits,
  questionJson,
  shortenMessage,
  summarizeQuestion,
} from './task-lines.js';

interface Options extends GlobalOptions {
  plan?: string;
}

export const nextTasksCommand = new TeddyCommand('next')
  .description('show which tasks can start, which are running, and what the others wait for')
  .option('--plan <plan>', `${PLAN} (default: all)`)
  .run(nextTasks)
  .helpText(`Examples:
  teddy task next
  teddy task next --plan 03-01
  teddy task next --plan 03-01 --json`);

async function nextTasks(options: Options): Promise<number> {
  const project = await openToRead(options);
  const all = readPlans(project, options.plan);
  const { questions, interrupted } = readLeft(project, all);
  const listing = { ...all, next: separateQuestions(all.next, questions) };
  const { next, waiting } = listing.next;
  const tasks = new Map(listing.plans.flatMap((plan) => plan.tasks.map((task) => [task.id, task])));
  const plans = unfinished(all);
  const { unreadable } = listing;
  const ready = next.map(({ id, name }) => {
    const { type = null, files = [], verify = null, runnable = false } = tasks.get(id) ?? {};
    return { id, name, type, files, verify, runnable };
  });
  const issues = plans.flatMap((each) =>
    each.issues.map((issue) => ({ path: each.plan.path, ...issueJson(issue) })),
  );
  const inProgress = [...tasks.values()]
    .filter(({ status }) => status === 'in_progress')
    .map(({ id, name }) => ({ id, name, interrupted: interrupted.has(id) }));
  const asking = [...tasks.values()].flatMap(({ id, name }) => {
    const question = questionJson(questions.get(id));
    return question ? [{ id, name, ...question }] : [];
  });
  if (!options.json) printPlanIssues({ plans, unreadable });
  const json = { next: ready, asking, inProgress, waiting, issues, unreadable };
  printResult(project.workspace.root, options, json, (paint) =>
    toWords(listing, tasks, { questions, interrupted }, paint),
  );
  return 0;
}

/** The task files with something left to start; problems of the others do not matter here. */
function unfinished({ plans, next: { next, waiting } }: PlanListing): PlanListing['plans'] {
  const open = new Set([...next, ...waiting].map(({ id }) => id));
  return plans.filter(({ tasks }) => tasks.length === 0 || tasks.some(({ id }) => open.has(id)));
}

function toWords(
  { next: { next, waiting }, unreadable }: PlanListing,
  tasks: ReadonlyMap<string, ListedTask>,
  { questions, interrupted }: ReturnType<typeof readLeft>,
  paint: Paint,
): string[] {
  const busy = [...tasks.values()].filter(({ id, status }) => status === 'in_progress' && !questions.has(id));
  const asked = [...tasks.values()].flatMap((task) => {
    const question = questions.get(task.id);
    return question ? askingRows(task, question) : [];
  });
  if (next.length + waiting.length + busy.length + asked.length === 0) {
    if (tasks.size === 0) return ['No task file with tasks found.'];
    const which = unreadable.length === 0 ? 'Every task' : 'Every task that could be read';
    return [`Nothing left to start. ${which} is completed or skipped.`];
  }
  const ready = next.flatMap(({ id, name }) => {
    const task = tasks.get(id);
    return [
      [cell(''), cell(id, 'bold'), cell(`${name}${describeHints(task ?? {})}`)],
      ...(task && task.files.length > 0
        ? [[cell(''), cell(''), cell(`files   ${task.files.join(', ')}`, 'dim')]]
        : []),
      ...(task?.verify ? [[cell(''), cell(''), cell(`verify  ${firstLineOf(task.verify)}`, 'dim')]] : []),
    ];
  });
  const later = waiting.map(({ id, name, on }) => [
    cell(''),
    cell(id, 'bold'),
    cell(`${name}${describeHints({ type: tasks.get(id)?.type ?? '' })}`),
    cell(on.length === 0 ? 'blocked' : `waiting for ${listWaits(on)}`, 'dim'),
  ]);
  const width = pageWidth() - 2;
  const part = (title: string, rows: Cell[][]) =>
    rows.length === 0
      ? []
      : [title, ...tableLines(rows, { flexible: 2, paint, width }).map((line) => `  ${line}`)];
  const rowsOf = (started: readonly ListedTask[]) =>
    started.map(({ id, name, type }) => [
      cell(''),
      cell(id, 'bold'),
      cell(`${name}${describeHints({ type })}`),
    ]);
  const dead = busy.filter(({ id }) => interrupted.has(id));
  const alive = busy.filter(({ id }) => !interrupted.has(id));
  const needsPerson = waiting.some(({ on }) => on.length === 0 || on.includes('a person'));
  return [
    ...(next.length === 0 ? ['Next: nothing can start now.'] : part('Next:', ready)),
    ...part('Needs your answer:', asked),
    ...part('In progress:', rowsOf(alive)),
    ...part('Interrupted (teddy orchestrate continues):', rowsOf(dead)),
    ...part('Waiting:', later),
    ...(needsPerson || (next.length === 0 && alive.length > 0)
      ? [paint('dim', 'teddy task resolve ID retry makes a blocked, aborted or abandoned task ready again.')]
      : []),
  ];
}

function askingRows({ id, name }: ListedTask, question: OpenQuestion): Cell[][] {
  const below = (text: string, style?: Cell['style']) => [cell(''), cell(''), cell(text, style)];
  return [
    [cell(''), cell(id, 'bold'), cell(`${name}: ${summarizeQuestion(question)}`)],
    below(shortenMessage(question.message), 'dim'),
    below(describeAnswers(id, question), 'cyan'),
  ];
}
