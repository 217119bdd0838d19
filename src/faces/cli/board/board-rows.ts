import { addToGroup } from '../../../core/groups.js';
import { shorten } from '../../../core/text.js';
import type { TaskState } from '../../../orchestrate/events.js';
import { STATE_WORDS } from '../commands/tasks/task-lines.js';
import type { Look, Style } from '../output.js';
import { foreign, foreignLine, layOut, leads, paintRow, type Span, spanWidth } from '../terminal/line.js';
import type { BoardSize } from '../terminal/screen.js';
import { spellTime, spentWords } from '../words.js';
import { type BoardProgress, byUrgency, isActive, type TaskProgress } from './progress.js';

/** Below this width, rows show only a name and a time. */
const NARROW = 60;
const ENDED: readonly TaskState[] = ['done', 'failed', 'blocked', 'skipped'];

/** The rows of the board, cut to the width. Tasks without a row are counted. */
export function boardRows(progress: BoardProgress, now: number, size: BoardSize, look: Look): string[] {
  if (size.height < 1) return [];
  const tasks = [...progress.tasks.values()];
  const active = tasks.filter(isActive).sort(byUrgency);
  // Each ending is also a line above the board, so it is shown only if there is room.
  const recent = progress.recent.filter(({ state, again }) => !again && ENDED.includes(state));
  const board = new Board(tasks, now, size, look, progress.selected);
  // From the full board to the smallest one.
  const forms = [
    () => board.draw(active, recent, { titles: true, output: true }),
    () => board.draw(active, [], { titles: true, output: true }),
    () => board.draw(active, [], { titles: true, output: false }),
    () => board.draw(active, [], { titles: false, output: false }),
  ];
  let fitting: Span[][] | undefined;
  for (const draw of forms) {
    const rows = draw();
    if (rows.length >= size.height) continue;
    fitting = rows;
    break;
  }
  const head = board.head(progress);
  if (fitting !== undefined) return [head, ...fitting].map((row) => paintRow(row, look));
  // Questions are also shown below the board; running tasks are shown nowhere else.
  const running = [...active].sort(
    (one, other) => Number(one.state === 'asking') - Number(other.state === 'asking'),
  );
  const shown = running.slice(0, Math.max(0, size.height - 2));
  const rows = [head, ...board.draw(shown, [], { titles: false, output: false })];
  return rows.slice(0, size.height).map((row) => paintRow(row, look));
}

interface Form {
  titles: boolean;
  output: boolean;
}

class Board {
  readonly #tasks: readonly TaskProgress[];
  readonly #now: number;
  readonly #width: number;
  readonly #look: Look;
  readonly #selected: string | undefined;

  constructor(
    tasks: readonly TaskProgress[],
    now: number,
    { width }: BoardSize,
    look: Look,
    selected: string | undefined,
  ) {
    this.#selected = selected;
    this.#tasks = tasks;
    this.#now = now;
    this.#width = width;
    this.#look = look;
  }

  /** `12 of 40 done  1 failed  4m 12s  182.3k tokens, $1.20` */
  head({ beganAt, usage, stopping }: BoardProgress): Span[] {
    const count = (wanted: TaskState) => this.#tasks.filter(({ state }) => state === wanted).length;
    const spans: Span[] = [{ text: `${count('done')} of ${this.#tasks.length} done`, style: 'strong' }];
    const add = (text: string, style?: Style) => spans.push({ text: '  ' }, { text, style });
    if (count('failed') > 0) add(`${count('failed')} failed`, 'bad');
    if (count('skipped') > 0) add(`${count('skipped')} skipped`, 'flag');
    if (stopping !== undefined) add(stopping.ending ? 'ending' : 'stopping', 'flag');
    if (count('asking') > 0)
      add(`${count('asking')} ${count('asking') === 1 ? 'needs' : 'need'} you`, 'flag');
    if (beganAt !== undefined) add(this.#elapsed(beganAt));
    const spent = spentWords(usage);
    if (spent !== '') add(spent, 'dim');
    return this.#cut(spans, this.#width);
  }

  draw(active: readonly TaskProgress[], recent: readonly TaskProgress[], form: Form): Span[][] {
    const rows: Span[][] = [];
    for (const [title, tasks] of groupByWave(active)) {
      if (form.titles && title !== '') rows.push(this.#title(title));
      for (const task of tasks) {
        rows.push(this.#task(task));
        if (form.output && task.line.trim() !== '')
          rows.push(this.#output(task.line.replace(/\s+/g, ' ').trim()));
      }
    }
    for (const task of recent) rows.push(this.#task(task));
    const rest = this.#rest(new Set([...active, ...recent]));
    return rest === '' ? rows : [...rows, this.#cut([{ text: rest, style: 'dim' }], this.#width)];
  }

  #title(title: string): Span[] {
    const tasks = this.#tasks.filter(({ wave }) => wave === title);
    const done = tasks.filter(({ state }) => state === 'done').length;
    // With a single wave, the head shows this.
    const count = tasks.length === this.#tasks.length ? '' : `  ${done} of ${tasks.length} done`;
    const spans = [...foreignLine(title, this.#look, 'accent'), { text: count, style: 'dim' as const }];
    return this.#cut(spans, this.#width);
  }

  #task(task: TaskProgress): Span[] {
    const right = this.#right(task);
    const room = Math.max(4, this.#width - spanWidth(right) - 2);
    const left = this.#cut(
      [
        this.#mark(task),
        task.id === this.#selected ? { text: '>', style: 'accent' } : { text: ' ' },
        ...foreignLine(task.id, this.#look, 'strong'),
        { text: '  ' },
        ...foreignLine(task.name.slice(0, room * 4), this.#look),
      ],
      room,
    );
    const padding = ' '.repeat(Math.max(0, this.#width - spanWidth(left) - spanWidth(right)));
    return this.#cut([...left, { text: padding }, ...right], this.#width);
  }

  #mark({ state, again }: TaskProgress): Span {
    const { glyphs } = this.#look;
    if (again) return { text: glyphs.dot, style: 'flag' };
    switch (state) {
      case 'asking':
        return { text: '?', style: 'flag' };
      case 'done':
        return { text: glyphs.good, style: 'good' };
      case 'failed':
        return { text: glyphs.bad, style: 'bad' };
      case 'blocked':
      case 'skipped':
        return { text: glyphs.none, style: 'flag' };
      default:
        return { text: glyphs.start, style: 'accent' };
    }
  }

  #right(task: TaskProgress): Span[] {
    const { state, executor, attempt } = task;
    const narrow = this.#width < NARROW;
    const words = [
      ...(narrow ? [] : [spentWords(task.usage)]),
      stateWords(task),
      ...(narrow ? [] : [shorten(executor, 20), attempt > 1 ? `try ${attempt}` : '']),
      ENDED.includes(state) ? '' : this.#elapsed(task.since),
    ].filter((word) => word !== '');
    return foreignLine(words.join('  '), this.#look, 'dim');
  }

  #output(line: string): Span[] {
    const { lead } = leads(this.#look, '', '');
    // If carriage returns overwrote the line, only its last state is shown.
    const shown = line.trimEnd();
    return this.#cut(
      [...lead, ...foreign(shown.slice(0, this.#width * 4), this.#look, { style: 'dim' })],
      this.#width,
    );
  }

  /** `… 3 more running, 180 waiting` */
  #rest(shown: ReadonlySet<TaskProgress>): string {
    const counts = new Map<RestState, number>();
    for (const task of this.#tasks) {
      if (shown.has(task) || task.state === 'done' || (ENDED.includes(task.state) && !task.again)) continue;
      const state = restState(task);
      counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    if (counts.size === 0) return '';
    const above = new Set([...shown].map(restState));
    const parts = [...counts].map(
      ([state, count]) => `${count} ${above.has(state) ? 'more ' : ''}${restWords(state, count)}`,
    );
    return `${this.#look.glyphs.dots} ${parts.join(', ')}`;
  }

  /** Whole seconds, so that the board does not flicker. */
  #elapsed(since: number): string {
    const seconds = Math.max(0, Math.floor((this.#now - since) / 1000));
    return seconds === 0 ? '0s' : spellTime(seconds * 1000);
  }

  /** Cuts a row to the width, with dots at the end. */
  #cut(spans: readonly Span[], width: number): Span[] {
    const line = { lead: [], more: [], spans, wrap: 'cells' as const };
    const [row = [], ...more] = layOut(line, width);
    if (more.length === 0) return row;
    const { dots } = this.#look.glyphs;
    const [shorter = []] = layOut(line, Math.max(2, width - dots.length));
    return [...shorter, { text: dots, style: 'dim' }];
  }
}

/** The state in a task's row. Running tasks show a clock instead. */
function stateWords({ state, again, later }: TaskProgress): string {
  if (again) return 'retrying soon';
  if (state === 'asking') return later ? 'postponed: Tab' : 'needs you';
  return state === 'running' ? '' : STATE_WORDS[state];
}

type RestState = TaskState | 'again';

function restState({ state, again }: TaskProgress): RestState {
  return again ? 'again' : state;
}

function restWords(state: RestState, count: number): string {
  if (state === 'again') return 'retrying';
  return state === 'asking' && count > 1 ? 'need you' : STATE_WORDS[state];
}

/** In order of each wave's first task. */
function groupByWave(tasks: readonly TaskProgress[]): Map<string, TaskProgress[]> {
  const groups = new Map<string, TaskProgress[]>();
  for (const task of tasks) addToGroup(groups, task.wave, task);
  return groups;
}
