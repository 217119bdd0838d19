import { DEFAULTS } from '../../../src/config/config-file.js';
import { buildGraph } from '../../../src/orchestrate/graph/build-graph.js';
import type { TaskGraph } from '../../../src/orchestrate/graph/task-graph.js';
import type { GraphProblem } from '../../../src/orchestrate/graph/types.js';
import { type ProjectTasks, readProjectTasks } from '../../../src/tasks/plans/tasks.js';
import { openCapture } from '../../../src/tasks/project.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { makeFolder } from '../../folder.js';

/** The tags of a plan's tasks, or how many there are; and lines of its frontmatter. */
export interface PlanSketch {
  front?: string;
  tasks?: readonly string[] | number;
  /** What each task writes. */
  files?: readonly string[];
}

function planText({ front = '', tasks = 1, files = [] }: PlanSketch): string {
  const tags = typeof tasks === 'number' ? Array.from({ length: tasks }, () => '') : tasks;
  const elements = tags.map(
    (tag, i) =>
      `<task ${tag}>\n<name>Task ${i + 1}: Do ${i + 1}</name>\n<files>${files[i] ?? ''}</files>\n</task>\n`,
  );
  return `---\n${front}\n---\n<tasks>\n${elements.join('')}</tasks>\n`;
}

/** Plans on disk, by their ids, and a look at them. */
export function lookAtPlans(plans: Record<string, PlanSketch | string>): ProjectTasks {
  const files = Object.entries(plans).map(([id, plan]) => [
    id.includes('/') ? id : `.planning/phases/${id}-PLAN.md`,
    typeof plan === 'string' ? plan : planText(plan),
  ]);
  const root = makeFolder(Object.fromEntries(files));
  return readProjectTasks(openCapture(new Workspace(root), DEFAULTS));
}

export function graphOf(
  plans: Record<string, PlanSketch | string>,
  chosen: readonly string[] | null = null,
): TaskGraph {
  const read = buildGraph(lookAtPlans(plans), chosen);
  if (read.status !== 'graph') throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.graph;
}

export function problemsOf(
  plans: Record<string, PlanSketch | string>,
  chosen: readonly string[] | null = null,
): GraphProblem[] {
  const read = buildGraph(lookAtPlans(plans), chosen);
  return read.status === 'refused' ? read.problems : [];
}

export const idsOf = (tasks: Iterable<{ id: string }>): string[] => [...tasks].map(({ id }) => id);
