import type { Issue } from '../../core/issue.js';
import { isStyle } from '../../core/plan/issues.js';
import type { Plan, PlanIssue } from '../../core/plan/types.js';
import { type Paint, visible } from './output.js';
import { indent, wrapText } from './table.js';
import { plural } from './words.js';

const COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

type Shown = Pick<Issue, 'severity' | 'message' | 'hint'> & { code: string };

/**
 * One issue as text:
 *
 *     error  line 12:3, action 2 EDIT  find-missing
 *       FIND is not in src/app.ts.
 *       Copy the lines from the file.
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

/** An issue of a plan. Its lines are not wrapped, because they may quote a file. */
export function planIssueText(issue: PlanIssue, plan: Plan | null, paint: Paint): string {
  const lines = issueLines(issue, placeOf(issue, plan), paint, (text) => text);
  return lines.map((line) => `${line}\n`).join('');
}

const SEVERITIES = ['error', 'warning', 'info'] as const;
const NOUNS = { error: 'error', warning: 'warning', info: 'note' } as const;

/** "2 errors, 1 warning"; empty if there is nothing to count. */
export function countIssues(issues: readonly PlanIssue[]): string {
  return SEVERITIES.map((severity) => countSeverity(issues, severity))
    .filter((part) => part !== '')
    .join(', ');
}

function countSeverity(issues: readonly PlanIssue[], severity: PlanIssue['severity']): string {
  const count = issues.filter((issue) => issue.severity === severity).length;
  return count === 0 ? '' : plural(count, NOUNS[severity]);
}

export interface IssueReport {
  /** "2 errors, 16 style warnings (--verbose shows them)"; empty if there are no issues. */
  counts: string;
  /** A text for each issue, errors first. Style warnings are left out unless `verbose`. */
  texts: string[];
}

/** Errors first; style warnings are only counted, unless `verbose`. */
export function foldIssues(
  issues: readonly PlanIssue[],
  verbose = false,
): { shown: PlanIssue[]; folded: string } {
  const kept = verbose ? issues : issues.filter((issue) => !isStyle(issue));
  const count = issues.length - kept.length;
  return {
    shown: SEVERITIES.flatMap((severity) => kept.filter((issue) => issue.severity === severity)),
    folded: count === 0 ? '' : plural(count, 'style warning'),
  };
}

export function reportIssues(
  issues: readonly PlanIssue[],
  plan: Plan | null,
  { verbose }: { verbose?: boolean | undefined },
  paint: Paint,
): IssueReport {
  const { shown, folded } = foldIssues(issues, verbose);
  const hint = `(--verbose shows ${folded.startsWith('1 ') ? 'it' : 'them'})`;
  const style = folded === '' ? '' : `${folded} ${hint}`;
  return {
    counts: [countIssues(shown), style].filter((part) => part !== '').join(', '),
    texts: shown.map((issue) => planIssueText(issue, plan, paint)),
  };
}

/** The option of every command that folds warnings. */
export const VERBOSE = ['--verbose', 'show style warnings, too'] as const;

function placeOf({ line, column, action }: PlanIssue, plan: Plan | null): string {
  const parts: string[] = [];
  if (line !== undefined) parts.push(column === undefined ? `line ${line}` : `line ${line}:${column}`);
  if (action !== undefined) parts.push(`action ${action}${typeOf(action, line, plan)}`);
  return parts.join(', ');
}

/** The action's type, if the plan has that action: one that could not be read is missing from it. */
function typeOf(position: number, line: number | undefined, plan: Plan | null): string {
  const action = plan?.actions[position - 1];
  const next = plan?.actions[position];
  if (action === undefined || line === undefined) return '';
  return line >= action.line && (next === undefined || line < next.line) ? ` ${action.type}` : '';
}
