import type { ListedTask } from '../../../../tasks/types.js';
import type { CellStyle } from '../../table.js';

interface Look {
  mark: string;
  word: string;
  style: CellStyle | undefined;
}

const LOOKS: Record<Exclude<ListedTask['status'], 'pending'>, Look> = {
  completed: { mark: '✓', word: 'completed', style: 'green' },
  in_progress: { mark: '▸', word: 'in progress', style: 'cyan' },
  failed: { mark: '✗', word: 'failed', style: 'red' },
  blocked: { mark: '!', word: 'blocked', style: 'yellow' },
  skipped: { mark: '-', word: 'skipped', style: 'dim' },
};

/** How a task's status is shown: what is still to be done is ready, or waits. `asks`: for a person's answer. */
export function describeStatus(
  { status, ready }: Pick<ListedTask, 'status' | 'ready'>,
  { asks = false } = {},
): Look {
  if (asks) return { mark: '?', word: 'asks you', style: 'yellow' };
  if (status !== 'pending') return LOOKS[status];
  return ready
    ? { mark: '○', word: 'ready', style: undefined }
    : { mark: '·', word: 'waiting', style: 'dim' };
}

/** ` (for a person, failed before)`: what the name of a task does not say to whoever would begin it. */
export function remarkOn({ type, status }: Partial<Pick<ListedTask, 'type' | 'status'>>): string {
  const remarks = [
    ...(type?.startsWith('checkpoint') ? ['for a person'] : []),
    ...(status === 'failed' || status === 'blocked' ? [`${status} before`] : []),
  ];
  return remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
}
