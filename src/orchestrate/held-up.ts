import type { CaptureProject } from '../tasks/project.js';
import { readProjectTasks } from '../tasks/project-tasks.js';
import { buildGraph } from './graph/build-graph.js';

/**
 * Ids of the open tasks that a run of all plans does not begin as long as a task was skipped, or is failed: what waits
 * for it, and what comes after that by its phase or its files. None where no such run can begin anyway.
 */
export function findHeldUp(project: CaptureProject, task: string, as: 'skipped' | 'failed'): string[] {
  const read = buildGraph(readProjectTasks(project), null);
  return read.status === 'graph' && read.graph.tasks.has(task) ? read.graph.leaves(task, as) : [];
}
