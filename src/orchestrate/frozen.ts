import type { Task } from '../formats/task-plan/index.js';
import { sha256 } from '../platform/index.js';

/** Stands for the commands that verify a task: what was shown is what is run. */
export function hashVerify(task: Task | undefined): string {
  return sha256(JSON.stringify(task?.verify?.commands ?? []));
}
