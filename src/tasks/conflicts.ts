import { isoUtc } from '../node/clock.js';
import type { CommitResult, Conflict } from '../workspace/commit/change.js';
import { describeUncommitted } from '../workspace/commit/describe.js';
import { appendLine, type CaptureProject, logFiles } from './project.js';

/** Notes that another program changed a file between our reading it and our change. Nothing depends on the note. */
export async function logConflict(
  project: CaptureProject,
  now: Date,
  plans: readonly string[],
  conflicts: readonly Conflict[],
  attempt: number,
): Promise<void> {
  const line = JSON.stringify({ at: isoUtc(now), plans, attempt, conflicts });
  const path = logFiles.conflicts(project);
  await project.workspace.update((view) => {
    return { changes: [appendLine(view, path, line)], value: undefined };
  });
}

/** Why nothing was changed, as a whole sentence that begins with `what`. */
export function describeCommit(what: string, result: Exclude<CommitResult, { status: 'committed' }>): string {
  if (result.status === 'locked')
    return `${what}: another teddy has held the lock on this project for a minute; try again when it is done.`;
  const advice = result.status === 'conflict' ? ' Try again when no other program writes there.' : '';
  return `${what}: ${describeUncommitted(result)}.${advice}`;
}
