import type { NamedTask } from './events.js';

/** A task as faces name it. */
export function nameOf({ id, name }: NamedTask): NamedTask {
  return { id, name };
}
