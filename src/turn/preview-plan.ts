import { type Plan, type Shown, writeChanges } from '../formats/plan/index.js';
import { Overlay, type Tree } from '../formats/tree.js';
import { proposeAction, proposeState, type Question } from '../run/index.js';
import type { Workspace } from '../workspace/index.js';

export function previewPlan(plan: Plan, tree: Tree, workspace: Workspace, show: Shown): Question[] {
  const overlay = new Overlay(tree);
  const context = plan.activeContext.map(({ op, path, comment }) => ({ op, text: path, comment }));
  const questions: Question[] = [
    ...(context.length > 0 ? [proposeState('Active Context', writeChanges(context))] : []),
    ...(plan.memos.length > 0 ? [proposeState('Memos', writeChanges(plan.memos))] : []),
  ];
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
