import { maskerFor } from '../../../config/redactor.js';
import type { InertConfig } from '../../../config/types.js';
import { labelAction } from '../../../core/plan/actions.js';
import { readPlan } from '../../../core/plan/read.js';
import { writeAction } from '../../../core/plan/write.js';
import type { Run } from '../../../core/report/record.js';
import { environmentVariables } from '../../../node/terminal/terminal.js';
import { diffRun } from '../../../runs/diff/diff-run.js';
import { readVerifiedPlan } from '../../../runs/plan-copy.js';
import type { ReadRun } from '../../../runs/run-list.js';
import { findLog } from '../../../tasks/logs/read-log.js';
import { openCapture } from '../../../tasks/project.js';
import { openTree } from '../../../workspace/tree.js';
import type { Workspace } from '../../../workspace/workspace.js';
import { claimsByTask } from '../views/tasks.js';
import { type ReceiptPlan, renderReceipt } from './receipt.js';
import type { LedgerResult } from './verified.js';

/** The receipt of a run, as HTML. */
export function makeReceipt(workspace: Workspace, config: InertConfig, { run, origin }: ReadRun): string {
  return renderReceipt({
    run,
    origin,
    plan: readProposed(workspace, run.id),
    results: readResults(workspace, config, run),
    diff: diffRun(workspace, run.id, environmentVariables()),
    recordHashes: workspace.runFileHashes(run.id),
    fileHashes: (workspace.runChanges(run.id) ?? []).map(({ path, states: { before, after } }) => ({
      path,
      before: before?.hash ?? null,
      after: after?.hash ?? null,
    })),
  });
}

/** The results of the run's task since the run started: a result does not name its run. */
function readResults(workspace: Workspace, config: InertConfig, { task, startedAt }: Run): LedgerResult[] {
  if (task === undefined) return [];
  const project = openCapture(workspace, config);
  const results = claimsByTask(project).get(task) ?? [];
  // The ledger has whole seconds.
  const since = Math.floor(Date.parse(startedAt) / 1000) * 1000;
  return results
    .filter(({ at }) => Date.parse(at) >= since)
    .map(({ at, claimed, status, log, sha256 }) => {
      const found = workspace.view((view) => findLog(view, project, log, sha256));
      const problems = { log: null, missing: 'is missing', changed: 'was changed after it was recorded' };
      return {
        task,
        at,
        claimed,
        status,
        sha256,
        log: `${project.dir}/${log}`,
        verification: found.status === 'log' ? found.log.verification : null,
        problem: found.status === 'unreadable' ? found.reason : problems[found.status],
      };
    });
}

function readProposed(workspace: Workspace, run: string): ReceiptPlan | null {
  const text = readVerifiedPlan(workspace, run);
  const plan = text === undefined ? null : readPlan(text, openTree(workspace.root)).plan;
  if (plan === null) return null;
  const mask = maskerFor(plan, environmentVariables());
  return {
    rationale: mask(plan.rationale),
    actions: plan.actions.map((action) => ({
      label: mask(labelAction(action)),
      source: mask(writeAction(action)),
    })),
  };
}
