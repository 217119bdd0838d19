import type { ListedTask } from '../../capture/index.js';
import { writeOutput } from '../../platform/index.js';
import { issueJson } from '../issue-json.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { visibleJson } from '../visible.js';
import { openToLook } from './capture.js';
import { type Look, lookAtPlans, tellOfPlans } from './look.js';
import { listIds } from './next-lines.js';
import { oneLine } from './one-line.js';
import { cell, pageWidth, tableLines } from './table.js';

interface Options extends GlobalOptions {
  plan?: string;
}

export async function nextTasks(options: Options): Promise<number> {
  const look = lookAtPlans(await openToLook(options), options.plan);
  const { next, waiting } = look.next;
  const tasks = new Map(look.plans.flatMap((plan) => plan.tasks.map((task) => [task.id, task])));
  const plans = unfinished(look);
  const { unreadable } = look;
  if (options.json) {
    const ready = next.map(({ id, name }) => {
      const { type = null, files = [], verify = null, runnable = false } = tasks.get(id) ?? {};
      return { id, name, type, files, verify, runnable };
    });
    const issues = plans.flatMap((each) =>
      each.issues.map((issue) => ({ path: each.plan.path, ...issueJson(issue) })),
    );
    writeOutput(`${visibleJson({ next: ready, waiting, issues, unreadable })}\n`);
    return 0;
  }
  tellOfPlans({ plans, unreadable });
  writeOutput(toWords(look, tasks, paintFor('stdout', options)));
  return 0;
}

/** The plans that have something left to begin: what is wrong with the others holds nobody up. */
function unfinished({ plans, next: { next, waiting } }: Look): Look['plans'] {
  const open = new Set([...next, ...waiting].map(({ id }) => id));
  return plans.filter(({ tasks }) => tasks.length === 0 || tasks.some(({ id }) => open.has(id)));
}

function toWords(
  { next: { next, waiting }, unreadable }: Look,
  tasks: ReadonlyMap<string, ListedTask>,
  paint: Paint,
): string {
  if (next.length === 0 && waiting.length === 0) {
    if (tasks.size === 0) return 'There is no PLAN.md with tasks here.\n';
    const nothing = unreadable.length === 0 ? 'Nothing' : 'Nothing of what can be read';
    return `${nothing} is left to begin: every task is done, given up or being worked on.\n`;
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
  const width = pageWidth() - 2;
  const indented = (lines: string[]) => lines.map((line) => `  ${line}`);
  return [
    next.length === 0 ? 'Next: nothing can begin now.' : 'Next:',
    ...indented(tableLines(ready, { flexible: 2, paint, width })),
    ...(later.length === 0
      ? []
      : ['Waiting:', ...indented(tableLines(later, { flexible: 2, paint, width }))]),
    '',
  ].join('\n');
}
