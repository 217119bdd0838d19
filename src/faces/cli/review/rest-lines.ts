import type { Action, Plan } from '../../../core/plan/types.js';
import type { Question } from '../../../review/question.js';
import { recordLabel } from '../../../runs/records.js';
import { findRisks } from '../../../runs/risks.js';
import { plural } from '../issue-lines.js';
import { BLANK, foreignLine, type Line, prose, ruleLine, type Span } from '../terminal/line.js';
import type { Look } from '../terminal/look.js';
import { findLookalikes } from '../terminal/lookalike.js';

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
    ...foreignLine(recordLabel(action), look),
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
