import { planIssue } from './issue-codes.js';
import { parsePlan } from './parse/index.js';
import { traceRepair } from './repair/index.js';
import type { PlanIssue, ReadResult } from './types.js';

/**
 * Repairs a plan's fences and parses what comes of it. Each repair is an issue, too; every line
 * number is one of the text as it came.
 */
export function readPlan(text: string): ReadResult {
  const { text: repaired, repairs, issues, origin } = traceRepair(text);
  if (issues.length > 0) return { plan: null, repairs, issues };
  const { plan, issues: found } = parsePlan(repaired);
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
