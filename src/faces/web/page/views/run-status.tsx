import type { RunItem } from '../../api.js';
import { Chip, type ChipTone } from '../parts/controls.js';
import type { IconName } from '../parts/icons.js';

type Look = readonly [tone: ChipTone, icon: IconName, words: string];

export function RunStatusChip({ run }: { run: Pick<RunItem, 'status' | 'overall' | 'undone'> }) {
  const [tone, icon, words] = lookOf(run);
  return (
    <Chip tone={tone} icon={icon}>
      {words}
    </Chip>
  );
}

function lookOf({ status, overall, undone }: Pick<RunItem, 'status' | 'overall' | 'undone'>): Look {
  if (undone) return ['neutral', 'undo', 'Undone'];
  if (status === 'waiting') return ['accent', 'question', 'Waiting for you'];
  if (status === 'running') return ['accent', 'clock', 'Running'];
  if (status === 'refused') return ['bad', 'cross', 'Refused'];
  if (status === 'interrupted') return ['warn', 'warning', 'Interrupted'];
  if (overall === 'Completed') return ['good', 'check', 'Completed'];
  if (overall === 'Partial') return ['warn', 'warning', 'Partial'];
  if (overall === 'Failed') return ['bad', 'cross', 'Failed'];
  return ['neutral', 'skip', 'Skipped'];
}
