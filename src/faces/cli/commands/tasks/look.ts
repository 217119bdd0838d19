import { writeError } from '../../../../node/terminal/terminal.js';
import {
  type AttemptRecords,
  findQuestions,
  type OpenQuestion,
  readAttempts,
} from '../../../../orchestrate/attempt-records.js';
import { listAll } from '../../../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../../../tasks/project.js';
import type { NextTasks } from '../../../../tasks/types.js';
import { visibleLine } from '../../visible.js';
import { planFromRoot } from './open.js';
import { type Outlook, setAskedAside } from './outlook.js';

/** Plans with their tasks, and what of them can begin. */
export type Look = ReturnType<typeof listAll>;

/** At the plan that a person names, or at all. */
export function lookAtPlans(project: CaptureProject, named: string | undefined): Look {
  return named === undefined
    ? listAll(project)
    : listAll(project, planFromRoot(project.workspace.root, named));
}

/** What orchestrate left for a person to answer, by the ids of tasks. */
export function lookForQuestions(
  project: CaptureProject,
  { plans }: { plans: readonly { plan: { path: string } }[] },
): Map<string, OpenQuestion> {
  return findQuestions(
    lookAtAttempts(project),
    project,
    plans.map(({ plan }) => plan),
  );
}

/** How it goes on behind what was captured for a plan. */
export function lookAhead(
  project: CaptureProject,
  { plan, ...tasks }: NextTasks & { plan: { path: string } },
): Outlook {
  return setAskedAside(tasks, lookForQuestions(project, { plans: [{ plan }] }));
}

/** Says where they are not known. */
export function lookAtAttempts({ workspace }: CaptureProject): AttemptRecords {
  const records = readAttempts(workspace);
  if (records.problem !== null)
    writeError(`What orchestrate tried and asked is not known. ${visibleLine(records.problem)}\n`);
  return records;
}

/** Says what is wrong with plans, and which could not be read at all. */
export function tellOfPlans({ plans, unreadable }: Pick<Look, 'plans' | 'unreadable'>): void {
  for (const { plan, issues } of plans) {
    for (const { line, message } of issues) {
      writeError(
        `${visibleLine(plan.path)}${line === undefined ? '' : `:${line}`}: ${visibleLine(message)}\n`,
      );
    }
  }
  for (const { path, reason } of unreadable)
    writeError(`${visibleLine(path)} ${visibleLine(reason)}, so what is to be done there is not known.\n`);
}
