import type { Issue } from '../../../../core/issue.js';
import type { Check, Verdict, VerdictName } from '../../../../core/task-result/types.js';
import { indent } from '../../issue-lines.js';
import type { Paint } from '../../paint.js';
import { issueJson } from '../../result-json.js';
import { hang, wrapText } from '../../table.js';
import { visible, visibleLine } from '../../visible.js';

const MARKS = {
  passed: ['green', '✓'],
  warned: ['yellow', '!'],
  failed: ['red', '✗'],
  'not-checked': ['dim', '-'],
} as const satisfies Record<Check['state'], readonly [Parameters<Paint>[0], string]>;

const SEVERITIES = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

const VERDICTS = { VALID: 'green', VALID_WITH_WARNINGS: 'yellow', INVALID: 'red' } as const;

export interface PlanName {
  id: string;
  path: string;
}

/** The fields of a verdict that every result command gives. */
export function verdictJson({ verdict, issues, match }: Verdict, plan: PlanName) {
  return {
    verdict,
    issues: issues.map((issue) => ({ ...issueJson(issue), field: issue.field ?? null })),
    plan: plan.id,
    planPath: plan.path,
    task: match && {
      id: `${plan.id}:${match.task.index}`,
      index: match.task.index,
      name: match.task.name,
      match: match.match,
    },
  };
}

/** The checklist, every broken rule below it, and the verdict. */
export function verdictLines({ verdict, issues, checks }: Verdict, paint: Paint): string[] {
  return [
    ...checks.map(({ state, said }) => {
      const [style, mark] = MARKS[state];
      return `${paint(style, mark)} ${hang(wrapText(visibleLine(said), 2), 2)}`;
    }),
    '',
    ...issues.flatMap((issue) => [...resultIssueLines(issue, paint), '']),
    `Result: ${paintVerdict(verdict, paint)}`,
  ];
}

/** `error  line 4, verification.exit_code  success-exit-code`, and below it what is wrong and what to write. */
export function resultIssueLines(
  { code, severity, message, line, field, hint }: Issue & { field?: string },
  paint: Paint,
): string[] {
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(field === undefined ? [] : [visibleLine(field)]),
  ].join(', ');
  const head = [paint(SEVERITIES[severity], severity), place, paint('dim', code)];
  return [
    head.filter((part) => part !== '').join('  '),
    indent(wrapText(visible(message), 2)),
    ...(hint === undefined ? [] : [indent(paint('cyan', wrapText(visible(hint), 2)))]),
  ];
}

export function paintVerdict(verdict: VerdictName, paint: Paint): string {
  return paint(VERDICTS[verdict], verdict);
}

const COLUMN = 'STATE.md  '.length;

/** What a person should know of a change that was made, a line for each. */
export function noteLines(
  notes: readonly Pick<Issue, 'severity' | 'message' | 'hint'>[],
  paint: Paint,
): string[] {
  return notes
    .filter(({ severity }) => severity !== 'info')
    .map(({ message, hint }) => visibleLine(hint === undefined ? message : `${message} ${hint}`))
    .map((note) => `${paint('yellow', 'note')}      ${hang(wrapText(note, COLUMN), COLUMN)}`);
}
