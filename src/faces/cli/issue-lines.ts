import type { Plan, PlanIssue } from '../../core/plan/types.js';
import type { Paint } from './paint.js';
import { visible } from './visible.js';

const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

/**
 * One issue for a person:
 *
 *     error  line 12:3, action 2 EDIT  find-missing
 *       FIND is not in src/app.ts.
 *       Copy the lines from the file as they stand.
 */
export function issueLines(issue: PlanIssue, plan: Plan | null, paint: Paint): string {
  const head = [
    paint(COLOURS[issue.severity], issue.severity),
    placeOf(issue, plan),
    paint('dim', issue.code),
  ];
  const body = [
    visible(issue.message),
    ...(issue.hint === undefined ? [] : [paint('cyan', visible(issue.hint))]),
  ];
  return `${head.filter((part) => part !== '').join('  ')}\n${indent(body.join('\n'))}\n`;
}

/** "2 errors, 1 warning"; empty where there is nothing to count. */
export function countIssues(issues: readonly PlanIssue[]): string {
  const count = (severity: PlanIssue['severity']) =>
    issues.filter((issue) => issue.severity === severity).length;
  return [plural(count('error'), 'error'), plural(count('warning'), 'warning'), plural(count('info'), 'note')]
    .filter((part) => !part.startsWith('0 '))
    .join(', ');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function placeOf({ line, column, action }: PlanIssue, plan: Plan | null): string {
  const parts: string[] = [];
  if (line !== undefined) parts.push(column === undefined ? `line ${line}` : `line ${line}:${column}`);
  if (action !== undefined) parts.push(`action ${action}${typeOf(action, line, plan)}`);
  return parts.join(', ');
}

/** The action's type, where the plan surely has that action: one that could not be read is not in it. */
function typeOf(position: number, line: number | undefined, plan: Plan | null): string {
  const action = plan?.actions[position - 1];
  const next = plan?.actions[position];
  if (action === undefined || line === undefined) return '';
  return line >= action.line && (next === undefined || line < next.line) ? ` ${action.type}` : '';
}

export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
