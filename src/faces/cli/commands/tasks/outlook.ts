import { writeError } from '../../../../node/terminal/terminal.js';
import {
  type AttemptRecords,
  findInterrupted,
  findQuestions,
  type OpenQuestion,
  readAttempts,
} from '../../../../orchestrate/attempt-records.js';
import { listProject } from '../../../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../../../tasks/project.js';
import type { NextTasks, TaskRef } from '../../../../tasks/types.js';
import { planFromRoot } from '../../input.js';
import { visibleLine } from '../../output.js';
import type { Outlook } from './task-lines.js';

/** A task with an open question can start once it is answered. */
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

/** Task files with their tasks, and which of those can start. */
export type PlanListing = ReturnType<typeof listProject>;

/** Lists the named task file, or all of them. */
export function readPlans(project: CaptureProject, named: string | undefined): PlanListing {
  return named === undefined
    ? listProject(project)
    : listProject(project, planFromRoot(project.workspace.root, named));
}

/** The orchestrator's state: open questions by task id, and the tasks of a process that died. */
export function readLeft(
  project: CaptureProject,
  { plans }: Pick<PlanListing, 'plans'>,
): { questions: Map<string, OpenQuestion>; interrupted: Set<string> } {
  const records = readAttemptRecords(project);
  const found = findInterrupted(
    records,
    project,
    plans.flatMap(({ tasks }) => tasks),
  );
  return {
    questions: findQuestions(
      records,
      project,
      plans.map(({ plan }) => plan),
    ),
    interrupted: new Set(found.map(({ id }) => id)),
  };
}

/** The next tasks after a result was recorded. */
export function readOutlook(
  project: CaptureProject,
  { plan, ...tasks }: NextTasks & { plan: { path: string } },
): Outlook {
  return separateQuestions(tasks, findQuestions(readAttemptRecords(project), project, [plan]));
}

/** Warns if they cannot be read. */
export function readAttemptRecords({ workspace }: CaptureProject): AttemptRecords {
  const records = readAttempts(workspace);
  if (records.problem !== null)
    writeError(`The attempts and questions of orchestrate cannot be read. ${visibleLine(records.problem)}\n`);
  return records;
}

/** Prints the issues of task files, and which could not be read. */
export function printPlanIssues({ plans, unreadable }: Pick<PlanListing, 'plans' | 'unreadable'>): void {
  for (const { plan, issues } of plans) {
    for (const { line, message } of issues) {
      writeError(
        `${visibleLine(plan.path)}${line === undefined ? '' : `:${line}`}: ${visibleLine(message)}\n`,
      );
    }
  }
  for (const { path, reason } of unreadable)
    writeError(`${visibleLine(path)} ${visibleLine(reason)}, so its tasks are unknown.\n`);
}
