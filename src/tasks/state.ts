import type { Issue } from '../core/issue.js';
import { readState, type StateFields, StateFile } from '../core/state/state.js';
import type { StateFacts } from '../core/state/types.js';
import { UserError } from '../node/errors.js';
import type { View } from '../workspace/view.js';
import { isPlanOver } from './plans/next-tasks.js';
import { ProjectSnapshot } from './plans/project-snapshot.js';
import { type CaptureProject, changesTo, describeCommit, logFiles, readTextAt } from './project.js';
import { readSession } from './record-result.js';
import { factsOfProject, findState, readPriorTotals } from './state-facts.js';
import type { UnreadablePlan } from './types.js';

export interface StateDescription {
  /** From the root. */
  path: string;
  exists: boolean;
  /** The current text. */
  text: string;
  /** The text that plans and records imply. */
  updated: string;
  /** The issues of `updated`. */
  fields: StateFields;
  issues: Issue[];
}

/** Compares STATE.md with what it should say. */
export function describeState(project: CaptureProject): StateDescription {
  return project.workspace.view((view) => describe(view, project));
}

/** Updates STATE.md from plans and records. */
export async function writeState(project: CaptureProject): Promise<{ path: string; changed: boolean }> {
  const result = await project.workspace.update((view) => {
    const { path, updated } = describe(view, project);
    const changes = changesTo(view, path, updated);
    return { changes, value: { path, changed: changes.length > 0 } };
  });
  if (result.status !== 'committed') throw new UserError(describeCommit('STATE.md was not written', result));
  return result.value;
}

function describe(view: View, project: CaptureProject): StateDescription {
  const snapshot = new ProjectSnapshot(view, project);
  const { path, text, updated, issues } = readStateUpdate(view, project, snapshot);
  return {
    path,
    exists: text !== undefined,
    text: text ?? '',
    updated,
    fields: readState(updated),
    issues: [...snapshot.unreadable.map(unreadableIssue), ...issues],
  };
}

/** The current STATE.md (undefined if there is none), and what it should be according to `snapshot` and `resultFacts`. */
export function readStateUpdate(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  resultFacts: StateFacts = {},
): { path: string; text: string | undefined; updated: string; issues: Issue[] } {
  const session = readSession(view, logFiles.session(project));
  const current =
    snapshot.plans.find(({ id }) => id === session?.plan_id) ??
    snapshot.plans.find((plan) => !isPlanOver(plan)) ??
    snapshot.plans.at(-1);
  const path = findState(view, project, current?.path);
  const text = readTextAt(view, path);
  const file = new StateFile(text ?? null);
  const prior = readPriorTotals(view, project, snapshot, file.fields);
  const edit = file.update({ ...factsOfProject(snapshot, current, file.fields, prior), ...resultFacts });
  return { path, text, updated: edit.text, issues: edit.issues };
}

function unreadableIssue({ path, reason }: UnreadablePlan): Issue {
  return {
    code: 'plan-unreadable',
    severity: 'warning',
    message: `${path} ${reason}, so its tasks are unknown.`,
    hint: 'Fix the file, or exclude it with plans.glob in .teddy/config.yaml.',
  };
}
