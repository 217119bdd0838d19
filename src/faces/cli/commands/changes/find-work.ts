import { UserError } from '../../../../node/errors.js';
import { type ListedWork, listWork } from '../../../../workspace/copy/work.js';
import type { Workspace } from '../../../../workspace/workspace.js';
import { visibleLine } from '../../output.js';

/** By its id or an end of it that no other has; the newest without one. Throws `UserError`. */
export function findWork(workspace: Workspace, id: string | undefined): ListedWork {
  const works = listWork(workspace);
  const found = id === undefined ? works.slice(-1) : works.filter(({ record }) => record.id.endsWith(id));
  if (found.length === 1) return found[0]!;
  if (id === undefined) throw new UserError('No changes are waiting for your review.');
  throw new UserError(
    found.length === 0
      ? `No changes have the id ${visibleLine(id)}. List them with: teddy changes`
      : `Several ids end with ${visibleLine(id)}. Type more of the id.`,
  );
}
