import { UserError } from '../../node/errors.js';
import { mainWorktree } from '../../node/git/repository.js';
import type { Lock } from '../../workspace/lock.js';
import { Workspace } from '../../workspace/workspace.js';
import { fileName } from '../project.js';

/** The orchestrator's folder. Where there is none, nothing was asked. */
const FOLDER = '.ultraplan/state';

/**
 * Lets one answer at a time be recorded on a task, whichever face it comes from: `done` runs a command first, which takes
 * time. Throws `UserError` while another one is being recorded.
 */
export function holdAnswer({ root }: Workspace, task: string): Lock {
  const main = new Workspace(mainWorktree(root));
  if (main.view((view) => view.look(FOLDER)) !== 'folder') return { release: () => {} };
  const lock = main.hold(`${FOLDER}/answer-${fileName(task.replace(':', '-'))}.lock`);
  if (lock) return lock;
  throw new UserError(
    `Another answer to ${task} is being recorded. If its verify command fails, you can answer again.`,
  );
}
