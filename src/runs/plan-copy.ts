import { sha256 } from '../node/ids.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Progress } from './progress.js';

/** The file in a run's folder with the plan, as the run received it. */
export const PLAN_COPY = 'plan.md';

/** The plan of a run of this user. */
export type PlanCopy =
  /** The run's journal has the hash of this text. */
  | { status: 'verified'; text: string }
  /** An older version recorded the run without the hash: for display only. */
  | { status: 'unverified'; text: string }
  | { status: 'altered' | 'missing' };

/** `original`: a text that is used if it is what the run received, even if the copy was changed or deleted. */
export function readPlanCopy(workspace: Workspace, run: string, original?: string | null): PlanCopy {
  const text = workspace.readRunFile(run, PLAN_COPY);
  const notes = workspace.runNotes(run).progress as Progress[];
  const begun = notes.find((note) => note.kind === 'begun' && note.run.id === run);
  if (begun?.kind !== 'begun') return { status: 'missing' };
  if (begun.planHash === undefined)
    return text === undefined ? { status: 'missing' } : { status: 'unverified', text };
  const received = [original, text].find(
    (each) => typeof each === 'string' && sha256(each) === begun.planHash,
  );
  if (typeof received === 'string') return { status: 'verified', text: received };
  return { status: text === undefined ? 'missing' : 'altered' };
}

/** The text of a plan that is exactly what the run received. */
export function readVerifiedPlan(workspace: Workspace, run: string): string | undefined {
  const copy = readPlanCopy(workspace, run);
  return copy.status === 'verified' ? copy.text : undefined;
}
