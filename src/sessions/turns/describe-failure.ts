import type { UpdateResult } from '../../workspace/workspace.js';

/** Why a commit did not come to what it should, as a sentence; undefined where it did. */
export function describeFailure(result: UpdateResult<unknown>): string | undefined {
  switch (result.status) {
    case 'committed':
      return result.lost.length === 0
        ? undefined
        : `${result.lost.join(', ')} was changed by another program right after teddy had written it; look at it before you go on.`;
    case 'conflict': {
      const files = result.conflicts.map(({ path, reason }) => `${path} ${reason}`);
      return `Nothing was written, since files are not what they were: ${files.join('; ')}. Try again.`;
    }
    case 'refused':
      return `Nothing was written: ${result.path} ${result.reason}.`;
    case 'locked':
      return 'Nothing was written: another teddy has held the lock on this project for a minute.';
    case 'failed':
      return `Nothing was written (${withoutStop(result.reason)}).`;
    case 'stuck':
      return `It could be neither written nor taken back (${withoutStop(result.reason)}); the next command tries again.`;
  }
}

function withoutStop(reason: string): string {
  return reason.replace(/\.$/, '');
}
