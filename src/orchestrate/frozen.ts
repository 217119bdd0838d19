import type { Task } from '../core/task-plan/types.js';
import { sha256 } from '../node/ids.js';

/** Stands for the commands that verify a task: what was shown is what is run. */
export function hashVerify(task: Task | undefined): string {
  return sha256(JSON.stringify(task?.verify?.commands ?? []));
}
