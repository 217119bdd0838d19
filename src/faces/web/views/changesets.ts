import { maskerFor, redactorFor } from '../../../config/redactor.js';
import type { InertConfig } from '../../../config/types.js';
import { runReviewing } from '../../../inbox/changes-questions.js';
import { UserError } from '../../../node/errors.js';
import { environmentVariables } from '../../../node/terminal/terminal.js';
import { describeChangeset } from '../../../runs/changeset/describe-changeset.js';
import { titleOfWork } from '../../../runs/changeset/overview.js';
import { type ListedWork, listWork, seeWork } from '../../../workspace/copy/work.js';
import type { Workspace } from '../../../workspace/workspace.js';
import { filesOfWork } from '../../open-review.js';
import type { ChangesItem, ChangesView } from '../api.js';

export function listChangesItems(workspace: Workspace): ChangesItem[] {
  return listWork(workspace).map(describeWork);
}

function describeWork({ record, status }: ListedWork): ChangesItem {
  const mask = maskerFor(null, environmentVariables());
  const command = mask(record.command.join(' '));
  const { id, createdAt, reviewed = false } = record;
  return { id, title: mask(titleOfWork(record)), command, status, reviewed, createdAt };
}

/** Undefined where there is no such work. */
export async function viewChanges(
  workspace: Workspace,
  id: string,
  config: InertConfig | undefined,
): Promise<ChangesView | undefined> {
  const listed = listWork(workspace).find(({ record }) => record.id === id);
  if (listed === undefined) return undefined;
  const item = describeWork(listed);
  const run = item.status === 'in-review' ? (runReviewing(workspace, id) ?? null) : null;
  return { ...item, run, ...(await readFiles(workspace, item, config)) };
}

type WorkFiles = Pick<ChangesView, 'base' | 'files' | 'notes' | 'problem'>;

const UNREAD: WorkFiles = { base: null, files: [], notes: [], problem: null };

/** Only of work that has ended: in one that was interrupted something may still run. */
async function readFiles(
  workspace: Workspace,
  { id, status }: ChangesItem,
  config: InertConfig | undefined,
): Promise<WorkFiles> {
  const work = status === 'pending' ? seeWork(workspace, id) : undefined;
  if (work === undefined) return UNREAD;
  try {
    const redactor = redactorFor(null, environmentVariables());
    const taskFiles = config ? filesOfWork(work.record, { workspace, config }) : null;
    const { base, files, notes } = await describeChangeset(work, { redactor, taskFiles });
    return { base, ...redactor.maskAll({ files: [...files], notes }), problem: null };
  } catch (error) {
    if (error instanceof UserError) return { ...UNREAD, problem: error.message };
    throw error;
  }
}
