import { labelAction } from '../../../core/plan/actions.js';
import { findLookalikes } from '../../../core/plan/lookalikes.js';
import { writeStateChanges } from '../../../core/plan/state-changes.js';
import type { Action, Plan } from '../../../core/plan/types.js';
import type { Overview, Preview, Question, StateQuestion } from '../../../review/question.js';
import { findRisks } from '../../../runs/actions.js';
import { countIssues, foldIssues, planIssueText } from '../issue-lines.js';
import type { Look, Style } from '../output.js';
import {
  BLANK,
  foreign,
  foreignLine,
  type Line,
  labelled,
  prose,
  ruleLine,
  type Span,
  say,
  splitText,
} from '../terminal/line.js';
import { plural } from '../words.js';
import { measureDiff } from './diff-lines.js';
import { markdownLines } from './markdown-lines.js';
import { describeStateChange } from './question-lines.js';

const SEVERITIES: Record<string, Style> = { error: 'danger', warning: 'flag', info: 'accent' };

/** The plan before its first question: what it is, what it would do, and its known problems. */
export function overviewLines(
  { plan, issues, previews, continued }: Overview,
  root: string,
  look: Look,
  width: number,
): Line[] {
  const facts: [string, string[]][] = [['Root', [root]]];
  for (const [label, value] of Object.entries(plan.metadata)) facts.push([label, [value]]);
  facts.push(['Actions', [countActions(plan.actions)]]);
  for (const { section, changes } of writeStateChanges(plan)) {
    const done = continued?.stateChanges.has(section) ? ' (already done)' : '';
    facts.push([section, [`${describeStateChange(section, changes)}${done}`]]);
  }
  return [
    BLANK,
    prose(foreignLine(plan.title, look, 'title'), 0, 2),
    ...labelled(facts, look, width),
    BLANK,
    ...plan.actions.map((action, at) =>
      actionLine(
        at + 1,
        action,
        { preview: previews[at], isDone: continued?.actions.has(at + 1) ?? false, of: plan.actions.length },
        look,
      ),
    ),
    ...issueOverview(issues, plan, look),
  ];
}

/** Shows relevant issues in full and counts style warnings. */
function issueOverview(issues: Overview['issues'], plan: Plan, look: Look): Line[] {
  const { shown, folded } = foldIssues(issues);
  const style =
    folded === '' ? [] : [BLANK, prose([{ text: `${folded} (teddy validate --verbose)`, style: 'dim' }])];
  if (shown.length === 0) return style;
  const hasErrors = shown.some(({ severity }) => severity === 'error');
  return [
    BLANK,
    prose([{ text: `${countIssues(shown)}:`, style: 'strong' }]),
    ...shown.flatMap((issue) => describeIssue(issue, plan, look)),
    ...(hasErrors
      ? [say(`You can continue. Actions marked ${look.glyphs.bad} will fail unless you edit them.`)]
      : []),
    ...style,
  ];
}

export function describeIssue(issue: Overview['issues'][number], plan: Plan | null, look: Look): Line[] {
  const [head = '', ...body] = planIssueText(issue, plan, (_, text) => text)
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
    // Text quoted from a file keeps its columns.
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

export interface Rest {
  /** Sections that are not decided yet. */
  sections: readonly StateQuestion['section'][];
  /** The first action that is not decided yet; 1-based. */
  from: number;
}

/** Everything that 'approve the rest' approves: one line each, with its risks. */
export function restLines(
  rest: Rest,
  { plan, previews, continued }: Overview,
  current: Question,
  look: Look,
  width: number,
): Line[] {
  const sections = rest.sections.filter((section) => !continued?.stateChanges.has(section));
  const of = plan.actions.length;
  const lines: Line[] = [
    ...sections.map((section) => {
      const changes = section === 'Memos' ? plan.memos : plan.activeContext;
      return prose(
        [{ text: `${section}  `, style: 'strong' }, { text: plural(changes.length, 'change') }],
        2,
        4,
      );
    }),
    ...plan.actions.flatMap((action, at) => {
      const number = at + 1;
      if (number < rest.from || continued?.actions.has(number)) return [];
      const isAsked = action.type === 'CHAT_WITH_USER' || (action.type === 'CREATE' && action.cutOff);
      if (current.kind === 'action' && current.number === number) {
        const flags = current.risks.map(({ message }) => message);
        return actionLine(number, current.action, { preview: current.preview, flags, isAsked, of }, look);
      }
      const preview = previews[at];
      return actionLine(number, action, { preview, flags: knownRisks(action, preview), isAsked, of }, look);
    }),
  ];
  return [ruleLine(`Approve the rest: ${lines.length}`, look, width), ...lines, BLANK];
}

interface ActionFacts {
  preview?: Preview | undefined;
  flags?: readonly string[];
  /** It succeeded in the run that is continued. */
  isDone?: boolean;
  /** Not covered by 'approve the rest'. */
  isAsked?: boolean | undefined;
  /** The number of actions in the plan, so that the numbers of a list align. */
  of?: number;
}

/** An action in one line: what it is about, how much it changes, whether it will fail, and its risks. */
export function actionLine(
  number: number,
  action: Action,
  { preview, flags = [], isDone = false, isAsked = false, of = number }: ActionFacts,
  look: Look,
): Line {
  const head: Span[] = [
    { text: `${String(number).padStart(String(of).length)} ` },
    { text: `${action.type} `, style: 'strong' },
    ...foreignLine(labelAction(action), look),
  ];
  if (isDone) {
    const mark: Span = { text: `${look.glyphs.good} `, style: 'good' };
    return prose([mark, ...head, { text: '  already done', style: 'dim' }], 2, 6);
  }
  const spans: Span[] = [
    ...head,
    ...sizeSpans(preview),
    ...flags.flatMap((flag): Span[] => [
      { text: ` ${look.glyphs.flag} `, style: 'flag' },
      ...foreignLine(flag, look, 'flag'),
    ]),
    ...(isAsked ? [{ text: ' (you will still be asked)', style: 'dim' as const }] : []),
  ];
  if (preview?.kind !== 'will-fail') return prose(spans, 4, 6);
  return prose([{ text: `${look.glyphs.bad} `, style: 'danger' }, ...spans], 2, 6);
}

function sizeSpans(preview: Preview | undefined): Span[] {
  if (preview?.kind !== 'write') return [];
  const { path, before, after } = preview;
  if (before === null) return [{ text: `  new, ${plural(splitText(after).length, 'line')}`, style: 'dim' }];
  if (before === after) return [{ text: '  no change', style: 'dim' }];
  const { added, removed } = measureDiff({ path, before, after });
  return [
    { text: `  +${added}`, style: 'added' },
    { text: ` -${removed}`, style: 'removed' },
  ];
}

/** The risks of an action that are known before it is asked about. */
export function knownRisks(action: Action, preview: Preview = { kind: 'none' }): string[] {
  const flags = findRisks(action, preview).map(({ message }) => message);
  if (action.type === 'EXECUTE') {
    const names = Object.keys(action.env);
    if (names.length > 0) flags.unshift(`sets ${names.join(', ')}`);
    if (action.cwd !== null) flags.unshift(`in ${action.cwd}`);
    flags.unshift('runs a command');
  }
  if (findLookalikes(action).length > 0) flags.push('look-alike letters');
  return flags;
}
