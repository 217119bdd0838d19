import type { Shown } from '../core/plan/simulate.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Plan } from '../core/plan/types.js';
import { Overlay, type Tree } from '../core/tree.js';
import type { Question } from '../review/question.js';
import type { Workspace } from '../workspace/workspace.js';
import { proposeAction, proposeState } from './propose.js';

export function previewPlan(plan: Plan, tree: Tree, workspace: Workspace, show: Shown): Question[] {
  const overlay = new Overlay(tree);
  const questions: Question[] = writeStateChanges(plan).map(({ section, changes }) =>
    proposeState(section, changes),
  );
  for (const [i, action] of plan.actions.entries()) {
    const place = { number: i + 1, total: plan.actions.length, modified: false };
    const question = proposeAction(action, place, {
      tree: overlay,
      admit: (path) => workspace.locate(path),
      show,
    });
    if (question.preview.kind === 'write') overlay.write(question.preview.path, question.preview.after);
    questions.push(question);
  }
  return questions;
}
