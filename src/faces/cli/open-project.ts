import { checkClock } from '../../node/clock.js';
import { currentFolder, writeError } from '../../node/terminal/terminal.js';
import { UserError } from '../../node/user-error.js';
import { findRoot } from '../../workspace/root.js';
import { Workspace } from '../../workspace/workspace.js';
import type { GlobalOptions } from './options.js';
import { paintFor } from './paint.js';
import { visibleLine } from './visible.js';

/** The folder that a command works in, with nothing left over from a process that died. */
export interface Project {
  root: string;
  workspace: Workspace;
}

/** Finds the root, and ends what a killed run left: whoever was cut off is told about with the next command. */
export async function openProject(options: GlobalOptions): Promise<Project> {
  requireClock();
  const place = findProject(options);
  await endDeadRuns(place, options);
  return place;
}

export function requireClock(): void {
  const clock = checkClock();
  if (clock.status === 'refused') throw new UserError(clock.reason);
}

/** The same place, whatever was left in it. */
export function findProject(options: GlobalOptions): Project {
  const root = findRootFor(options);
  return { root, workspace: new Workspace(root) };
}

export function findRootFor(options: GlobalOptions): string {
  return findRoot(currentFolder(), options.root);
}

export async function endDeadRuns({ workspace }: Project, options: GlobalOptions): Promise<void> {
  if (!workspace.isUnfinished()) return;
  // It brings all of runs and sessions, and is seldom needed.
  const { recoverRuns } = await import('../../sessions/recover-runs.js');
  const paint = paintFor('stderr', options);
  for (const { id, plan } of await recoverRuns(workspace)) {
    const title = plan.title === null ? '' : ` (${visibleLine(plan.title)})`;
    writeError(
      `${paint('yellow', `The run ${id}${title} was cut off.`)} What is known of it: .teddy/runs/${id}/report.md\n`,
    );
  }
}
