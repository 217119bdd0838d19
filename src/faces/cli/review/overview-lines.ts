import { labelAction } from '../../../core/plan/actions.js';
import type { Action, Plan } from '../../../core/plan/types.js';
import type { Overview, Question } from '../../../review/question.js';
import { findRisks } from '../../../runs/actions.js';
import { countIssues, planIssueText } from '../issue-lines.js';
import { BLANK, foreign, foreignLine, type Line, prose, ruleLine, type Span, say } from '../terminal/line.js';
import type { Look, Style } from '../terminal/look.js';
import { findLookalikes } from '../terminal/lookalike.js';
import { plural } from '../words.js';
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

export interface Rest {
  /** Sections whose changes are still to be decided. */
  sections: readonly StateSection[];
  /** The first action that is; 1-based. */
  from: number;
}

export type StateSection = 'Active Context' | 'Memos';

/** Everything that a yes to the rest is a yes to: one line each, with what is risky about it. */
export function restLines(rest: Rest, plan: Plan, current: Question, look: Look, width: number): Line[] {
  const actions = plan.actions.slice(rest.from - 1);
  const lines: Line[] = [
    ...rest.sections.map((section) => {
      const changes = section === 'Memos' ? plan.memos : plan.activeContext;
      return prose(
        [{ text: `${section}  `, style: 'strong' }, { text: plural(changes.length, 'change') }],
        2,
        4,
      );
    }),
    ...actions.map((action, at) => {
      const number = rest.from + at;
      const shown = current.kind === 'action' && current.number === number ? current : undefined;
      return actionLine(
        number,
        shown?.action ?? action,
        shown?.risks.map(({ message }) => message),
        look,
      );
    }),
  ];
  return [ruleLine(`The rest: ${lines.length}`, look, width), ...lines, BLANK];
}

function actionLine(number: number, action: Action, known: readonly string[] | undefined, look: Look): Line {
  const flags = known ?? foresee(action);
  const spans: Span[] = [
    { text: `${number} ` },
    { text: `${action.type} `, style: 'strong' },
    ...foreignLine(labelAction(action), look),
    ...flags.flatMap((flag): Span[] => [
      { text: ` ${look.glyphs.flag} `, style: 'flag' },
      ...foreignLine(flag, look, 'flag'),
    ]),
    ...(action.type === 'CHAT_WITH_USER' || (action.type === 'CREATE' && action.cutOff)
      ? [{ text: ' (you will still be asked)', style: 'dim' as const }]
      : []),
  ];
  return prose(spans, 2, 4);
}

/** What can be said of an action before its turn has come. */
function foresee(action: Action): string[] {
  const flags = findRisks(action, { kind: 'none' }).map(({ message }) => message);
  if (action.type === 'EXECUTE') {
    const names = Object.keys(action.env);
    if (names.length > 0) flags.unshift(`sets ${names.join(', ')}`);
    if (action.cwd !== null) flags.unshift(`in ${action.cwd}`);
    flags.unshift('runs a command');
  }
  if (findLookalikes(action).length > 0) flags.push('look-alike letters');
  return flags;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['y', 'Approve it: it is done at once, exactly as shown. For a message: write a reply.'],
  ['n', 'Skip it. You may give a reason, which the agent will read in the report. Esc goes back.'],
  [
    'e',
    'Edit it in your editor ($VISUAL or $EDITOR); you will be asked again. For a message: write the reply there.',
  ],
  ['v', 'View all of it, page by page.'],
  ['r', "Read the plan's rationale."],
  ['a', 'Approve this and everything after it, after a look at the list.'],
  ['q', 'Quit: this and everything after it is skipped, and the report says so.'],
  ['Ctrl-C', 'The same, without a reason.'],
  ['Ctrl-Z', 'Stop for a while; your shell goes on with fg.'],
  ['Ctrl-L', 'Draw the screen again.'],
];

const NOTES = [
  'Keys that were pressed before a question was shown, and several keys at once, answer nothing.',
  'Characters that a terminal would hide or act on are shown by number, such as <U+001B> for Esc.',
  'A row that only goes on with the line above it has another bar in front.',
  'What you typed or edited is kept among the drafts of the run.',
];

export function helpLines(look: Look, width: number): Line[] {
  return [
    ruleLine('Keys', look, width),
    ...KEYS.map(
      ([key, meaning]): Line => ({
        lead: [{ text: `  ${key.padEnd(8)}`, style: 'title' }],
        more: [{ text: ' '.repeat(width < 40 ? 4 : 10) }],
        spans: [{ text: meaning }],
        wrap: 'words',
      }),
    ),
    BLANK,
    ...NOTES.map((note) => say(note, 'dim')),
  ];
}
