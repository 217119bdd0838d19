import type { TaskBoard, TaskCard } from '../../api.js';
import { Chip, type ChipTone } from '../parts/controls.js';
import { asPlainLine } from '../parts/foreign.js';
import type { IconName } from '../parts/icons.js';

const LOOKS: Record<string, readonly [tone: ChipTone, icon: IconName]> = {
  done: ['good', 'check'],
  completed: ['good', 'check'],
  running: ['accent', 'clock'],
  verifying: ['accent', 'clock'],
  asking: ['accent', 'question'],
  failed: ['bad', 'cross'],
  blocked: ['warn', 'warning'],
  skipped: ['neutral', 'skip'],
  ready: ['neutral', 'ring'],
};

export function toneOf(status: string): ChipTone {
  return LOOKS[status]?.[0] ?? 'neutral';
}

export function TaskStatusChip({ status }: { status: string }) {
  const [tone, icon] = LOOKS[status] ?? (['neutral', 'ring'] as const);
  return (
    <Chip tone={tone} icon={icon}>
      {asPlainLine(status)}
    </Chip>
  );
}

export function isDoneTask({ status }: TaskCard): boolean {
  return status === 'done' || status === 'completed';
}

export function allTasks(board: TaskBoard): TaskCard[] {
  return board.phases.flatMap(({ waves }) => waves.flatMap(({ tasks }) => tasks));
}
