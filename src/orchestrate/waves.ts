import type { TaskName } from './events.js';
import type { GraphTask } from './graph/types.js';
import { nameOf } from './task-name.js';

/** So many tasks of one wave with their attempts exhausted are a sign that something is wrong with all of it. */
const EXHAUSTED_STOP = 3;

export interface StoppedWave {
  phase: string | null;
  wave: number | null;
  tasks: TaskName[];
}

/** Which waves go on: each until too many of its tasks wait for a person because nothing helped. */
export class Waves {
  private readonly exhausted = new Map<string, Map<string, TaskName>>();

  constructor(private readonly onStop: (stopped: StoppedWave) => void) {}

  exhaust(task: GraphTask): void {
    const wave = waveOf(task);
    const tasks = this.exhausted.get(wave) ?? new Map<string, TaskName>();
    this.exhausted.set(wave, tasks.set(task.id, nameOf(task)));
    if (tasks.size !== EXHAUSTED_STOP) return;
    const { phase, wave: number } = task.plan;
    this.onStop({ phase, wave: number, tasks: [...tasks.values()] });
  }

  /** A person decided on it, or somebody did it. */
  relieve(task: GraphTask): void {
    this.exhausted.get(waveOf(task))?.delete(task.id);
  }

  isStopped(task: GraphTask): boolean {
    return (this.exhausted.get(waveOf(task))?.size ?? 0) >= EXHAUSTED_STOP;
  }
}

function waveOf({ plan }: GraphTask): string {
  return `${plan.phase ?? ''}/${plan.wave ?? ''}`;
}
