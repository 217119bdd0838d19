import type { ActionType } from '../plan/types.js';

const NAMES: Record<ActionType, true> = {
  CREATE: true,
  READ: true,
  EDIT: true,
  EXECUTE: true,
  RESEARCH: true,
  CHAT_WITH_USER: true,
  INVOKE: true,
  CONCLUDE: true,
  PRUNE: true,
};

export const ACTION_TYPES = Object.keys(NAMES) as ActionType[];

/** In capitals or not, in a code span or not. */
export function readActionType(name: string): ActionType | undefined {
  const plain = (/^`(.*)`$/.exec(name)?.[1] ?? name).toUpperCase();
  return ACTION_TYPES.find((type) => type === plain);
}
