import type { Overview, OverviewPlan, OverviewTask } from '../../orchestrate/index.js';
import { plural } from '../issue-lines.js';
import type { Paint } from '../paint.js';
import { layOut } from '../review/line.js';
import { wrapWords } from '../table.js';
import { listIds, listWaits } from '../tasks/next-lines.js';
import { visible, visibleLine } from '../visible.js';
import { STATE_WORDS } from './words.js';

/** Of the plans and of the commands each, before a run begins. */
const MOST_LINES = 200;

/** What a run would do, before it does any of it. `whole`: however long that is. */
export function overviewLines(
  overview: Overview,
  paint: Paint,
  width: number,
  { whole = false }: { whole?: boolean } = {},
): string[] {
  const most = whole ? Number.POSITIVE_INFINITY : MOST_LINES;
  return [
    ...fewer(planLines(overview.plans, paint), most, 'more line'),
    ...commandLines(overview.commands, paint, width, most),
    ...howLines(overview),
    ...overview.notes.flatMap((note) => noteLines(note, paint, width)),
  ];
}

function fewer(lines: readonly string[], most: number, what: string): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), moreLine(lines.length - most, what)];
}

function moreLine(count: number, what: string): string {
  return `  … and ${plural(count, what)}: teddy orchestrate --dry-run lists them all`;
}

/** Plans below their phase and wave, each with its tasks. */
function planLines(plans: readonly OverviewPlan[], paint: Paint): string[] {
  const lines: string[] = [];
  let above: string | undefined;
  for (const plan of plans) {
    const title = waveTitle(plan);
    if (title !== above) lines.push(paint('bold', title));
    above = title;
    const tasks = plan.tasks.length;
    const done = plan.tasks.filter(({ status }) => status === 'done').length;
    const count = done === 0 ? plural(tasks, 'task') : `${done} of ${plural(tasks, 'task')} done`;
    lines.push(`  ${visibleLine(plan.path)}${paint('dim', `  ${count}`)}`);
    const column = Math.max(0, ...plan.tasks.map(({ id }) => visibleLine(id).length));
    for (const task of plan.tasks) lines.push(taskLine(task, column, paint));
  }
  return lines.length === 0 ? ['There is no task in any plan.'] : lines;
}

/** `Phase 03, wave 2` */
export function waveTitle({ phase, wave }: Pick<OverviewPlan, 'phase' | 'wave'>): string {
  const words = [
    ...(phase === null ? [] : [`phase ${visibleLine(phase)}`]),
    ...(wave === null ? [] : [`wave ${wave}`]),
  ];
  if (words.length === 0) return 'Of no phase';
  return words.join(', ').replace(/^./, (letter) => letter.toUpperCase());
}

const COLOURS = { done: 'green', failed: 'red', blocked: 'yellow', asking: 'yellow' } as const;

function taskLine(task: OverviewTask, column: number, paint: Paint): string {
  const { id, name, status, isCheckpoint, verify, waitsOn } = task;
  const state = STATE_WORDS[status];
  const colour = COLOURS[status as keyof typeof COLOURS] ?? 'dim';
  const remarks = [
    // Why it waits says that it does.
    ...(status === 'waiting' && waitsOn.length > 0 ? [] : [paint(colour, state)]),
    ...(waitsOn.length === 0 || status === 'done' ? [] : [paint('dim', `waits on ${listWaits(waitsOn)}`)]),
    ...(isCheckpoint ? [paint('yellow', 'for a person')] : []),
    ...(verify === null && !isCheckpoint && status !== 'done'
      ? [paint('yellow', 'nothing verifies it')]
      : []),
  ];
  const shown = visibleLine(id);
  return `    ${paint('bold', shown)}${' '.repeat(column - shown.length)}  ${visibleLine(name)}  ${remarks.join('  ')}`;
}

/** Each command as it will be run: every row of it begins with our gutter, so that none can be taken for ours. */
function commandLines(commands: Overview['commands'], paint: Paint, width: number, most: number): string[] {
  if (commands.length === 0)
    return ['No command is run: no task that is to be done has a <verify> that can be.'];
  const what =
    commands.length === 1
      ? 'this command, which verifies'
      : `these ${commands.length} commands, which verify`;
  const lines = wrapWords(`To start is to approve ${what} what is done:`, width);
  let used = 0;
  for (const [at, { command, tasks }] of commands.entries()) {
    const rows = visible(command.replace(/\n+$/, ''))
      .split('\n')
      .flatMap((text) => gutterRows(text, paint, width));
    // What follows is shown from its beginning, or not at all.
    if (at > 0 && used + rows.length + 1 > most) {
      lines.push(moreLine(commands.length - at, 'more command'));
      break;
    }
    used += rows.length + 1;
    lines.push(...rows, paint('dim', `    for ${listIds(tasks)}`));
  }
  return lines;
}

function gutterRows(text: string, paint: Paint, width: number): string[] {
  const line = { lead: [], more: [], spans: [{ text }], wrap: 'cells' as const };
  return layOut(line, Math.max(width - 4, 2)).map(
    (row, at) => `  ${paint('dim', at === 0 ? '│' : '┊')} ${row.map((span) => span.text).join('')}`,
  );
}

function howLines({ executor, jobs, isolation, plans }: Overview): string[] {
  if (plans.length === 0) return [];
  const where =
    isolation === 'worktree' ? 'each attempt in a git worktree of its own' : 'all in the project itself';
  return [
    `Executor ${visibleLine(executor)}, ${jobs === 1 ? 'one task at a time' : `${jobs} tasks at once`}, ${where}.`,
  ];
}

function noteLines(note: string, paint: Paint, width: number): string[] {
  const [first = '', ...more] = wrapWords(visibleLine(note), Math.max(width - 6, 20));
  return [`${paint('yellow', 'note')}  ${first}`, ...more.map((line) => `      ${line}`)];
}
