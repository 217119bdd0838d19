import { useState } from 'preact/hooks';
import type { TaskBoard, TaskCard } from '../../api.js';
import { useKeys } from '../keys.js';
import { Chip, CommandLine, EmptyState, Segments, Skeleton } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { goTo } from '../route.js';
import { useLoaded } from '../store.js';
import { Board } from './board.js';
import { Graph } from './graph.js';
import { TaskPanel } from './task-panel.js';
import { allTasks, isDoneTask } from './task-status.js';
import { Timeline } from './timeline.js';

type Way = 'board' | 'graph' | 'timeline';

/** The project's tasks by phase and wave, as a graph, and over time. */
export function TasksPage({ selected }: { selected: string | undefined }) {
  const { value: board } = useLoaded<TaskBoard>('/api/tasks');
  const [way, setWay] = useState<Way>('board');
  const tasks = board === null ? [] : allTasks(board);
  const current = tasks.find(({ id }) => id === selected);
  const step = (by: 1 | -1) => {
    const next = tasks[current === undefined ? 0 : tasks.indexOf(current) + by];
    if (next !== undefined) goTo('tasks', next.id);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    b: () => setWay('board'),
    g: () => setWay('graph'),
    t: () => setWay('timeline'),
    Escape: () => goTo('tasks'),
  });
  if (board === null)
    return (
      <div class="wide">
        <Skeleton rows={6} />
      </div>
    );
  if (tasks.length === 0)
    return (
      <div class="column">
        <PageHead title="Tasks" />
        <EmptyState icon="tasks" title="No tasks yet">
          <p>
            Tasks come from task files such as 01-01-PLAN.md; docs/formats/task-plan.md says how to write one.
            Coding agents work through them with:
          </p>
          <CommandLine command="teddy orchestrate" />
        </EmptyState>
      </div>
    );
  return (
    <div class={`tasks-page ${current === undefined ? '' : 'with-panel'}`}>
      <div class="tasks-main scroller">
        <header class="page-head tasks-head">
          <h1>Tasks</h1>
          <Counts tasks={tasks} />
          {board.active && (
            <Chip tone="accent" icon="clock">
              orchestrate is running
            </Chip>
          )}
          <Segments
            label="Show as"
            value={way}
            options={[
              { value: 'board', label: 'Board' },
              { value: 'graph', label: 'Graph' },
              { value: 'timeline', label: 'Timeline' },
            ]}
            onChange={(next) => setWay(next)}
          />
        </header>
        {way === 'board' && <Board board={board} selected={selected} />}
        {way === 'graph' && <Graph board={board} selected={selected} />}
        {way === 'timeline' && <Timeline board={board} selected={selected} />}
      </div>
      {current !== undefined && <TaskPanel key={current.id} task={current} board={board} />}
    </div>
  );
}

function Counts({ tasks }: { tasks: readonly TaskCard[] }) {
  const done = tasks.filter(isDoneTask).length;
  const asking = tasks.filter(({ question }) => question !== null).length;
  return (
    <p class="muted">
      {done.toLocaleString('en')} of {tasks.length.toLocaleString('en')} done
      {asking > 0 && `, ${asking} waiting for you`}
    </p>
  );
}
