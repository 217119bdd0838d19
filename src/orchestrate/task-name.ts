import type { TaskName } from './events.js';

/** A task as faces name it. */
export function nameOf({ id, name }: TaskName): TaskName {
  return { id, name };
}
