import { isAbsolute } from 'node:path';
import { readRootPath } from '../../../../core/path.js';
import { UserError } from '../../../../node/errors.js';
import { lookAtFile, realPath } from '../../../../node/files.js';
import { type CaptureProject, openCapture } from '../../../../tasks/project.js';
import { fromRoot } from '../../input.js';
import { type GlobalOptions, visibleLine } from '../../output.js';
import {
  endDeadRuns,
  findProject,
  type InspectedProject,
  openToInspect,
  type Project,
  requireClock,
  type TrustedProject,
  trustOpened,
} from '../../project.js';

/**
 * Opens a project to write in, with trusted config and policy. Unfinished commits of dead processes are not recovered
 * here: every commit does that first, and doing it twice would take the lock twice.
 */
export async function openTasks(place: Project, options: GlobalOptions): Promise<TrustedProject> {
  requireClock();
  if (place.workspace.deadRuns().length > 0) await endDeadRuns(place, options);
  return trustOpened(place, options);
}

/**
 * A task file as the user named it: a path in the current folder becomes a path from the root, anything else stays.
 * Throws `UserError` for a path outside the root.
 */
export function planFromRoot(root: string, plan: string): string {
  const isPath = isAbsolute(plan) || /^\.\.?\//.test(plan);
  if (!isPath && lookAtFile(realPath(plan) ?? plan) !== 'file') return plan;
  const path = fromRoot(root, plan);
  if (path !== undefined) return path;
  throw new NoSuchPlan(
    `${visibleLine(plan)} is outside this project (root: ${visibleLine(root)}). Name a task file inside it, or use another --root.`,
  );
}

/** The same for a task id: `../03-01-PLAN.md:2`. */
export function taskFromRoot(root: string, task: string): string {
  const colon = task.lastIndexOf(':');
  return colon === -1 ? task : `${planFromRoot(root, task.slice(0, colon))}${task.slice(colon)}`;
}

/** The STATE.md that the user named, from the root. Throws `UserError` if it cannot be one. */
export function stateFromRoot(root: string, state: string): string {
  if (state === '') throw new UserError('--state is empty. Name a file, or leave it out.');
  const path = fromRoot(root, state);
  const named = `--state ${visibleLine(state)}`;
  if (path === undefined)
    throw new UserError(
      `${named} is outside this project (root: ${visibleLine(root)}). Name a file inside it.`,
    );
  const read = readRootPath(path);
  if (read.status !== 'ok') throw new UserError(`${named} ${read.reason}; name another file.`);
  if (/(?:^|[/-])plan\.md$/i.test(path))
    throw new UserError(`${named} has the name of a task file. Name the project's STATE.md instead.`);
  return path;
}

/** The named task file does not exist or is not one. */
export class NoSuchPlan extends UserError {}

/** For commands that need --plan. */
export function requirePlan({ plan }: { plan?: string }): string {
  if (plan !== undefined && plan !== '') return plan;
  throw new UserError(
    '--plan is missing. Give the path of a task file or its id, such as 03-01; teddy task list shows them.',
  );
}

/** For commands that only read: they need no trust. */
export async function openToRead(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openToInspect(options), state);
}

export async function openToWrite(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openTasks(findProject(options), options), state);
}

function captureOf({ root, workspace, config }: InspectedProject, state?: string): CaptureProject {
  return openCapture(workspace, config, state === undefined ? undefined : stateFromRoot(root, state));
}
