import type { Action, Plan } from '../../../core/plan/types.js';
import type { Overview } from '../../../review/question.js';
import { countIssues, issueLines, plural } from '../issue-lines.js';
import { BLANK, foreign, foreignLine, type Line, prose, ruleLine, say } from '../terminal/line.js';
import type { Look, Style } from '../terminal/look.js';
import { markdownLines } from './markdown-lines.js';
import { labelled } from './question-lines.js';

const SEVERITIES: Record<string, Style> = { error: 'danger', warning: 'flag', info: 'accent' };

/** The plan before its first question: what it is, what it would do, and what is known to be wrong with it. */
export function overviewLines({ plan, issues }: Overview, root: string, look: Look, width: number): Line[] {
  const facts: [string, string[]][] = [['Root', [root]]];
  for (const [label, value] of Object.entries(plan.metadata)) facts.push([label, [value]]);
  facts.push(['Actions', [countActions(plan.actions)]]);
  const changes = [
    countChanges(plan.activeContext, 'file', 'in context'),
    countChanges(plan.memos, 'memo', ''),
  ].filter((text) => text !== '');
  if (changes.length > 0) facts.push(['Changes', changes]);
  return [
    BLANK,
    prose(foreignLine(plan.title, look, 'title'), 0, 2),
    ...labelled(facts, look, width),
    ...(issues.length === 0
      ? []
      : [
          BLANK,
          prose([{ text: `${countIssues(issues)}:`, style: 'strong' }]),
          ...issues.flatMap((issue) => describeIssue(issue, plan, look)),
          ...(issues.some(({ severity }) => severity === 'error')
            ? [say('You may go on all the same; an action that is foreseen to fail then fails.')]
            : []),
        ]),
  ];
}

export function describeIssue(issue: Overview['issues'][number], plan: Plan | null, look: Look): Line[] {
  const [head = '', ...body] = issueLines(issue, plan, (_, text) => text)
    .trimEnd()
    .split('\n');
  return [
    prose(
      [
        { text: issue.severity, style: SEVERITIES[issue.severity] },
        ...foreign(head.slice(issue.severity.length), look, { style: 'dim' }),
      ],
      2,
      4,
    ),
    // What is quoted from a file keeps its columns.
    ...body.map((line): Line => {
      const text = line.slice(2);
      return { ...prose(foreign(text, look), 4), wrap: text.startsWith(' ') ? 'cells' : 'words' };
    }),
  ];
}

export function rationaleLines(plan: Plan, look: Look, width: number): Line[] {
  return [ruleLine('Rationale', look, width), ...markdownLines(plan.rationale, look)];
}

function countActions(actions: readonly Action[]): string {
  const counts = new Map<string, number>();
  for (const { type } of actions) counts.set(type, (counts.get(type) ?? 0) + 1);
  const parts = [...counts].map(([type, count]) => (count === 1 ? type : `${count} ${type}`));
  return `${actions.length}: ${parts.join(', ')}`;
}

function countChanges(changes: readonly { op: '+' | '-' }[], noun: string, where: string): string {
  const count = (op: string) => changes.filter((change) => change.op === op).length;
  const parts = [
    ...(count('+') > 0 ? [`${plural(count('+'), noun)} added`] : []),
    ...(count('-') > 0 ? [`${plural(count('-'), noun)} removed`] : []),
  ];
  if (parts.length === 0) return '';
  return [parts.join(', '), where].filter((part) => part !== '').join(' ');
}
