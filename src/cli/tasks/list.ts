import {
  type CaptureProject,
  type ListedTask,
  listPlans,
  listTasks as listTasksOf,
  nextTasks,
} from '../../capture/index.js';
import type { TaskPlanIssue } from '../../formats/task-plan/index.js';
import { writeError, writeOutput } from '../../platform/index.js';
import { issueJson } from '../issue-json.js';
import { plural } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { visibleJson, visibleLine } from '../visible.js';
import { listIds } from './next-lines.js';
import { openToLook, planFromRoot } from './open.js';
import { describeStatus } from './status.js';
import { cell, tableLines } from './table.js';

interface Options extends GlobalOptions {
  plan?: string;
}

interface Listed {
  plan: string;
  path: string;
  tasks: ListedTask[];
  /** What each task still waits on, by its id. */
  waiting: Map<string, string[]>;
  issues: TaskPlanIssue[];
}

export async function listTasks(options: Options): Promise<number> {
  const project = await openToLook(options);
  const names =
    options.plan === undefined
      ? listPlans(project).map(({ path }) => path)
      : [planFromRoot(project.workspace.root, options.plan)];
  const plans = names.map((name) => look(project, name));
  if (options.json) {
    const all = plans.map(toJson);
    writeOutput(`${visibleJson(options.plan === undefined ? { plans: all } : all[0])}\n`);
    return 0;
  }
  const paint = paintFor('stdout', options);
  for (const { path, issues } of plans)
    for (const { line, message } of issues)
      writeError(`${visibleLine(path)}${line === undefined ? '' : `:${line}`}: ${visibleLine(message)}\n`);
  writeOutput(
    plans.length === 0
      ? 'There is no PLAN.md here; plans.glob in .teddy/config.yaml says where to look.\n'
      : plans.map((plan) => toWords(plan, paint)).join('\n'),
  );
  return 0;
}

function look(project: CaptureProject, name: string): Listed {
  const { plan, tasks } = listTasksOf(project, name);
  const { waiting } = nextTasks(project, plan.path);
  return {
    plan: plan.id,
    path: plan.path,
    tasks,
    waiting: new Map(waiting.map(({ id, on }) => [id, on])),
    issues: [...plan.plan.issues],
  };
}

function toJson({ plan, path, tasks, issues }: Listed) {
  return { plan, path, tasks, issues: issues.map(issueJson) };
}

function toWords({ plan, path, tasks, waiting }: Listed, paint: Paint): string {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const rows = tasks.map((task) => {
    const { mark, word, style } = describeStatus(task);
    const on = waiting.get(task.id) ?? [];
    return [
      cell(mark, style),
      cell(task.id, 'bold'),
      cell(word, style),
      cell(task.name),
      cell(on.length === 0 ? '' : `waits on ${listIds(on)}`, 'dim'),
    ];
  });
  return [
    `${paint('bold', visibleLine(plan))}  ${visibleLine(path)}: ${tasks.length === 0 ? 'no tasks' : `${done} of ${plural(tasks.length, 'task')} done`}`,
    ...tableLines(rows, { flexible: 3, paint }),
    '',
  ].join('\n');
}
