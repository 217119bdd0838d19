import type { TaskBoard, TaskCard } from '../../api.js';
import { Chip, type ChipTone } from '../parts/controls.js';
import type { IconName } from '../parts/icons.js';
import { asPlainLine, capitalize } from '../parts/words.js';

/** Of tasks, of results, and of attempts. */
const LOOKS: Record<string, readonly [tone: ChipTone, icon: IconName]> = {
  completed: ['good', 'check'],
  success: ['good', 'check'],
  done: ['good', 'check'],
  in_progress: ['accent', 'clock'],
  failed: ['bad', 'cross'],
  failure: ['bad', 'cross'],
  blocked: ['warn', 'warning'],
  skipped: ['neutral', 'skip'],
};

/** `In progress` */
export function statusWords(status: string): string {
  return capitalize(asPlainLine(status).replaceAll('_', ' '));
}

export function toneOf(status: string): ChipTone {
  return LOOKS[status]?.[0] ?? 'neutral';
}

export function TaskStatusChip({ status }: { status: string }) {
  const [tone, icon] = LOOKS[status] ?? (['neutral', 'ring'] as const);
  return (
    <Chip tone={tone} icon={icon}>
      {statusWords(status)}
    </Chip>
  );
}

export function isDoneTask({ status }: TaskCard): boolean {
  return status === 'completed';
}

export function allTasks(board: TaskBoard): TaskCard[] {
  return board.phases.flatMap(({ waves }) => waves.flatMap(({ tasks }) => tasks));
}
