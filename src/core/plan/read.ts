import type { Tree } from '../tree.js';
import { planIssue } from './issues.js';
import { parsePlan } from './parse/parse.js';
import { traceRepair } from './repair/repair.js';
import type { Action, PlanIssue, ReadResult } from './types.js';

/**
 * Repairs a plan's fences and parses the result. Each repair is an issue, too; every line
 * number is one of the text as received. With a tree, paths mean what they mean in that project.
 */
export function readPlan(text: string, tree?: Tree): ReadResult {
  const { text: repaired, repairs, issues, origin } = traceRepair(text);
  if (issues.length > 0) return { plan: null, repairs, issues };
  const { plan, issues: found } = parsePlan(repaired, tree);
  const sourceLine = (line: number) => (origin ? (origin[line - 1] ?? line - 1) + 1 : line);
  for (const issue of found) if (issue.line !== undefined) issue.line = sourceLine(issue.line);
  if (plan && origin) {
    for (const change of [...plan.activeContext, ...plan.memos]) change.line = sourceLine(change.line);
    for (const action of plan.actions) {
      action.line = sourceLine(action.line);
      if (action.type === 'EDIT') for (const edit of action.edits) edit.line = sourceLine(edit.line);
    }
  }
  const made: PlanIssue[] = repairs.map(({ kind, message, line }) => planIssue(kind, message, { line }));
  return { plan, repairs, issues: [...made, ...found].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

interface ActionRead {
  /** Null when the text does not contain exactly one action that can be run. */
  action: Action | null;
  /** Lines are those of the text. */
  issues: PlanIssue[];
}

const FRAME = `# Action
- **Status:** Edited
- **Plan Type:** Edited
- **Agent:** Edited

## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`

## Action Plan

`;
const FRAME_LINES = FRAME.split('\n').length - 1;

/** A single action, as `writeAction` writes it: its fences repaired, and parsed as in a plan. */
export function readAction(text: string, tree?: Tree): ActionRead {
  const { plan, issues: found } = readPlan(FRAME + text, tree);
  const issues = found.map((issue) => moveUp(issue));
  const refused = issues.some((issue) => issue.severity === 'error');
  const actions = plan?.actions ?? [];
  if (!refused && actions.length > 1) {
    issues.push(
      planIssue('heading-unexpected', 'A second action starts here; only one is expected.', {
        line: Math.max(1, actions[1]!.line - FRAME_LINES),
      }),
    );
  }
  const action = refused || actions.length !== 1 ? null : actions[0]!;
  return { action: action && { ...action, line: Math.max(1, action.line - FRAME_LINES) }, issues };
}

function moveUp(issue: PlanIssue): PlanIssue {
  return issue.line === undefined ? issue : { ...issue, line: Math.max(1, issue.line - FRAME_LINES) };
}
