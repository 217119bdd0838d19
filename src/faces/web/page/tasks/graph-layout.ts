import type { TaskCard } from '../../api.js';

// A drawing of tasks and what they depend on: columns by depth, arrows from left to right.

export interface GraphNode {
  task: TaskCard;
  x: number;
  y: number;
}

export interface GraphEdge {
  from: GraphNode;
  to: GraphNode;
  isCritical: boolean;
}

export interface GraphDrawing {
  nodes: GraphNode[];
  edges: GraphEdge[];
  width: number;
  height: number;
}

export const NODE = { width: 172, height: 40, gapX: 34, gapY: 14 };

export function drawGraph(cards: readonly TaskCard[], criticalPath: readonly string[]): GraphDrawing {
  const tasks = nameTasks(cards);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const depths = findDepths(byId);
  const columns: TaskCard[][] = [];
  for (const task of tasks) {
    const depth = depths.get(task.id)!;
    columns[depth] ??= [];
    columns[depth].push(task);
  }
  const places = new Map<string, GraphNode>();
  columns.forEach((column, depth) => {
    orderByParents(column, places).forEach((task, row) => {
      const x = depth * (NODE.width + NODE.gapX);
      places.set(task.id, { task, x, y: row * (NODE.height + NODE.gapY) });
    });
  });
  const critical = new Set(criticalPath.map((id, at) => `${criticalPath[at - 1]} ${id}`));
  const edges = tasks.flatMap((task) =>
    task.dependsOn.flatMap((id): GraphEdge[] => {
      const from = places.get(id);
      const isCritical = critical.has(`${id} ${task.id}`);
      return from === undefined ? [] : [{ from, to: places.get(task.id)!, isCritical }];
    }),
  );
  const tallest = columns.reduce((most, column) => Math.max(most, column.length), 0);
  return {
    nodes: [...places.values()],
    edges,
    width: columns.length * (NODE.width + NODE.gapX) - NODE.gapX,
    height: tallest * (NODE.height + NODE.gapY) - NODE.gapY,
  };
}

/** A task may depend on a whole plan: then on the tasks of the plan that no other task of it depends on. */
function nameTasks(tasks: readonly TaskCard[]): TaskCard[] {
  const planOf = (id: string) => id.slice(0, Math.max(0, id.lastIndexOf(':')));
  const needed = new Set(
    tasks.flatMap((task) => task.dependsOn.filter((id) => planOf(id) === planOf(task.id))),
  );
  const last = new Map<string, string[]>();
  for (const { id } of tasks)
    if (!needed.has(id)) last.set(planOf(id), [...(last.get(planOf(id)) ?? []), id]);
  return tasks.map((task) => ({
    ...task,
    dependsOn: [...new Set(task.dependsOn.flatMap((id) => last.get(id) ?? [id]))],
  }));
}

/** The longest way to each task, in tasks. A cycle ends where it would come back to itself. */
function findDepths(byId: ReadonlyMap<string, TaskCard>): Map<string, number> {
  const depths = new Map<string, number>();
  const depthOf = (task: TaskCard): number => {
    const known = depths.get(task.id);
    if (known !== undefined) return known;
    depths.set(task.id, 0);
    const before = task.dependsOn.flatMap((id) => byId.get(id) ?? []);
    const depth = before.reduce((most, one) => Math.max(most, depthOf(one) + 1), 0);
    depths.set(task.id, depth);
    return depth;
  };
  for (const task of byId.values()) depthOf(task);
  return depths;
}

/** Near to what they depend on, so that fewer arrows cross. */
function orderByParents(column: readonly TaskCard[], places: ReadonlyMap<string, GraphNode>): TaskCard[] {
  const middle = (task: TaskCard): number => {
    const rows = task.dependsOn.flatMap((id) => places.get(id)?.y ?? []);
    return rows.length === 0 ? 0 : rows.reduce((sum, y) => sum + y, 0) / rows.length;
  };
  return column
    .map((task, at) => ({ task, at, middle: middle(task) }))
    .sort((a, b) => a.middle - b.middle || a.at - b.at)
    .map(({ task }) => task);
}
