import type { Manual } from '../core/agent-report/types.js';
import { sha256 } from '../node/ids.js';
import { UserError } from '../node/user-error.js';
import type { Workspace } from '../workspace/workspace.js';
import { findAgent } from './agent-files.js';

/** Throws `UserError` where there is none, or it cannot be used. */
export function requireManual(workspace: Workspace, name: string): Manual {
  const found = findAgent(workspace, name);
  if (found.status === 'found') return found.manual;
  throw new UserError(found.reason);
}

/**
 * Null where no subagent has this name. Throws `UserError` where one has, and its manual is broken: to pass over it would
 * be to accept what it forbids.
 */
export function findManual(workspace: Workspace, name: string): Manual | null {
  const found = findAgent(workspace, name);
  if (found.status === 'found') return found.manual;
  if (found.status === 'refused' && found.kind === 'broken') throw new UserError(found.reason);
  return null;
}

/** The same for the same manual: whatever of it an agent is told or judged by. */
export function markManual(manual: Manual): string {
  return sha256(JSON.stringify(manual));
}
