import type { Issue } from '../../core/issue.js';
import type { Plan, PlanIssue } from '../../core/plan/types.js';
import { type Paint, visible } from './output.js';
import { indent, wrapText } from './table.js';
import { plural } from './words.js';

const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

type Shown = Pick<Issue, 'severity' | 'message' | 'hint'> & { code: string };

/**
 * One issue for a person:
 *
 *     error  line 12:3, action 2 EDIT  find-missing
 *       FIND is not in src/app.ts.
 *       Copy the lines from the file as they stand.
 */
export function issueLines(
  { severity, code, message, hint }: Shown,
  place: string,
  paint: Paint,
  wrap: (text: string, column: number) => string = wrapText,
): string[] {
  const head = [paint(COLOURS[severity], severity), place, paint('dim', code)];
  return [
    head.filter((part) => part !== '').join('  '),
    indent(wrap(visible(message), 2)),
    ...(hint === undefined ? [] : [indent(paint('cyan', wrap(visible(hint), 2)))]),
  ];
}

/** The same for an issue of a plan, as lines that are not wrapped: they may quote a file. */
export function planIssueText(issue: PlanIssue, plan: Plan | null, paint: Paint): string {
  const lines = issueLines(issue, placeOf(issue, plan), paint, (text) => text);
  return lines.map((line) => `${line}\n`).join('');
}

/** "2 errors, 1 warning"; empty where there is nothing to count. */
export function countIssues(issues: readonly PlanIssue[]): string {
  const nouns = { error: 'error', warning: 'warning', info: 'note' } as const;
  return (['error', 'warning', 'info'] as const)
    .map((severity) => plural(issues.filter((issue) => issue.severity === severity).length, nouns[severity]))
    .filter((part) => !part.startsWith('0 '))
    .join(', ');
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
