import { loadProject } from '../../../../config/project.js';
import { checkTrust } from '../../../../config/trust.js';
import { openCapture } from '../../../../tasks/project.js';
import { findProject } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';
import { readPlans, readQuestions, separateQuestions } from './outlook.js';
import { describeHints } from './status.js';

/** How the tasks of a project stand, as plain values. */
export interface TaskSummary {
  plans: number;
  tasks: number;
  completed: number;
  /** Names with what is to be known of them. */
  ready: { id: string; name: string }[];
  /** Ids of those that a person is asked about. */
  asking: string[];
  /** Ids, by what the plans say. */
  inProgress: string[];
  failed: string[];
  blocked: string[];
}

/** Null where it cannot be known without asking somebody, or at all: the commands about tasks say why. */
export async function summarizeTasks(options: GlobalOptions): Promise<TaskSummary | null> {
  try {
    const { root, workspace } = findProject(options);
    const project = await loadProject(root);
    if (project.status === 'refused' || !(options.trust || checkTrust(project).trusted)) return null;
    const capture = openCapture(workspace, project.config);
    const listing = readPlans(capture, undefined);
    const { plans } = listing;
    const questions = readQuestions(capture, listing);
    const tasks = plans.flatMap((plan) => plan.tasks);
    const byId = new Map(tasks.map((task) => [task.id, task]));
    const idsOf = (wanted: string) => tasks.filter(({ status }) => status === wanted).map(({ id }) => id);
    return {
      plans: plans.length,
      tasks: tasks.length,
      completed: idsOf('completed').length,
      ready: separateQuestions(listing.next, questions).next.map(({ id, name }) => ({
        id,
        name: `${name}${describeHints(byId.get(id) ?? {})}`,
      })),
      asking: tasks.filter(({ id }) => questions.has(id)).map(({ id }) => id),
      inProgress: idsOf('in_progress'),
      failed: idsOf('failed'),
      blocked: idsOf('blocked'),
    };
  } catch {
    return null;
  }
}
