import type { Issue } from '../core/issue.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Action, Plan } from '../core/plan/types.js';
import type { TipLimits } from '../core/report/markdown.js';
import { renderMirrored } from '../core/report/mirrored.js';
import type { ActionRecord, Decision, Done, Outcome, Run } from '../core/report/record.js';
import { overallOf } from '../core/report/record.js';
import { sha256 } from '../node/ids.js';
import type { Change } from '../workspace/commit/change.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import { RUN_RECORD } from '../workspace/runs/runs.js';
import type { Workspace } from '../workspace/workspace.js';

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
    root: environment.cwd,
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
  const { id, root, plan, startedAt, endedAt, durationMs, environment, ...rest } = draft;
  const overall = overallOf(draft);
  return { id, root, plan, startedAt, endedAt, durationMs, environment, overall, ...rest };
}

/** Whether nothing of the plan was approved, and so nothing done: it can be decided on again. */
export function isUndecided({ refused, actions, stateChanges }: Run): boolean {
  return !refused && [...actions, ...stateChanges].every(({ decision }) => decision.status === 'skipped');
}

/** Whether the user can decide again: the action or state change had no effect, being skipped or only a reply. */
export function canDecideAgain({
  type,
  decision,
}: Pick<ActionRecord, 'decision'> & { type?: ActionRecord['type'] }): boolean {
  return decision.by === 'person' && (decision.status === 'skipped' || type === 'CHAT_WITH_USER');
}

/** Ends a run: its report, and last its record, which says that it is over. Throws what its folder throws. */
export function closeRun(folder: RunFolder, run: Run, tip: TipLimits): void {
  folder.write(REPORT, renderMirrored(run, tip));
  folder.writeRecord(RUN_RECORD, toText(run));
}

/** The same as changes, for a commit that ends more than the run. */
export function recordChanges(workspace: Workspace, run: Run, tip: TipLimits): Change[] {
  const change = (name: string, text: string): Change => {
    const old = workspace.readRunFile(run.id, name);
    return {
      path: `.teddy/runs/${run.id}/${name}`,
      before: old === undefined ? null : sha256(old),
      after: new TextEncoder().encode(text),
      mode: 0o600,
    };
  };
  const record = toText(run);
  const seal = workspace.sealRunRecord(run.id, record);
  return [change(REPORT, renderMirrored(run, tip)), ...(seal ? [seal] : []), change(RUN_RECORD, record)];
}

function toText(run: Run): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

export function recordOf(action: Action, decision: Decision, outcome: Outcome): ActionRecord {
  return { type: action.type, line: action.line, metadata: action.metadata, decision, outcome };
}

export function success(summary: string): Done {
  return { status: 'success', summary };
}

/** An action that came to nothing, and why: a sentence, and maybe more lines on it. */
export function failure(why: string): Done {
  return { status: 'failure', summary: why.split('\n', 1)[0]!, error: { text: `${why}\n` } };
}
