import type { NextTasks, TaskRef, WaitingTask } from '../../capture/index.js';
import type { Paint } from '../paint.js';
import { visibleLine } from '../visible.js';

/** How many tasks each list names. */
const MOST_NAMED = 5;

/** What can begin now, and what waits on what, in a few lines. */
export function nextLines({ next, waiting }: NextTasks, paint: Paint): string[] {
  const line = ({ id, name }: TaskRef) => `  ${paint('bold', visibleLine(id))}  ${visibleLine(name)}`;
  const later = (task: WaitingTask) => `${line(task)}${paint('dim', describeWait(task.on))}`;
  return [
    ...(next.length === 0 ? ['Next: nothing can begin now.'] : ['Next:', ...firstLines(next, line)]),
    ...(waiting.length === 0 ? [] : ['Waiting:', ...firstLines(waiting, later)]),
  ];
}

/** ` (on 03-01:2 and 03-02)` */
function describeWait(on: readonly string[]): string {
  return on.length === 0 ? ' (blocked)' : ` (on ${listIds(on)})`;
}

export function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_NAMED).map(visibleLine).join(', ');
  return ids.length > MOST_NAMED ? `${shown} and ${ids.length - MOST_NAMED} more` : shown;
}

function firstLines<T>(tasks: readonly T[], line: (task: T) => string): string[] {
  const more = tasks.length - MOST_NAMED;
  return [
    ...tasks.slice(0, MOST_NAMED).map(line),
    ...(more > 0 ? [`  and ${more} more; teddy task next lists them`] : []),
  ];
}
