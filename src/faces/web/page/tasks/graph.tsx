import { useMemo, useState } from 'preact/hooks';
import type { TaskBoard, TaskCard } from '../../api.js';
import { asPlainLine, countNoun } from '../parts/words.js';
import { linkTo } from '../route.js';
import { drawGraph, type GraphEdge, type GraphNode, NODE } from './graph-layout.js';
import { allTasks, statusWords, toneOf } from './task-status.js';

/** More than this is not a picture any more. */
const MOST_NODES = 300;
const EVERYTHING = '';

/** Dependencies as a graph, of one phase where the project is large. */
export function Graph({ board, selected }: { board: TaskBoard; selected: string | undefined }) {
  const isLarge = allTasks(board).length > MOST_NODES;
  const [phase, setPhase] = useState(isLarge ? phaseName(board.phases[0]!.phase) : EVERYTHING);
  const tasks = useMemo(() => tasksOf(board, phase), [board, phase]);
  const shown = tasks.slice(0, MOST_NODES);
  const drawing = useMemo(() => drawGraph(shown, board.criticalPath), [board, phase]);
  return (
    <div class="graph">
      <div class="graph-tools">
        <label>
          Phase{' '}
          <select value={phase} onChange={(event) => setPhase(event.currentTarget.value)}>
            {!isLarge && <option value={EVERYTHING}>All</option>}
            {board.phases.map(({ phase: name }) => (
              <option key={name} value={phaseName(name)}>
                {asPlainLine(phaseName(name))}
              </option>
            ))}
          </select>
        </label>
        <span class="muted">
          {shown.length < tasks.length
            ? `The first ${shown.length} of ${countNoun(tasks.length, 'task')}`
            : countNoun(tasks.length, 'task')}
          {board.criticalPath.length > 0 && '; the critical path is drawn bold'}
        </span>
      </div>
      <section class="graph-scroll" tabIndex={0} aria-label="Dependencies">
        <svg width={drawing.width + 4} height={drawing.height + 4} class="graph-drawing">
          <title>Dependencies</title>
          <g transform="translate(2 2)">
            {drawing.edges.map((edge) => (
              <Edge key={`${edge.from.task.id} ${edge.to.task.id}`} edge={edge} />
            ))}
            {drawing.nodes.map((node) => (
              <Node key={node.task.id} node={node} isSelected={node.task.id === selected} />
            ))}
          </g>
        </svg>
      </section>
    </div>
  );
}

function phaseName(phase: string | null): string {
  return phase ?? 'Without a phase';
}

function tasksOf(board: TaskBoard, phase: string): TaskCard[] {
  if (phase === EVERYTHING) return allTasks(board);
  const found = board.phases.find((one) => phaseName(one.phase) === phase);
  return found?.waves.flatMap(({ tasks }) => tasks) ?? [];
}

function Edge({ edge: { from, to, isCritical } }: { edge: GraphEdge }) {
  const start = { x: from.x + NODE.width, y: from.y + NODE.height / 2 };
  const end = { x: to.x, y: to.y + NODE.height / 2 };
  const bend = Math.max(24, (end.x - start.x) / 2);
  const path = `M${start.x} ${start.y} C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
  return <path class={isCritical ? 'edge critical' : 'edge'} d={path} />;
}

/** Characters that fit into a node. */
const NAME_LENGTH = 24;

function Node({ node: { task, x, y }, isSelected }: { node: GraphNode; isSelected: boolean }) {
  const name = asPlainLine(task.name);
  return (
    <a href={linkTo('tasks', task.id)} class={`node ${toneOf(task.status)} ${isSelected ? 'selected' : ''}`}>
      <title>{`${asPlainLine(task.id)}: ${name} (${statusWords(task.status)})`}</title>
      <rect x={x} y={y} width={NODE.width} height={NODE.height} rx="7" />
      <text x={x + 10} y={y + 16} class="node-id">
        {asPlainLine(task.id)} · {statusWords(task.status)}
      </text>
      <text x={x + 10} y={y + 31}>
        {name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name}
      </text>
    </a>
  );
}
