import { useMemo, useRef } from 'preact/hooks';
import type { TaskBoard, TaskCard } from '../../api.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { useColumns } from '../parts/use-columns.js';
import { VirtualList } from '../parts/virtual-list.js';
import { asPlainLine, countNoun, shortTime } from '../parts/words.js';
import { linkTo } from '../route.js';
import { isDoneTask, TaskStatusChip, toneOf } from './task-status.js';

type BoardRow =
  | { kind: 'phase'; name: string; done: number; total: number }
  | { kind: 'wave'; name: string; count: number }
  | { kind: 'cards'; tasks: readonly TaskCard[] };

const CARD_WIDTH = 270;
const HEIGHTS = { phase: 62, wave: 34, cards: 104 };

/** Phases one below the other, each with its waves; only what is visible is rendered. */
export function Board({ board, selected }: { board: TaskBoard; selected: string | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useColumns(frame);
  const across = Math.max(1, Math.floor(width / CARD_WIDTH));
  const rows = useMemo(() => rowsOf(board, across), [board, across]);
  return (
    <div ref={frame} class="board">
      <VirtualList
        count={rows.length}
        source={rows}
        estimate={(at) => HEIGHTS[rows[at]!.kind]}
        render={(at) => <Row row={rows[at]!} across={across} selected={selected} />}
      />
    </div>
  );
}

function rowsOf(board: TaskBoard, across: number): BoardRow[] {
  return board.phases.flatMap(({ phase, waves }): BoardRow[] => {
    const all = waves.flatMap(({ tasks }) => tasks);
    return [
      {
        kind: 'phase',
        name: phase ?? 'Without a phase',
        done: all.filter(isDoneTask).length,
        total: all.length,
      },
      ...waves.flatMap(({ wave, tasks }): BoardRow[] => [
        { kind: 'wave', name: wave === null ? 'Without a wave' : `Wave ${wave}`, count: tasks.length },
        ...inRows(tasks, across),
      ]),
    ];
  });
}

function inRows(tasks: readonly TaskCard[], across: number): BoardRow[] {
  return Array.from({ length: Math.ceil(tasks.length / across) }, (_, at) => ({
    kind: 'cards',
    tasks: tasks.slice(at * across, (at + 1) * across),
  }));
}

function Row({ row, across, selected }: { row: BoardRow; across: number; selected: string | undefined }) {
  switch (row.kind) {
    case 'phase':
      return (
        <div class="phase">
          <h2>
            <Foreign text={row.name} />
          </h2>
          <span class="muted">
            {row.done} of {row.total}
          </span>
          <progress
            max={Math.max(1, row.total)}
            value={row.done}
            aria-label={`${asPlainLine(row.name)}: done`}
          />
        </div>
      );
    case 'wave':
      return (
        <h3 class="wave">
          {row.name} <span class="muted">{countNoun(row.count, 'task')}</span>
        </h3>
      );
    case 'cards':
      return (
        <div class="card-row" style={{ gridTemplateColumns: `repeat(${across}, minmax(0, 1fr))` }}>
          {row.tasks.map((task) => (
            <Card key={task.id} task={task} isSelected={task.id === selected} />
          ))}
        </div>
      );
  }
}

function Card({ task, isSelected }: { task: TaskCard; isSelected: boolean }) {
  const time = task.attempts.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const last = task.attempts.at(-1);
  const isFalse = last?.claimed === 'success' && last.effective !== null && last.effective !== 'success';
  return (
    <a
      class={`task-card ${toneOf(task.status)}`}
      href={linkTo('tasks', task.id)}
      {...(isSelected ? { 'aria-current': 'true' as const } : {})}
    >
      <span class="task-card-top">
        <span class="mono muted">
          <Foreign text={task.id} />
        </span>
        <TaskStatusChip status={task.status} />
      </span>
      <span class="task-card-name">
        <Foreign text={task.name} />
      </span>
      <span class="task-card-facts muted">
        {task.attempts.length > 0 && <span>{countNoun(task.attempts.length, 'attempt')}</span>}
        {time > 0 && <span>{shortTime(time)}</span>}
        {isFalse && (
          <span class="false-claim">
            <Icon name="warning" />
            false claim
          </span>
        )}
        {task.question !== null && (
          <span class="asks">
            <Icon name="question" />
            asks you
          </span>
        )}
      </span>
    </a>
  );
}
