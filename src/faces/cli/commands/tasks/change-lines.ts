import { redactorOf } from '../../../../config/redactor.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import {
  type ChangedTask,
  changeTasks,
  type TaskChangeOptions,
  type TaskChangeRequest,
} from '../../../../tasks/plans/edit-tasks.js';
import { openCapture } from '../../../../tasks/project.js';
import { type GlobalOptions, printResult, visibleLine } from '../../output.js';
import { findProject, openTasks } from '../../project.js';
import { noteLines } from '../results/result-lines.js';
import { taskTitle } from './task-lines.js';

interface ChangeOptions extends GlobalOptions {
  approve?: TaskChangeOptions['approve'];
}

/** Changes a task file as the user asked for it, and prints what became of the task. */
export async function changeAndPrint(
  readRequest: (root: string) => TaskChangeRequest,
  done: string,
  { approve, ...options }: ChangeOptions,
): Promise<number> {
  const { root, workspace, config } = await openTasks(findProject(options), options);
  const changed = await changeTasks(openCapture(workspace, config), readRequest(root), {
    redactor: redactorOf(config, environmentVariables()),
    tip: config.report.tip,
    keep: config.runs.keep,
    ...(approve && { approve }),
  });
  const { id, name, path, plan, run, renumbered, notes } = changed;
  printResult(root, options, { id, name, plan: plan.id, path, run, renumbered, notes }, (paint) => [
    `${taskTitle(changed, paint)}: ${done}.`,
    `Task file ${visibleLine(path)}`,
    ...renumberedLines(changed),
    ...noteLines(
      notes.map((message) => ({ severity: 'warning' as const, message })),
      paint,
    ),
    'Revert it with: teddy undo',
  ]);
  return 0;
}

/** Ids that moved together are one line. */
function renumberedLines({ renumbered }: ChangedTask): string[] {
  const rows: { from: string[]; to: string[] }[] = [];
  const place = (id: string) => Number(id.slice(id.lastIndexOf(':') + 1));
  for (const { from, to } of renumbered) {
    const row = rows.at(-1);
    const follows =
      row && place(from) === place(row.from.at(-1)!) + 1 && place(to) === place(row.to.at(-1)!) + 1;
    if (follows) row.from.push(from);
    if (follows) row.to.push(to);
    else rows.push({ from: [from], to: [to] });
  }
  const span = (ids: string[]) => visibleLine(ids.length === 1 ? ids[0]! : `${ids[0]} to ${ids.at(-1)}`);
  return rows.map(({ from, to }) => `${span(from)} ${from.length === 1 ? 'is' : 'are'} now ${span(to)}`);
}

/** Ids as the user typed them, from the root. */
export function namedTasks(ids: readonly string[]): string[] {
  return ids
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
