import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { redactorFor } from '../../../src/config/redactor.js';
import { TIP_LIMITS } from '../../../src/core/report/markdown.js';
import type { Answer, FileQuestion, Reviewer } from '../../../src/review/question.js';
import {
  type ReviewedChangeset,
  type ReviewOptions,
  reviewChangeset,
} from '../../../src/runs/changeset/review-changeset.js';
import { startWork, type Work } from '../../../src/workspace/copy/work.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { type Files, writeAll } from '../../file-trees.js';
import { makeFolder } from '../../folder.js';

export function makeProject(files: Files): Workspace {
  const root = realpathSync(makeFolder({}));
  execFileSync('git', ['init', '-q'], { cwd: root });
  writeAll(root, files);
  return new Workspace(root);
}

/** An agent that made these changes in its copy, and ended. */
export async function agentChanges(workspace: Workspace, changes: Files): Promise<Work> {
  const started = await startWork(workspace, { command: ['claude'], agent: 'claude' });
  if (started.status !== 'ok') throw new Error(started.reason);
  writeAll(started.work.copy.copy, changes);
  started.work.update({ end: { at: '2026-01-02T03:04:05Z', exitCode: 0 } });
  return started.work;
}

export type Decide = (question: FileQuestion) => Answer | 'approve' | 'skip';

/** A user who answers as told, and sees every question. */
export function userWho(decide: Decide): Reviewer & { asked: FileQuestion[] } {
  const asked: FileQuestion[] = [];
  return {
    asked,
    resolve: () => undefined,
    ask: async (question) => {
      if (question.kind !== 'file') throw new Error(`asked about ${question.kind}`);
      asked.push(question);
      const answer = decide(question);
      if (answer === 'approve') return { decision: 'approve', by: 'person', hash: question.hash };
      return answer === 'skip' ? { decision: 'skip', by: 'person', reason: null } : answer;
    },
  };
}

export function review(
  work: Work,
  workspace: Workspace,
  reviewer: Reviewer,
  more: Partial<ReviewOptions> = {},
): Promise<ReviewedChangeset> {
  return reviewChangeset(work, {
    workspace,
    reviewer,
    redactor: redactorFor(null, {}),
    emit: () => {},
    tip: TIP_LIMITS,
    keep: 100,
    ...more,
  });
}
