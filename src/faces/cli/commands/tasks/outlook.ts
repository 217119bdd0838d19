import { writeError } from '../../../../node/terminal/terminal.js';
import {
  type AttemptRecords,
  findQuestions,
  type OpenQuestion,
  readAttempts,
} from '../../../../orchestrate/attempt-records.js';
import { listProject } from '../../../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../../../tasks/project.js';
import type { NextTasks, TaskRef } from '../../../../tasks/types.js';
import { visibleLine } from '../../output.js';
import { planFromRoot } from './open.js';
import type { Outlook } from './task-lines.js';

/** What a person is asked about begins once they have answered. */
export function separateQuestions(
  { next, waiting }: NextTasks,
  questions: ReadonlyMap<string, OpenQuestion>,
): Outlook {
  const isFree = ({ id }: TaskRef) => !questions.has(id);
  const asking = [...next, ...waiting].flatMap(({ id, name }) => {
    const question = questions.get(id);
    return question ? [{ id, name, question }] : [];
  });
  return { next: next.filter(isFree), asking, waiting: waiting.filter(isFree) };
}

/** Plans with their tasks, and what of them can begin. */
export type PlanListing = ReturnType<typeof listProject>;

/** At the plan that a person names, or at all. */
export function readPlans(project: CaptureProject, named: string | undefined): PlanListing {
  return named === undefined
    ? listProject(project)
    : listProject(project, planFromRoot(project.workspace.root, named));
}

/** What orchestrate left for a person to answer, by the ids of tasks. */
export function readQuestions(
  project: CaptureProject,
  { plans }: { plans: readonly { plan: { path: string } }[] },
): Map<string, OpenQuestion> {
  return findQuestions(
    readAttemptRecords(project),
    project,
    plans.map(({ plan }) => plan),
  );
}

/** How it goes on behind what was captured for a plan. */
export function readOutlook(
  project: CaptureProject,
  { plan, ...tasks }: NextTasks & { plan: { path: string } },
): Outlook {
  return separateQuestions(tasks, readQuestions(project, { plans: [{ plan }] }));
}

/** Says where they are not known. */
export function readAttemptRecords({ workspace }: CaptureProject): AttemptRecords {
  const records = readAttempts(workspace);
  if (records.problem !== null)
    writeError(`What orchestrate tried and asked is not known. ${visibleLine(records.problem)}\n`);
  return records;
}

/** Says what is wrong with plans, and which could not be read at all. */
export function printPlanIssues({ plans, unreadable }: Pick<PlanListing, 'plans' | 'unreadable'>): void {
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
