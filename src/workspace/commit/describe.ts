import { describeSystemError } from '../../node/system-error.js';
import type { CommitResult } from './change.js';

/** Why nothing was written, without a full stop. */
export function describeUncommitted(result: Exclude<CommitResult, { status: 'committed' }>): string {
  switch (result.status) {
    case 'conflict':
      return result.conflicts.map(({ path, reason }) => `${path} ${reason}`).join('; ');
    case 'refused':
      return `${result.path} ${result.reason}`;
    case 'locked':
      return 'another teddy has held the lock for a minute';
    default:
      return describeSystemError(result.reason.replace(/\.$/, ''));
  }
}
