import { workerOf } from '../../worker.js';
import type { Task } from './worker.js';

interface Answer {
  calls: number;
  recovered: string[];
  run?: { id: string; overall: string };
}

/** Executes, undoes or recovers in a process of its own; for the top of a file of tests. */
export const killableRun = () => workerOf<Task, Answer>('test/runs/kill/worker.ts');
