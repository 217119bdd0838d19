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
  openTrusted,
  type Project,
  requireClock,
  type TrustedProject,
  trustOpened,
} from '../../project.js';

/**
 * A place for those who are going to write, config and policy trusted. What dead processes left of their commits is
 * theirs to find: every commit ends those first, so looking for them here would be a second turn at the lock.
 */
export async function openTasks(place: Project, options: GlobalOptions): Promise<TrustedProject> {
  requireClock();
  if (place.workspace.deadRuns().length > 0) await endDeadRuns(place, options);
  return trustOpened(place, options);
}

/**
 * A plan that a person names: where they typed the path of a file in the current folder, that path from the root, and
 * else what they typed. Throws `UserError` where it is the path of something outside.
 */
export function planFromRoot(root: string, plan: string): string {
  const isPath = isAbsolute(plan) || /^\.\.?\//.test(plan);
  if (!isPath && lookAtFile(realPath(plan) ?? plan) !== 'file') return plan;
  const path = fromRoot(root, plan);
  if (path !== undefined) return path;
  throw new NoSuchPlan(
    `${visibleLine(plan)} is no plan of this project, whose root is ${visibleLine(root)}; name one in there, or another --root.`,
  );
}

/** The same in front of the position of a task: `../03-01-PLAN.md:2`. */
export function taskFromRoot(root: string, task: string): string {
  const colon = task.lastIndexOf(':');
  return colon === -1 ? task : `${planFromRoot(root, task.slice(0, colon))}${task.slice(colon)}`;
}

/** The STATE.md that a person names, from the root. Throws `UserError` where it cannot be one. */
export function stateFromRoot(root: string, state: string): string {
  if (state === '') throw new UserError('--state is empty; name a file, or leave it out.');
  const path = fromRoot(root, state);
  const named = `--state ${visibleLine(state)}`;
  if (path === undefined)
    throw new UserError(
      `${named} leads out of this project, whose root is ${visibleLine(root)}; name a file in there.`,
    );
  const read = readRootPath(path);
  if (read.status !== 'ok') throw new UserError(`${named} ${read.reason}; name another file.`);
  if (/(?:^|[/-])plan\.md$/i.test(path))
    throw new UserError(`${named} is called like a plan; name the file that tells how the project stands.`);
  return path;
}

/** What was named is not there, or is no plan. */
export class NoSuchPlan extends UserError {}

/** For a command that cannot do without. */
export function requirePlan({ plan }: { plan?: string }): string {
  if (plan !== undefined && plan !== '') return plan;
  throw new UserError(
    '--plan is missing: name the path of a PLAN.md, or its id, such as 03-01; teddy task list shows what there is.',
  );
}

/** For commands that only read, with nothing left unfinished. */
export async function openToRead(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openTrusted(options), state);
}

export async function openToWrite(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openTasks(findProject(options), options), state);
}

function captureOf({ root, workspace, config }: TrustedProject, state?: string): CaptureProject {
  return openCapture(workspace, config, state === undefined ? undefined : stateFromRoot(root, state));
}
