import type { OpenQuestion } from '../../../../orchestrate/attempt-records.js';
import type { ListedTask, NextTasks, TaskRef } from '../../../../tasks/types.js';
import type { CellStyle } from '../../table.js';

/** What can begin, what a person is asked about, and what waits for something else. */
export interface Outlook extends NextTasks {
  asking: (TaskRef & { question: OpenQuestion })[];
}

/** For programs. */
export function questionJson(question: OpenQuestion | undefined | null) {
  return question ? { why: question.why, message: question.message } : null;
}

interface StatusStyle {
  mark: string;
  word: string;
  style: CellStyle | undefined;
}

const STYLES: Record<Exclude<ListedTask['status'], 'pending'>, StatusStyle> = {
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
): StatusStyle {
  if (asks) return { mark: '?', word: 'asks you', style: 'yellow' };
  if (status !== 'pending') return STYLES[status];
  return ready
    ? { mark: '○', word: 'ready', style: undefined }
    : { mark: '·', word: 'waiting', style: 'dim' };
}

/** ` (for a person, failed before)`: what the name of a task does not say to whoever would begin it. */
export function describeHints({ type, status }: Partial<Pick<ListedTask, 'type' | 'status'>>): string {
  const hints = [
    ...(type?.startsWith('checkpoint') ? ['for a person'] : []),
    ...(status === 'failed' || status === 'blocked' ? [`${status} before`] : []),
  ];
  return hints.length === 0 ? '' : ` (${hints.join(', ')})`;
}
