import { writeResult } from '../core/task-result/write.js';
import { now } from '../node/clock.js';
import { randomId } from '../node/ids.js';
import { captureResult } from '../tasks/capture-results.js';
import { findPlan } from '../tasks/plans/tasks.js';
import type { Desk } from './desk.js';
import type { GraphTask } from './graph/types.js';
import type { ProjectState } from './project-state.js';
import { type Checked, verifyTask } from './verify-attempt.js';

/**
 * A success that somebody else submitted for a task of a run, whoever they are: it counts once its verification has
 * passed here, in the project. One that does not pass is recorded as a failure that claimed success.
 */
export async function verifyClaim(task: GraphTask, desk: Desk, state: ProjectState): Promise<Checked> {
  const { project } = desk;
  const written = findPlan(project, task.plan.path).plan.tasks[task.task.index - 1];
  const checked = await verifyTask(task, written, project.workspace.root, desk);
  if (checked.status === 'done') state.vouch(task.id);
  else if (checked.status !== 'failed') await desk.unmark(task.id);
  else await recordFalse(task, checked, desk, state);
  return checked;
}

async function recordFalse(
  task: GraphTask,
  { verification }: Extract<Checked, { status: 'failed' }>,
  desk: Desk,
  state: ProjectState,
): Promise<void> {
  const command = task.task.verify?.command ?? '';
  const attempt = Math.max(1, state.lastAttempt(task.id));
  await captureResult(desk.project, {
    submission: {
      text: writeResult({
        status: 'success',
        taskName: task.name,
        filesModified: [],
        verification: { command, exitCode: 0, outputSummary: CLAIMED },
        doneCriteriaMet: true,
        evidence: state.lastResult(task)?.evidence ?? CLAIMED,
        error: null,
        metadata: { durationMs: null, attempt, executorId: null },
      }),
      plan: task.plan.path,
      id: `${task.id}#claim.${randomId(8)}`,
      session: desk.run,
      expectedIndex: task.task.index,
      attempt,
      ...(verification && { verified: { taskIndex: task.task.index, command, run: verification } }),
    },
    now: now(),
    mask: desk.mask,
  });
}

const CLAIMED = 'It was submitted as done while teddy orchestrate was running.';
