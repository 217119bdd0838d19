import { type PlanIssueCode, planIssue } from './issue-codes.js';
import type { PlanIssue } from './types.js';

/** Line numbers count from 0 in the grammar and from 1 in what people read. */
export function planLine(line: number): number {
  return line + 1;
}

/** Collects issues, each with the action that is being read. */
export class IssueLog {
  readonly issues: PlanIssue[] = [];
  action: number | undefined;

  add(
    code: PlanIssueCode,
    message: string,
    where: Pick<PlanIssue, 'line' | 'column' | 'hint'> = {},
  ): PlanIssue {
    const action = this.action === undefined ? {} : { action: this.action };
    const issue = planIssue(code, message, { ...where, ...action });
    this.issues.push(issue);
    return issue;
  }
}
