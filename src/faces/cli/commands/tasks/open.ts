import { type CaptureProject, openCapture } from '../../../../tasks/project.js';
import { stateFromRoot } from '../../input.js';
import type { GlobalOptions } from '../../output.js';
import { findProject, type InspectedProject, openTasks, openToInspect } from '../../project.js';

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
