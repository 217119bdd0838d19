import { readAction } from '../core/plan/read.js';
import { rewriteAction } from '../core/plan/rewrite.js';
import type { Action, PlanIssue } from '../core/plan/types.js';
import { writeAction } from '../core/plan/write.js';
import { findSentinel } from '../core/redact/values.js';
import type { Tree } from '../core/tree.js';
import type { ActionQuestion } from './question.js';

export type EditedAction = { action: Action } | { issues: PlanIssue[]; reason?: string };

/** An action that the user edited, in the plan's format, in place of the old one; or why it cannot be that. */
export function readEditedAction(text: string, old: Action, tree: Tree): EditedAction {
  const { action, issues } = readAction(text, tree);
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (action === null) return { issues: errors.length > 0 ? errors : issues };
  if (action.type !== old.type)
    return { issues: [], reason: `The action is now ${action.type}; it must stay ${old.type}.` };
  const masked = findSentinel(text)?.sentinel;
  if (masked !== undefined && !writeAction(old).includes(masked))
    return { issues: [], reason: `${masked} stands for a masked secret; write the value itself.` };
  return { action: atLine(action, old.line) };
}

/** The action that makes the file what the user made of it; undefined where the action writes no file. */
export function readEditedResult(
  text: string,
  { action, preview }: ActionQuestion,
  tree: Tree,
): Action | undefined {
  if (preview.kind !== 'write' || (action.type !== 'CREATE' && action.type !== 'EDIT')) return undefined;
  return rewriteAction(action, preview, text, tree);
}

/** Line numbers as if it were in place of the old one. */
function atLine(action: Action, line: number): Action {
  const by = line - action.line;
  if (action.type !== 'EDIT') return { ...action, line };
  return { ...action, line, edits: action.edits.map((edit) => ({ ...edit, line: edit.line + by })) };
}
