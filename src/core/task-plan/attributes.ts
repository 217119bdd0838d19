import type { Item } from './checkboxes.js';
import type { TaskElement } from './elements.js';
import type { TaskPlanIssueLog } from './issue-codes.js';
import type { Attribute } from './tags.js';
import { resolveEntities } from './text.js';
import type { TaskStatus } from './types.js';

export function attributeValue(attributes: readonly Attribute[], name: string): string | null {
  const found = attributes.find((attribute) => attribute.name === name);
  return found ? resolveEntities(found.value ?? '') : null;
}

export function isAttributeTrue(attributes: readonly Attribute[], name: string): boolean {
  const found = attributes.find((attribute) => attribute.name === name);
  return found !== undefined && (found.value === null || /^(?:true|yes|1)$/i.test(found.value));
}

const STATUS_WORDS: Readonly<Record<string, TaskStatus>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  'in-progress': 'in_progress',
  completed: 'completed',
  complete: 'completed',
  done: 'completed',
  failed: 'failed',
  blocked: 'blocked',
  skipped: 'skipped',
};

export function readStatus(
  attributes: readonly Attribute[],
  item: Item | undefined,
  { tag }: TaskElement,
  log: TaskPlanIssueLog,
): TaskStatus {
  const written = attributeValue(attributes, 'status')?.trim();
  if (!written) return item?.criterion.checked ? 'completed' : 'pending';
  const word = written.toLowerCase();
  if (Object.hasOwn(STATUS_WORDS, word)) return STATUS_WORDS[word]!;
  log.add(
    'status-unknown',
    tag.line,
    `"${written.slice(0, 40)}" is no status of a task; it is read as pending.`,
    'Write one of: pending, in_progress, completed, failed, blocked, skipped.',
  );
  return 'pending';
}
