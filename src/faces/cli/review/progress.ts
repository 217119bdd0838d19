import type { ActionRecord, Decision, StateChangeRecord } from '../../../core/report/record.js';
import { monotonicMs } from '../../../node/clock.js';
import { isTerminal, writeError } from '../../../node/terminal/terminal.js';
import type { RunListener } from '../../../runs/events.js';
import { chooseLook, type Look, type Style, visibleLine } from '../output.js';
import {
  cutToWidth,
  foreign,
  foreignLine,
  type Line,
  leads,
  prose,
  rowsOf,
  type Span,
  say,
  splitText,
} from '../terminal/line.js';
import { plural } from '../words.js';

/** Wide enough for any line: the terminal wraps these lines itself. */
const WIDTH = 400;

/**
 * For runs without questions: one line on standard error for each action. If standard error is a terminal, the output of
 * commands is shown as it arrives.
 */
export function createProgress(options: { color: boolean }): RunListener {
  const onTerminal = isTerminal('stderr');
  const look = chooseLook({ color: options.color && onTerminal });
  const print = (lines: readonly Line[]) =>
    writeError(
      rowsOf(lines, WIDTH, look)
        .map((row) => `${row}\n`)
        .join(''),
    );
  let output: LiveOutput | undefined;

  return (event) => {
    switch (event.kind) {
      case 'run-started':
        for (const { message } of event.repairs)
          writeError(`${look.paint('flag', 'Repaired')}  ${visibleLine(message)}\n`);
        return;
      case 'action-started':
        if (onTerminal && event.type === 'EXECUTE') {
          print([startLine(event, event.type, event.label, look)]);
          output = new LiveOutput(look, print);
        }
        return;
      case 'output':
        output?.push(event.stream, event.text);
        return;
      case 'state-changed': {
        const [style, words] = describeState(event.record);
        writeError(`${event.record.section}: ${look.paint(style, words)}\n`);
        return;
      }
      case 'action-ended': {
        output?.end();
        output = undefined;
        const [style, words] = describe(event.record);
        const { number, total, record, label } = event;
        const about = visibleLine(label).replace(/[.:]$/, '');
        const head = `${number}/${total} ${record.type}${about === '' ? '' : ` ${about}`}`;
        writeError(`${head}: ${look.paint(style, words)}\n`);
        return;
      }
      default:
        return;
    }
  };
}

function describeState({ decision, notApplied }: StateChangeRecord): [Style, string] {
  if (decision.status === 'skipped') return ['dim', describeSkip(decision.reason)];
  if (notApplied.length === 0) return ['good', 'done'];
  return ['bad', `not all done: ${notApplied.map((each) => visibleLine(each)).join(' ')}`];
}

function describe({ decision, outcome }: ActionRecord): [Style, string] {
  if (outcome.status === 'success') return ['good', 'done'];
  if (outcome.status === 'failure') return ['bad', `failed: ${visibleLine(outcome.summary)}`];
  return ['dim', describeSkip(decision.status === 'skipped' ? decision.reason : null)];
}

function describeSkip(reason: string | null): string {
  return reason === null ? 'skipped' : `skipped: ${visibleLine(reason.replace(/\s+/g, ' '))}`;
}

const ERROR_LINES = 6;
const COMMAND_WIDTH = 60;

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
      ...foreignLine(shorten(type, label), look),
    ],
    0,
    2,
  );
}

/** A long command is shown whole before it runs, and in the report. */
function shorten(type: string, label: string): string {
  const short = type === 'EXECUTE' ? cutToWidth(label, COMMAND_WIDTH) : label;
  return short === label ? label : `${short}…`;
}

/**
 * The outcome of an action on one line, with the start of its error if that is not visible yet. Its notes are added to
 * `shownNotes`, so that a note which many actions share is shown once.
 */
export function outcomeLines(
  place: ActionNumber,
  record: ActionRecord,
  label: string,
  look: Look,
  shownNotes: Set<string>,
): Line[] {
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
    return [
      head(look.glyphs.none, 'dim', [...foreignLine(shorten(type, label), look), ...skipped(decision, look)]),
    ];
  }
  const good = outcome.status === 'success';
  const text = !good
    ? describeFailure(type, label, outcome.summary)
    : outcome.reply === undefined
      ? shorten(type, label)
      : `You replied: ${outcome.reply.replace(/\s+/g, ' ')}`;
  const lines = [
    head(good ? look.glyphs.good : look.glyphs.bad, good ? 'good' : 'bad', foreignLine(text, look)),
  ];
  if (!good && type !== 'EXECUTE' && outcome.error !== undefined)
    lines.push(...errorLines(withoutHead(outcome.error.text, outcome.summary), look));
  for (const note of outcome.notes ?? []) {
    if (!shownNotes.has(note)) lines.push(prose(foreignLine(note, look), 2));
    shownNotes.add(note);
  }
  if (good && outcome.expectedOutcome?.met === false) {
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

/** The summary of a command may not name it, and its output can hide the line that does. */
function describeFailure(type: string, label: string, summary: string): string {
  return type === 'EXECUTE' && !summary.includes(label) ? `${shorten(type, label)}: ${summary}` : summary;
}

/** The line above already has the summary. */
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
  const head = reason.startsWith('Not run') ? ' ' : ' skipped: ';
  return [{ text: head, style: 'dim' }, ...foreignLine(reason.replace(/\s+/g, ' '), look, 'dim')];
}

type Stream = 'stdout' | 'stderr';

/** More lines a second than this cannot be read, and would slow the command down. */
const LINES_PER_SECOND = 400;
/** How many of the omitted lines to show when the command has ended. */
const TAIL = 10;
/** Longer lines are shown in pieces. */
const LONGEST = 4000;
const COLOUR = /\u001b\[[0-9;:]{0,40}m/g;

/** The live output of a command behind the gutter; control sequences have no effect. */
export class LiveOutput {
  readonly #look: Look;
  readonly #print: (lines: Line[]) => void;
  readonly #pending: Record<Stream, string> = { stdout: '', stderr: '' };
  #allowance = LINES_PER_SECOND;
  #filledAt = monotonicMs();
  #leftOut = 0;
  #tail: Line[] = [];

  constructor(look: Look, print: (lines: Line[]) => void) {
    this.#look = look;
    this.#print = print;
  }

  push(stream: Stream, text: string): void {
    // A lone carriage return starts a new row, so that overwritten text stays visible.
    const parts = (this.#pending[stream] + text).split(/\r\n|\n|\r(?!$)/);
    this.#pending[stream] = parts.pop()!;
    if (this.#pending[stream].length > LONGEST) {
      parts.push(this.#pending[stream]);
      this.#pending[stream] = '';
    }
    this.#show(parts.map((part) => this.#line(stream, part)));
  }

  /** The last line, which has not ended yet. */
  get unfinished(): Line | undefined {
    const stream = this.#pending.stdout === '' ? 'stderr' : 'stdout';
    return this.#pending[stream] === '' ? undefined : this.#line(stream, this.#pending[stream]);
  }

  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#pending[stream] !== '')
        this.#show([this.#line(stream, this.#pending[stream].replace(/\r$/, ''))]);
      this.#pending[stream] = '';
    }
    const last = this.#tail;
    this.#leftOut -= last.length;
    this.#tail = [];
    this.#print([...this.#takeNote(), ...last]);
  }

  #show(lines: Line[]): void {
    const now = monotonicMs();
    this.#allowance = Math.min(
      LINES_PER_SECOND,
      this.#allowance + ((now - this.#filledAt) / 1000) * LINES_PER_SECOND,
    );
    this.#filledAt = now;
    // After omitting lines, waits until there is room for several.
    const room =
      this.#leftOut > 0 && this.#allowance < LINES_PER_SECOND / 4 ? 0 : Math.floor(this.#allowance);
    const shown = lines.slice(0, room);
    if (shown.length > 0) {
      this.#print([...this.#takeNote(), ...shown]);
      this.#tail = [];
      this.#allowance -= shown.length;
    }
    const rest = lines.slice(room);
    this.#leftOut += rest.length;
    this.#tail = [...this.#tail, ...rest.slice(-TAIL)].slice(-TAIL);
  }

  #takeNote(): Line[] {
    const count = this.#leftOut;
    this.#leftOut = 0;
    if (count <= 0) return [];
    return [say(`${this.#look.glyphs.dots} ${plural(count, 'line')} not shown here`, 'flag')];
  }

  #line(stream: Stream, text: string): Line {
    const { glyphs } = this.#look;
    const errors = stream === 'stderr';
    const gutter = errors ? glyphs.errors : glyphs.gutter;
    return {
      ...leads(this.#look, '', '', undefined, gutter),
      spans: foreign(text.replace(COLOUR, ''), this.#look),
      wrap: 'cells',
    };
  }
}
