import type { GraphTask } from './graph/types.js';
import type { Worktree } from './isolation/types.js';

/** One attempt at a task. */
export interface Attempt {
  task: GraphTask;
  /** From 1. */
  number: number;
  /** Told from any other attempt of that number, such as one that was cut off and did not count. */
  key: string;
  executor: string;
  place: Worktree;
  /** How often a person had decided on the task when it began. */
  decisions: number;
  /** Somebody else ended the task meanwhile: what it still brings is recorded, and not applied. */
  overtaken?: true;
}
