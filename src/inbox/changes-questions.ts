import { maskerFor } from '../config/redactor.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { readOverview } from '../review/run-questions.js';
import { titleOfWork } from '../runs/changeset/overview.js';
import { type ListedWork, listWork, openWork, type Work } from '../workspace/copy/work.js';
import type { Workspace } from '../workspace/workspace.js';
import type { InboxQuestion } from './types.js';

// Changes that agents made in copies of the project, and that wait for their review: the process that takes them reviews them.

export type ChangesInboxQuestion = Extract<InboxQuestion, { kind: 'changes' }>;

const PREFIX = 'changes:';

export function listChangesQuestions(workspace: Workspace): ChangesInboxQuestion[] {
  const mask = maskerFor(null, environmentVariables());
  return listReadableWork(workspace)
    .filter(({ record, status }) => !record.reviewed && (status === 'pending' || status === 'interrupted'))
    .map(({ record }) => ({
      id: `${PREFIX}${record.id}`,
      hash: sha256(JSON.stringify(record)),
      kind: 'changes',
      title: mask(titleOfWork(record)),
      subject: mask(record.command.join(' ')),
      askedAt: record.end?.at ?? record.createdAt,
      work: record.id,
    }));
}

/** Every work; none where they cannot be read: `teddy changes` says why. */
export function listReadableWork(workspace: Workspace): ListedWork[] {
  try {
    return listWork(workspace);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** The live run that reviews this work. */
export function runReviewing(workspace: Workspace, work: string): string | undefined {
  return workspace.liveRuns().find((run) => readOverview(workspace, run)?.work === work);
}

/** Throws `UserError` where this is the end of the id of a question whose review has started. */
export function refuseReviewed(workspace: Workspace, named: string): void {
  const work = listReadableWork(workspace).find(
    ({ record, status }) => status === 'in-review' && `${PREFIX}${record.id}`.endsWith(named),
  );
  const run = work && runReviewing(workspace, work.record.id);
  if (run !== undefined) throw new UserError(describeReviewed(work!.record.id, run));
}

/** The caller closes or drops it. Throws `UserError`. */
export async function takeWork(workspace: Workspace, id: string): Promise<Work> {
  const opened = await openWork(workspace, id);
  switch (opened.status) {
    case 'ok':
      return opened.work;
    case 'busy': {
      const run = runReviewing(workspace, id);
      throw new UserError(
        run === undefined
          ? `${id} is in use: its agent is running, or it is being reviewed.`
          : describeReviewed(id, run),
      );
    }
    case 'unknown':
      throw new UserError(`${id} no longer exists.`);
    case 'failed':
      throw new UserError(opened.reason);
  }
}

function describeReviewed(work: string, run: string): string {
  return `${work} is being reviewed already, as run ${run}. Its questions are in the inbox.`;
}
