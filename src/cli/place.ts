import { checkClock, currentFolder, Unusable, writeError } from '../platform/index.js';
import { recoverRuns } from '../turn/index.js';
import { findRoot, Workspace } from '../workspace/index.js';
import type { GlobalOptions } from './options.js';
import { paintFor } from './paint.js';
import { visibleLine } from './visible.js';

/** The folder that a command works in, with nothing left over from a process that died. */
export interface Place {
  root: string;
  workspace: Workspace;
}

/** Finds the root, and ends what a killed run left: whoever was cut off is told about with the next command. */
export async function openPlace(options: GlobalOptions): Promise<Place> {
  const clock = checkClock();
  if (clock.status === 'refused') throw new Unusable(clock.reason);
  const root = findRoot(currentFolder(), options.root);
  const workspace = new Workspace(root);
  const paint = paintFor('stderr', options);
  for (const { id, plan } of await recoverRuns(workspace)) {
    const title = plan.title === null ? '' : ` (${visibleLine(plan.title)})`;
    writeError(
      `${paint('yellow', `The run ${id}${title} was cut off.`)} What is known of it: .teddy/runs/${id}/report.md\n`,
    );
  }
  return { root, workspace };
}
