import type { NextTasks } from '../../capture/index.js';
import type { Paint } from '../paint.js';
import { visibleLine } from '../visible.js';

/** How many tasks each list names. */
const MOST_NAMED = 5;

/** What can begin now, and what waits on what, in a few lines. */
export function nextLines({ next, waiting }: NextTasks, paint: Paint): string[] {
  const ready = next.map(({ id, name }) => `  ${paint('bold', visibleLine(id))}  ${visibleLine(name)}`);
  const later = waiting.map(
    ({ id, name, on }) =>
      `  ${paint('bold', visibleLine(id))}  ${visibleLine(name)}${paint('dim', describeWait(on))}`,
  );
  return [
    ...(ready.length === 0 ? ['Next: nothing can begin now.'] : ['Next:', ...shorten(ready)]),
    ...(later.length === 0 ? [] : ['Waiting:', ...shorten(later)]),
  ];
}

/** ` (on 03-01:2 and 03-02)` */
export function describeWait(on: readonly string[]): string {
  return on.length === 0 ? ' (blocked)' : ` (on ${listIds(on)})`;
}

export function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_NAMED).map(visibleLine).join(', ');
  return ids.length > MOST_NAMED ? `${shown} and ${ids.length - MOST_NAMED} more` : shown;
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= MOST_NAMED) return [...lines];
  return [
    ...lines.slice(0, MOST_NAMED),
    `  and ${lines.length - MOST_NAMED} more; teddy task next lists them`,
  ];
}
