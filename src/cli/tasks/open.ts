import { relative, resolve } from 'node:path';
import { type CaptureProject, openCapture } from '../../capture/index.js';
import { currentFolder, realPath, Unusable } from '../../platform/index.js';
import type { GlobalOptions } from '../options.js';
import { endDeadRuns, type Place, requireClock } from '../place.js';
import { openTrusted, type TrustedProject, trustPlace } from '../project.js';

/**
 * A place for those who are going to write, config and policy trusted. What dead processes left of their commits is
 * theirs to find: every commit ends those first, so looking for them here would be a second turn at the lock.
 */
export async function openTasks(place: Place, options: GlobalOptions): Promise<TrustedProject> {
  requireClock();
  if (place.workspace.deadRuns().length > 0) await endDeadRuns(place, options);
  return trustPlace(place, options);
}

/** For those who only look, with nothing left unfinished. */
export async function openToLook(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openTrusted(options), state);
}

export function captureOf({ root, workspace, config }: TrustedProject, state?: string): CaptureProject {
  return openCapture(workspace, config, state === undefined ? undefined : fromRoot(root, state));
}

/** A path as it is typed in the current folder, from the root; as typed where it leads to no place in the root. */
export function fromRoot(root: string, path: string): string {
  const here = realPath(currentFolder()) ?? currentFolder();
  const inside = relative(realPath(root) ?? root, resolve(here, path));
  return inside === '' || inside === '..' || inside.startsWith('../') ? path : inside;
}

/** A plan that a person names: where they typed the path of a file in the current folder, that path from the root. */
export function planFromRoot(root: string, plan: string): string {
  return realPath(plan) === undefined ? plan : fromRoot(root, plan);
}

/** For a command that cannot do without. */
export function requirePlan({ plan }: { plan?: string }): string {
  if (plan !== undefined && plan !== '') return plan;
  throw new Unusable(
    '--plan is missing: name the path of a PLAN.md, or its id, such as 03-01; teddy task list shows what there is.',
  );
}
