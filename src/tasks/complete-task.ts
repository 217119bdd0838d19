import { writeResult } from '../core/task-result/write.js';
import { UserError } from '../node/user-error.js';
import { showTask } from './plans/tasks.js';
import { openCapture } from './project.js';
import { submitResult } from './submit-result.js';
import type { CapturedResult, SubmitOptions, TaskRef } from './types.js';
import { describeDenial } from './verify-result.js';

export interface CompleteOptions
  extends Omit<SubmitOptions, 'text' | 'plan' | 'held' | 'id' | 'verify' | 'executor' | 'expectedIndex'> {
  /** `03-01:2`, or with the path of its plan. */
  task: string;
  /** What the person says of it; null where they say no more than that it is done. */
  words: string | null;
}

export interface CompletedTask {
  task: TaskRef;
  captured: CapturedResult;
  /** Why its command was not run, as the end of a sentence; null where it was, or where there is none. */
  unverified: string | null;
}

const SAYS_SO = 'A person says that it is done.';

/**
 * A person says that a task is done: a success in their name is captured, once the task's own command has been run where
 * there is one. What it says goes before what they say. Throws `UserError` where nothing was captured.
 */
export async function completeTask({ task: id, words, ...options }: CompleteOptions): Promise<CompletedTask> {
  const { workspace, config, policy } = options;
  const { task, detail, planPath, record } = showTask(openCapture(workspace, config), id);
  if (task.status === 'completed')
    throw new UserError(`${id} was not changed: it is completed, and there is nothing to resolve.`);
  const command = detail.verify?.command ?? null;
  const denial = command === null ? undefined : describeDenial(policy, detail, command);
  const text = writeResult({
    status: 'success',
    taskName: detail.name,
    filesModified: [],
    verification:
      command === null
        ? { command: null, exitCode: null, outputSummary: null }
        : { command, exitCode: 0, outputSummary: SAYS_SO },
    doneCriteriaMet: true,
    evidence: words ?? SAYS_SO,
    error: null,
    metadata: {
      durationMs: null,
      attempt: Math.max(record?.last_attempt ?? 0, record?.results ?? 0) + 1,
      executorId: PERSON,
    },
  });
  const captured = await submitResult({
    ...options,
    text,
    plan: planPath,
    executor: PERSON,
    expectedIndex: detail.index,
    verify: denial === undefined,
  });
  return { task: { id: task.id, name: task.name }, captured, unverified: denial ?? null };
}

const PERSON = 'human';
