import { sha256 } from '../node/ids.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Progress } from './progress.js';

/** The file in a run's folder with the plan, as the run received it. */
export const PLAN_COPY = 'plan.md';

/** The plan of a run of this user; undefined where the copy is gone, or is not what the run received. */
export function readPlanCopy(workspace: Workspace, run: string): string | undefined {
  const text = workspace.readRunFile(run, PLAN_COPY);
  const notes = workspace.runNotes(run).progress as Progress[];
  const begun = notes.find((note) => note.kind === 'begun' && note.run.id === run);
  const isReceived = text !== undefined && begun?.kind === 'begun' && begun.planHash === sha256(text);
  return isReceived ? text : undefined;
}
