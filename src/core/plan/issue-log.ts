import { PLAN_ISSUES, type PlanIssueCode, planIssue } from './issue-codes.js';
import type { Plan, PlanIssue } from './types.js';

/** Line numbers count from 0 in the grammar and from 1 in what people read. */
export function planLine(line: number): number {
  return line + 1;
}

/** Collects issues, each with the action that is being read. */
export class PlanIssueLog {
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

/** Whether an issue refuses a plan, whatever anyone says. A person may accept predictions, and a CREATE that was cut off. */
export function isStructural({ severity, code, action }: PlanIssue, plan: Plan | null): boolean {
  if (severity !== 'error' || PLAN_ISSUES[code].kind === 'prediction') return false;
  const about = action === undefined ? undefined : plan?.actions[action - 1];
  return !(code === 'answer-cut-off' && about?.type === 'CREATE' && about.cutOff);
}
