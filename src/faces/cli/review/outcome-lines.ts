import type { ActionRecord, Decision, StateChangeRecord } from '../../../core/report/record.js';
import { plural } from '../issue-lines.js';
import {
  foreign,
  foreignLine,
  type Line,
  leads,
  prose,
  type Span,
  say,
  splitText,
} from '../terminal/line.js';
import type { Look, Style } from '../terminal/look.js';

const ERROR_LINES = 6;

export interface ActionNumber {
  number: number;
  total: number;
}

/** "▸ 2/5 EXECUTE npm test" */
export function startLine({ number, total }: ActionNumber, type: string, label: string, look: Look): Line {
  return prose(
    [
      { text: `${look.glyphs.start} ${number}/${total} `, style: 'accent' },
      { text: `${type} `, style: 'strong' },
      ...foreignLine(label, look),
    ],
    0,
    2,
  );
}

/** How an action ended, in one line, and the beginning of its error where that was not on the screen already. */
export function outcomeLines(place: ActionNumber, record: ActionRecord, label: string, look: Look): Line[] {
  const { outcome, decision, type } = record;
  const head = (sign: string, style: Style, spans: readonly Span[]): Line =>
    prose(
      [
        { text: `${sign} ${place.number}/${place.total} `, style },
        { text: `${type} `, style: 'strong' },
        ...spans,
      ],
      0,
      2,
    );
  if (outcome.status === 'not-run') {
    return [head(look.glyphs.none, 'dim', [...foreignLine(label, look), ...skipped(decision, look)])];
  }
  const good = outcome.status === 'success';
  const lines = [
    head(
      good ? look.glyphs.good : look.glyphs.bad,
      good ? 'good' : 'bad',
      good ? foreignLine(label, look) : foreignLine(outcome.summary, look),
    ),
  ];
  if (!good && type !== 'EXECUTE' && outcome.error !== undefined)
    lines.push(...errorLines(withoutHead(outcome.error.text, outcome.summary), look));
  for (const note of outcome.notes ?? []) lines.push(prose(foreignLine(note, look), 2));
  if (outcome.expectedOutcome?.met === false) {
    const missing = outcome.expectedOutcome.missing.map((text) => `"${text}"`).join(', ');
    lines.push(
      prose(
        [{ text: `${look.glyphs.flag} not in the output: `, style: 'flag' }, ...foreignLine(missing, look)],
        2,
        4,
      ),
    );
  }
  return lines;
}

/** The summary stands above it already. */
function withoutHead(text: string, summary: string): string {
  return text.startsWith(`${summary}\n`) ? text.slice(summary.length + 1) : text;
}

function errorLines(text: string, look: Look): Line[] {
  const lines = splitText(text);
  const more = lines.length - ERROR_LINES;
  return [
    ...lines
      .slice(0, ERROR_LINES)
      .map((line): Line => ({ ...leads(look, '', ''), spans: foreign(line, look), wrap: 'cells' })),
    ...(more > 0 ? [say(`${look.glyphs.dots} ${plural(more, 'more line')} in the report`, 'dim')] : []),
  ];
}

export function stateLines({ section, decision, notApplied }: StateChangeRecord, look: Look): Line[] {
  const { glyphs } = look;
  if (decision.status === 'skipped')
    return [prose([{ text: `${glyphs.none} ${section}`, style: 'dim' }, ...skipped(decision, look)], 0, 2)];
  const sign: Span =
    notApplied.length === 0 ? { text: glyphs.good, style: 'good' } : { text: glyphs.bad, style: 'bad' };
  return [
    prose(
      [sign, { text: ` ${section} ` }, { text: notApplied.length === 0 ? 'applied' : 'applied in part' }],
      0,
      2,
    ),
    ...notApplied.map((sentence) => prose(foreignLine(sentence, look), 2, 4)),
  ];
}

function skipped(decision: Decision, look: Look): Span[] {
  const reason = decision.status === 'skipped' ? decision.reason : null;
  if (reason === null) return [{ text: ' skipped', style: 'dim' }];
  return [{ text: ' skipped: ', style: 'dim' }, ...foreignLine(reason.replace(/\s+/g, ' '), look, 'dim')];
}
