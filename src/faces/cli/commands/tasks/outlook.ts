import { writeError } from '../../../../node/terminal/terminal.js';
import {
  type AttemptRecords,
  findQuestions,
  type OpenQuestion,
  readAttempts,
} from '../../../../orchestrate/attempt-records.js';
import { listProject } from '../../../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../../../tasks/project.js';
import type { ListedTask, NextTasks, TaskRef } from '../../../../tasks/types.js';
import type { CellStyle } from '../../table.js';
import { visibleLine } from '../../visible.js';
import { planFromRoot } from './open.js';

/** What can begin, what a person is asked about, and what waits for something else. */
export interface Outlook extends NextTasks {
  asking: (TaskRef & { question: OpenQuestion })[];
}

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

/** For programs. */
export function questionJson(question: OpenQuestion | undefined | null) {
  return question ? { why: question.why, message: question.message } : null;
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

interface StatusStyle {
  mark: string;
  word: string;
  style: CellStyle | undefined;
}

const STYLES: Record<Exclude<ListedTask['status'], 'pending'>, StatusStyle> = {
  completed: { mark: '✓', word: 'completed', style: 'green' },
  in_progress: { mark: '▸', word: 'in progress', style: 'cyan' },
  failed: { mark: '✗', word: 'failed', style: 'red' },
  blocked: { mark: '!', word: 'blocked', style: 'yellow' },
  skipped: { mark: '-', word: 'skipped', style: 'dim' },
};

/** How a task's status is shown: what is still to be done is ready, or waits. `asks`: for a person's answer. */
export function describeStatus(
  { status, ready }: Pick<ListedTask, 'status' | 'ready'>,
  { asks = false } = {},
): StatusStyle {
  if (asks) return { mark: '?', word: 'asks you', style: 'yellow' };
  if (status !== 'pending') return STYLES[status];
  return ready
    ? { mark: '○', word: 'ready', style: undefined }
    : { mark: '·', word: 'waiting', style: 'dim' };
}

/** ` (for a person, failed before)`: what the name of a task does not say to whoever would begin it. */
export function describeHints({ type, status }: Partial<Pick<ListedTask, 'type' | 'status'>>): string {
  const hints = [
    ...(type?.startsWith('checkpoint') ? ['for a person'] : []),
    ...(status === 'failed' || status === 'blocked' ? [`${status} before`] : []),
  ];
  return hints.length === 0 ? '' : ` (${hints.join(', ')})`;
}
