import { type CaptureProject, openCapture } from '../../../../tasks/project.js';
import { findProject } from '../../open-project.js';
import type { GlobalOptions } from '../../options.js';
import { openTrusted, type TrustedProject } from '../../project.js';
import { openTasks, stateFromRoot } from './open.js';

/** For those who only look, with nothing left unfinished. */
export async function openToLook(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openTrusted(options), state);
}

export async function openToWrite(options: GlobalOptions, state?: string): Promise<CaptureProject> {
  return captureOf(await openTasks(findProject(options), options), state);
}

function captureOf({ root, workspace, config }: TrustedProject, state?: string): CaptureProject {
  return openCapture(workspace, config, state === undefined ? undefined : stateFromRoot(root, state));
}
