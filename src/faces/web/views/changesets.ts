import { maskerFor, redactorFor } from '../../../config/redactor.js';
import { UserError } from '../../../node/errors.js';
import { environmentVariables } from '../../../node/terminal/terminal.js';
import { readOverview } from '../../../review/run-questions.js';
import { describeChangeset } from '../../../runs/changeset/describe-changeset.js';
import { titleOfWork } from '../../../runs/changeset/overview.js';
import { type ListedWork, listWork, openWork } from '../../../workspace/copy/work.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { ChangesItem, ChangesView } from '../api.js';

export function listChangesItems(workspace: Workspace): ChangesItem[] {
  return listWork(workspace).map(describeWork);
}

function describeWork({ record, status }: ListedWork): ChangesItem {
  const mask = maskerFor(null, environmentVariables());
  const command = mask(record.command.join(' '));
  return { id: record.id, title: mask(titleOfWork(record)), command, status, createdAt: record.createdAt };
}

/** Undefined where there is no such work. */
export async function viewChanges(workspace: Workspace, id: string): Promise<ChangesView | undefined> {
  const listed = listWork(workspace).find(({ record }) => record.id === id);
  if (listed === undefined) return undefined;
  const item = describeWork(listed);
  const isReviewed = (run: string) => readOverview(workspace, run)?.work === id;
  const run = item.status === 'in-review' ? (workspace.liveRuns().find(isReviewed) ?? null) : null;
  return { ...item, run, ...(await readFiles(workspace, item)) };
}

type WorkFiles = Pick<ChangesView, 'base' | 'files' | 'notes' | 'problem'>;

const UNREAD: WorkFiles = { base: null, files: [], notes: [], problem: null };

/** Only of work that has ended: to open one that was interrupted would end what it left running. */
async function readFiles(workspace: Workspace, { id, status }: ChangesItem): Promise<WorkFiles> {
  if (status !== 'pending') return UNREAD;
  const opened = await openWork(workspace, id);
  if (opened.status === 'failed') return { ...UNREAD, problem: opened.reason };
  if (opened.status !== 'ok') return UNREAD;
  try {
    const redactor = redactorFor(null, environmentVariables());
    const described = await describeChangeset(opened.work, redactor);
    if (described.status === 'failed') return { ...UNREAD, problem: described.reason };
    const { base, files, notes } = described;
    return { base, ...redactor.maskAll({ files: [...files], notes }), problem: null };
  } catch (error) {
    if (error instanceof UserError) return { ...UNREAD, problem: error.message };
    throw error;
  } finally {
    opened.work.close();
  }
}
