import type { TaskRef, WaitingTask } from '../../../../tasks/types.js';
import { plural } from '../../issue-lines.js';
import type { Paint } from '../../paint.js';
import { visibleLine } from '../../visible.js';
import { describeAnswers, summarizeQuestion } from './attempt-lines.js';
import type { Outlook } from './status.js';

/** How many tasks each list names. */
const MOST_NAMED = 5;

/** What can begin now, what a person is asked, and what waits on what, in a few lines. */
export function nextLines({ next, asking, waiting }: Outlook, paint: Paint, allDone = false): string[] {
  if (allDone) return ['All tasks are done.'];
  const line = (task: TaskRef) => `  ${taskTitle(task, paint)}`;
  const later = (task: WaitingTask) => `${line(task)}${paint('dim', describeWait(task))}`;
  const asks = ({ question, ...task }: Outlook['asking'][number]) => [
    `${line(task)}: ${summarizeQuestion(question)}`,
    `    ${paint('cyan', describeAnswers(task.id, question))}`,
  ];
  return [
    ...(next.length === 0 ? ['Next: nothing can begin now.'] : ['Next:', ...firstLines(next, line)]),
    ...(asking.length === 0 ? [] : ['Asks you:', ...firstLines(asking, asks)]),
    ...(waiting.length === 0 ? [] : ['Waiting:', ...firstLines(waiting, later)]),
  ];
}

/** `03-01:2  Task 2: Keep slugs short` */
export function taskTitle({ id, name }: TaskRef, paint: Paint): string {
  return `${paint('bold', visibleLine(id))}  ${visibleLine(name)}`;
}

/** ` (on 03-01:2 and 03-02)` */
function describeWait({ id, on }: WaitingTask): string {
  return on.length === 0
    ? ` (blocked; teddy task resolve ${visibleLine(id)} retry)`
    : ` (on ${listWaits(on)})`;
}

/** What a task waits on, in words; some of it has no id. */
export function listWaits(on: readonly string[]): string {
  return listIds(on.map((each) => WITHOUT_ID[each] ?? each));
}

const WITHOUT_ID: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  frontmatter: 'its frontmatter, which cannot be read',
  'a unique id': 'a plan id of its own',
};

export function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_NAMED).map(visibleLine).join(', ');
  return ids.length > MOST_NAMED ? `${shown} and ${ids.length - MOST_NAMED} more` : shown;
}

function firstLines<T>(tasks: readonly T[], lines: (task: T) => string | string[]): string[] {
  const more = tasks.length - MOST_NAMED;
  return [
    ...tasks.slice(0, MOST_NAMED).flatMap(lines),
    ...(more > 0 ? [`  and ${more} more; teddy task next lists them`] : []),
  ];
}

/** A command of several lines as its first, and how many follow. */
export function firstLineOf(command: string): string {
  const [first = '', ...more] = command.trim().split('\n');
  return more.length === 0 ? first : `${first} (and ${plural(more.length, 'more line')})`;
}
