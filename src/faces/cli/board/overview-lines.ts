import { describeLookalikes } from '../../../core/plan/lookalikes.js';
import { isTerminal } from '../../../node/terminal/terminal.js';
import type { OrchestrationOverview, OverviewPlan, OverviewTask } from '../../../orchestrate/events.js';
import { listAre, listIds, listWaits, STATE_WORDS, splitWaits } from '../commands/tasks/task-lines.js';
import { type GlobalOptions, type Paint, printResult, visible, visibleLine } from '../output.js';
import { pageWidth, wrapWords } from '../table.js';
import { layOut, textWidth } from '../terminal/line.js';
import { plural } from '../words.js';

/** Limits the lines for task files, and those for commands. */
const MOST_LINES = 200;

/** The widest label with task ids beside a command. */
const WIDEST_LABEL = 24;
/** Below this width, labels are above the command. */
const NARROW = 60;

/**
 * What a run will do. Commands come last, so that they stay visible after the start. `isDry`: shows
 * everything.
 */
export function orchestrationLines(
  overview: OrchestrationOverview,
  paint: Paint,
  width: number,
  { isDry = false }: { isDry?: boolean } = {},
): string[] {
  const most = isDry ? Number.POSITIVE_INFINITY : MOST_LINES;
  return [
    ...wrapWords(isDry ? DRY : STARTING, width),
    ...fewer(planLines(overview.plans, paint, width), most, 'more line'),
    ...howLines(overview, paint, width),
    ...overview.notes.flatMap((note) => noteLines(note, paint, width)),
    ...commandLines(overview.commands, paint, width, most, isDry),
    ...stuckLines(overview.plans, paint, width),
  ];
}

const STARTING = 'Starting (preview with --dry-run):';
const DRY = 'Preview; nothing is started:';

function fewer(lines: readonly string[], most: number, what: string): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), moreLine(lines.length - most, what)];
}

function moreLine(count: number, what: string): string {
  return `  … and ${plural(count, what)}: teddy orchestrate --dry-run lists them all`;
}

/** Plans below their phase and wave, each with its tasks. */
function planLines(plans: readonly OverviewPlan[], paint: Paint, width: number): string[] {
  const lines: string[] = [];
  let above: string | undefined;
  for (const plan of plans) {
    const title = waveTitle(plan);
    if (title !== above) lines.push(paint('bold', title));
    above = title;
    const tasks = plan.tasks.length;
    const done = plan.tasks.filter(({ status }) => status === 'done').length;
    const count = done === 0 ? plural(tasks, 'task') : `${done} of ${plural(tasks, 'task')} done`;
    const outside = outsideOf([plan]);
    const missing = outside.length === 0 ? '' : `  (${listAre(outside)} not part of this run)`;
    lines.push(`  ${visibleLine(plan.path)}${paint('dim', `  ${count}${missing}`)}`);
    const column = Math.max(0, ...plan.tasks.map(({ id }) => visibleLine(id).length));
    for (const task of plan.tasks) lines.push(...taskLines(task, column, paint, width));
  }
  return lines.length === 0 ? ['No task file has a task.'] : lines;
}

/** Dependencies of open tasks that are not part of this run. */
function outsideOf(plans: readonly OverviewPlan[]): string[] {
  const open = plans.flatMap(({ tasks }) => tasks.filter(isOpen));
  return [...new Set(open.flatMap(({ waitsOn }) => splitWaits(waitsOn).outside))];
}

function isOpen({ status }: OverviewTask): boolean {
  return isOpenState(status);
}

export function isOpenState(status: OverviewTask['status']): boolean {
  return status !== 'done' && status !== 'skipped';
}

/** Explains why nothing can start. */
function stuckLines(plans: readonly OverviewPlan[], paint: Paint, width: number): string[] {
  const open = plans.flatMap(({ tasks }) => tasks.filter(isOpen));
  if (open.length === 0 || open.some(({ status }) => status === 'ready')) return [];
  const idsOf = (...states: OverviewTask['status'][]) =>
    plans.flatMap(({ tasks }) => tasks.filter(({ status }) => states.includes(status)).map(({ id }) => id));
  const outside = outsideOf(plans);
  const asking = idsOf('asking');
  const given = idsOf('skipped', 'failed', 'blocked');
  const why = [
    ...(outside.length === 0 ? [] : [`${listAre(outside)} not done and not part of this run`]),
    ...(asking.length === 0
      ? []
      : [`${listIds(asking)} ${asking.length === 1 ? 'needs' : 'need'} your answer`]),
    ...(given.length === 0 ? [] : [`${listAre(given)} skipped, failed or blocked`]),
  ].join(', and ');
  const sentence = `Nothing can start: ${why === '' ? 'every task is waiting for another one' : why}.`;
  return wrapWords(sentence, width).map((line) => paint('yellow', line));
}

/** `Phase 03, wave 2` */
export function waveTitle({ phase, wave }: Pick<OverviewPlan, 'phase' | 'wave'>): string {
  const words = [
    ...(phase === null ? [] : [`phase ${visibleLine(phase)}`]),
    ...(wave === null ? [] : [`wave ${wave}`]),
  ];
  if (words.length === 0) return 'No phase';
  return words.join(', ').replace(/^./, (letter) => letter.toUpperCase());
}

const COLOURS = { done: 'green', failed: 'red', blocked: 'yellow', asking: 'yellow' } as const;

/** On one line if it fits; otherwise the name is wrapped, and the remarks follow below it. */
function taskLines(task: OverviewTask, column: number, paint: Paint, width: number): string[] {
  const id = visibleLine(task.id);
  const name = visibleLine(task.name);
  const remarks = remarksOf(task);
  const painted = remarks.map(({ text, style }) => paint(style, text)).join('  ');
  const lead = `    ${paint('bold', id)}${' '.repeat(column - id.length)}  `;
  const room = width - column - 6;
  const isShort = textWidth([name, ...remarks.map(({ text }) => text)].join('  ')) <= room;
  if (isShort) return [`${lead}${name}  ${painted}`];
  const rows = [...wrapWords(name, Math.max(room, 20)), painted];
  return rows.map((row, at) => `${at === 0 ? lead : ' '.repeat(column + 6)}${row}`);
}

function remarksOf(task: OverviewTask): { text: string; style: Parameters<Paint>[0] }[] {
  const { status, isCheckpoint, verify, waitsOn } = task;
  const isWaiting = waitsOn.length > 0 && status !== 'done';
  const isUnverified = verify === null && !isCheckpoint && status !== 'done';
  return [
    // The dependencies make the state redundant.
    ...(status === 'waiting' && isWaiting
      ? []
      : [{ text: STATE_WORDS[status], style: COLOURS[status as keyof typeof COLOURS] ?? 'dim' }]),
    ...(isWaiting
      ? [{ text: `waiting for ${listWaits(splitWaits(waitsOn).on)}`, style: 'dim' as const }]
      : []),
    ...(isCheckpoint ? [{ text: 'checkpoint', style: 'yellow' as const }] : []),
    ...(isUnverified ? [{ text: 'no verify command', style: 'yellow' as const }] : []),
  ];
}

/** The exact commands. Every row starts with the gutter, so that a command cannot imitate teddy's text. */
function commandLines(
  commands: OrchestrationOverview['commands'],
  paint: Paint,
  width: number,
  most: number,
  isDry: boolean,
): string[] {
  const run = isDry ? 'would run' : 'will run';
  if (commands.length === 0) return [`No verify command ${run}: no open task has one.`];
  const what = commands.length === 1 ? 'This verify command' : `These ${commands.length} verify commands`;
  const lines = wrapWords(`${what} ${run} without asking again:`, width);
  const labels = commands.map(({ tasks }) => labelOf(tasks));
  const widest = Math.max(...labels.map(textWidth).filter((each) => each <= WIDEST_LABEL), 0);
  const column = width < NARROW ? 0 : widest;
  let used = 0;
  for (const [at, { command }] of commands.entries()) {
    const rows = [
      ...commandRows(command, labels[at]!, { column, paint, width }),
      ...describeLookalikes(command)
        .flatMap((risk) => wrapWords(`⚠ ${visibleLine(risk)}`, width - 2))
        .map((row) => `  ${row}`),
    ];
    // Each command is shown in full or not at all.
    if (at > 0 && used + rows.length > most) {
      lines.push(moreLine(commands.length - at, 'more command'));
      break;
    }
    used += rows.length;
    lines.push(...rows);
  }
  return lines;
}

/** `03-01:1 and 6 more` */
function labelOf(tasks: readonly string[]): string {
  const [first = '', ...more] = tasks.map((id) => visibleLine(id));
  if (more.length < 2) return tasks.map((id) => visibleLine(id)).join(', ');
  return `${first} and ${more.length} more`;
}

interface CommandForm {
  /** Columns before the gutter, for the label; a wider label is above the command. */
  column: number;
  paint: Paint;
  width: number;
}

/** Only the command is to the right of the gutter. */
function commandRows(command: string, label: string, { column, paint, width }: CommandForm): string[] {
  const fits = textWidth(label) <= column;
  const room = Math.max(width - column - (column === 0 ? 4 : 5), 2);
  const rows = visible(command.replace(/\n+$/, ''))
    .split('\n')
    .flatMap((text) => {
      const line = { lead: [], more: [], spans: [{ text }], wrap: 'cells' as const };
      return layOut(line, room).map((row, at) => ({
        mark: at === 0 ? '│' : '┊',
        text: row.map((span) => span.text).join(''),
      }));
    });
  const before = (at: number) => {
    if (column === 0) return '  ';
    const shown = at === 0 && fits ? label : '';
    return `  ${shown}${' '.repeat(column - textWidth(shown))} `;
  };
  return [
    ...(fits ? [] : [`  ${label}`]),
    ...rows.map(({ mark, text }, at) => `${before(at)}${paint('dim', mark)} ${text}`),
  ];
}

function howLines(overview: OrchestrationOverview, paint: Paint, width: number): string[] {
  const { executor, jobs, isolation, plans } = overview;
  if (plans.length === 0) return [];
  const where = isolation === 'worktree' ? 'each attempt in its own git worktree' : 'directly in the project';
  const how = `Executor ${visibleLine(executor)}, ${jobs === 1 ? 'one task at a time' : `up to ${jobs} tasks at once`}, ${where}.`;
  return [...wrapWords(how, width), ...confinementLines(overview, paint, width)];
}

function confinementLines(
  { confinement, executor, isolation }: OrchestrationOverview,
  paint: Paint,
  width: number,
): string[] {
  if (confinement === undefined) return [];
  // A person is not confined.
  const who = executor === 'human' ? 'verify commands' : 'executors and verify commands';
  const write = (word: string, style: 'yellow' | 'bold', rest: string) =>
    wrapWords(`${word} ${rest}`, width).map((line) => line.replace(word, paint(style, word)));
  if (confinement === null) return write('Not confined:', 'yellow', `${who} can change all that you can.`);
  const what = isolation === 'worktree' ? 'their worktree' : 'this project';
  const network = confinement.network ? 'on' : 'off';
  return write('Confined:', 'bold', `${who} can change only ${what}; network ${network}.`);
}

function noteLines(note: string, paint: Paint, width: number): string[] {
  const [first = '', ...more] = wrapWords(visibleLine(note), Math.max(width - 6, 20));
  return [`${paint('yellow', 'note')}  ${first}`, ...more.map((line) => `      ${line}`)];
}

/** `--dry-run`: everything that a run would do, on standard output. */
export function printOverview(
  overview: OrchestrationOverview,
  options: Pick<GlobalOptions, 'json' | 'color'> & { root: string },
): void {
  const width = isTerminal('stdout') ? pageWidth() : Number.POSITIVE_INFINITY;
  printResult(options.root, options, overview, (paint) =>
    orchestrationLines(overview, paint, width, { isDry: true }),
  );
}
