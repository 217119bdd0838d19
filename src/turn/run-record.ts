import type { Issue } from '../formats/issue.js';
import { type Plan, writeStateChanges } from '../formats/plan/index.js';
import {
  type Decision,
  overallOf,
  type Run,
  renderMirrored,
  type TipLimits,
} from '../formats/report/index.js';
import { recordOf } from '../run/index.js';
import { RUN_RECORD, type RunFolder } from '../workspace/index.js';

const REPORT = 'report.md';
export const PLAN_COPY = 'plan.md';

/** A run of which everything is still to be decided: each action as `decision` has it. */
export function draftRun(
  facts: Pick<Run, 'id' | 'startedAt' | 'environment'> & { path: string },
  plan: Plan | null,
  issues: readonly Issue[],
  decision: Decision,
): Omit<Run, 'overall'> {
  const { id, startedAt, environment, path } = facts;
  return {
    id,
    plan: { title: plan === null || plan.title === '' ? null : plan.title, path },
    startedAt,
    endedAt: startedAt,
    durationMs: 0,
    environment,
    refused: false,
    interrupted: null,
    issues: [...issues],
    stateChanges:
      plan === null ? [] : writeStateChanges(plan).map((change) => ({ ...change, decision, notApplied: [] })),
    actions:
      plan === null ? [] : plan.actions.map((action) => recordOf(action, decision, { status: 'not-run' })),
  };
}

/** Makes the record of a run that is over. */
export function completeRun(draft: Omit<Run, 'overall'>): Run {
  const { id, plan, startedAt, endedAt, durationMs, environment, ...rest } = draft;
  const overall = overallOf(draft);
  return { id, plan, startedAt, endedAt, durationMs, environment, overall, ...rest };
}

/** Ends a run: its report, and last its record, which says that it is over. Throws what its folder throws. */
export function closeRun(folder: RunFolder, run: Run, tip: TipLimits): void {
  folder.write(REPORT, renderMirrored(run, tip));
  folder.write(RUN_RECORD, `${JSON.stringify(run, null, 2)}\n`);
}
