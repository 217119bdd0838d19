import { DEFAULTS } from '../src/config/config-file.js';
import { buildGraph } from '../src/orchestrate/graph/build-graph.js';
import { readProjectTasks } from '../src/tasks/plans/tasks.js';
import { openCapture } from '../src/tasks/project.js';
import { Workspace } from '../src/workspace/workspace.js';

/** Finds and reads the plans of a project and makes their graph, which has so many tasks. */
export function readGraph(root: string, tasks: number): void {
  const read = buildGraph(readProjectTasks(openCapture(new Workspace(root), DEFAULTS)), null);
  if (read.status === 'refused') throw new Error(read.problems[0]!.message);
  if (read.graph.tasks.size !== tasks) throw new Error(`it has ${read.graph.tasks.size} tasks`);
}
