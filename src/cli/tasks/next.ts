import {
  type CaptureProject,
  nextTasks as findNext,
  type ListedTask,
  listPlans,
  listTasks,
  type NextTasks,
} from '../../capture/index.js';
import { writeOutput } from '../../platform/index.js';
import { plural } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { visibleJson } from '../visible.js';
import { listIds } from './next-lines.js';
import { openToLook, planFromRoot } from './open.js';
import { cell, tableLines } from './table.js';

interface Options extends GlobalOptions {
  plan?: string;
}

export async function nextTasks(options: Options): Promise<number> {
  const project = await openToLook(options);
  const plan = options.plan === undefined ? undefined : planFromRoot(project.workspace.root, options.plan);
  const { next, waiting } = findNext(project, plan);
  const tasks = tasksById(project, plan);
  if (options.json) {
    const ready = next.map(({ id, name }) => {
      const { type = null, files = [], verify = null, runnable = false } = tasks.get(id) ?? {};
      return { id, name, type, files, verify, runnable };
    });
    writeOutput(`${visibleJson({ next: ready, waiting })}\n`);
    return 0;
  }
  writeOutput(toWords({ next, waiting }, tasks, paintFor('stdout', options)));
  return 0;
}

function tasksById(project: CaptureProject, plan: string | undefined): Map<string, ListedTask> {
  const paths = plan === undefined ? listPlans(project).map(({ path }) => path) : [plan];
  const tasks = paths.flatMap((path) => listTasks(project, path).tasks);
  return new Map(tasks.map((task) => [task.id, task]));
}

function toWords({ next, waiting }: NextTasks, tasks: Map<string, ListedTask>, paint: Paint): string {
  if (next.length === 0 && waiting.length === 0) {
    return tasks.size === 0
      ? 'There is no PLAN.md with tasks here.\n'
      : 'Nothing is left to begin: every task is done, given up or being worked on.\n';
  }
  const ready = next.flatMap(({ id, name }) => {
    const task = tasks.get(id);
    const retry = task?.status === 'failed' ? ' (failed before)' : '';
    return [
      [cell(''), cell(id, 'bold'), cell(`${name}${retry}`)],
      ...(task && task.files.length > 0
        ? [[cell(''), cell(''), cell(`files   ${task.files.join(', ')}`, 'dim')]]
        : []),
      ...(task?.verify ? [[cell(''), cell(''), cell(`verify  ${oneLine(task.verify)}`, 'dim')]] : []),
    ];
  });
  const later = waiting.map(({ id, name, on }) => [
    cell(''),
    cell(id, 'bold'),
    cell(name),
    cell(on.length === 0 ? 'blocked' : `waits on ${listIds(on)}`, 'dim'),
  ]);
  const indented = (lines: string[]) => lines.map((line) => `  ${line}`);
  return [
    next.length === 0 ? 'Next: nothing can begin now.' : 'Next:',
    ...indented(tableLines(ready, { flexible: 2, paint, width: 78 })),
    ...(later.length === 0
      ? []
      : ['Waiting:', ...indented(tableLines(later, { flexible: 2, paint, width: 78 }))]),
    '',
  ].join('\n');
}

/** A command of several lines as its first, and how many follow. */
function oneLine(text: string): string {
  const [first = '', ...more] = text.trim().split('\n');
  return more.length === 0 ? first : `${first} (and ${plural(more.length, 'more line')})`;
}
