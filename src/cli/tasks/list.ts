import type { ListedTask } from '../../capture/index.js';
import { writeOutput } from '../../platform/index.js';
import { issueJson } from '../issue-json.js';
import { plural } from '../issue-lines.js';
import type { GlobalOptions } from '../options.js';
import { type Paint, paintFor } from '../paint.js';
import { cell, tableLines } from '../table.js';
import { visibleJson, visibleLine } from '../visible.js';
import { openToLook } from './capture.js';
import { type Look, lookAtPlans, tellOfPlans } from './look.js';
import { listWaits } from './next-lines.js';
import { describeStatus, remarkOn } from './status.js';

interface Options extends GlobalOptions {
  plan?: string;
}

export async function listTasks(options: Options): Promise<number> {
  const look = lookAtPlans(await openToLook(options), options.plan);
  if (options.json) {
    const plans = look.plans.map(toJson);
    const { unreadable } = look;
    writeOutput(`${visibleJson(options.plan === undefined ? { plans, unreadable } : plans[0])}\n`);
    return 0;
  }
  const paint = paintFor('stdout', options);
  const waiting = new Map(look.next.waiting.map(({ id, on }) => [id, on]));
  tellOfPlans(look);
  writeOutput(
    look.plans.length === 0
      ? 'There is no PLAN.md here; plans.glob in .teddy/config.yaml says where to look.\n'
      : look.plans.map((plan) => toWords(plan, waiting, paint)).join('\n'),
  );
  return 0;
}

type Listed = Look['plans'][number];

function toJson({ plan, tasks, issues }: Listed) {
  return { plan: plan.id, path: plan.path, tasks, issues: issues.map(issueJson) };
}

/** `waiting` says what each task still waits on, by its id. */
function toWords({ plan, tasks }: Listed, waiting: ReadonlyMap<string, string[]>, paint: Paint): string {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const row = (task: ListedTask) => {
    const { mark, word, style } = describeStatus(task);
    const on = waiting.get(task.id) ?? [];
    return [
      cell(mark, style),
      cell(task.id, 'bold'),
      cell(word, style),
      cell(`${task.name}${remarkOn({ type: task.type })}`),
      cell(on.length === 0 ? '' : `waits on ${listWaits(on)}`, 'dim'),
    ];
  };
  return [
    `${paint('bold', visibleLine(plan.id))}  ${visibleLine(plan.path)}: ${tasks.length === 0 ? 'no tasks' : `${done} of ${plural(tasks.length, 'task')} done`}`,
    ...tableLines(tasks.map(row), { flexible: 3, paint }),
    '',
  ].join('\n');
}
