import { maskerFor } from '../../config/redactor.js';
import { labelAction } from '../../core/plan/actions.js';
import { readPlan } from '../../core/plan/read.js';
import { writeAction } from '../../core/plan/write.js';
import { environmentVariables } from '../../node/terminal/terminal.js';
import { diffRun } from '../../runs/diff/diff-run.js';
import { readVerifiedPlan } from '../../runs/plan-copy.js';
import type { ReadRun } from '../../runs/run-list.js';
import { openTree } from '../../workspace/tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import { type ReceiptPlan, renderReceipt } from './receipt.js';

/** The receipt of a run, as HTML. */
export function makeReceipt(workspace: Workspace, { run, origin }: ReadRun): string {
  return renderReceipt({
    run,
    origin,
    plan: readProposed(workspace, run.id),
    diff: diffRun(workspace, run.id, environmentVariables()),
    recordHashes: workspace.runFileHashes(run.id),
    fileHashes: (workspace.runChanges(run.id) ?? []).map(({ path, states: { before, after } }) => ({
      path,
      before: before?.hash ?? null,
      after: after?.hash ?? null,
    })),
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
