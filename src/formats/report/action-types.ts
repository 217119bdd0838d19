import type { ActionType } from '../plan/index.js';

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
