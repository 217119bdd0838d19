import { cutText } from '../../../core/text.js';
import type { Finished, NamedTask, OrchestrateEvent, TaskQuestion } from '../../../orchestrate/events.js';
import {
  answerWords,
  blockWords,
  firstLineOf,
  listIds,
  listWaits,
  outputWords,
  STATE_WORDS,
} from '../commands/tasks/task-lines.js';
import { foreign, foreignLine, type Line, leads, type Span, splitText } from '../terminal/line.js';
import type { Look, Style } from '../terminal/look.js';
import { clockTime, plural, spellTime, spentWords } from '../words.js';
import { waveTitle } from './overview-lines.js';

/** Of what a person has to see to decide; `teddy task show` has the rest. */
const DETAIL_LINES = 20;
/** Of what is said of one event. */
const LONGEST = 1000;
const INDENT = ' '.repeat('19:32:22  '.length);

/**
 * What happened, for those who read it from top to bottom: a line for each event, more where a person has to do
 * something. What executors print is not in it.
 */
export class EventLines {
  readonly #look: Look;
  /** Of each task, the command that verifies its attempt. */
  readonly #verifying = new Map<string, string>();

  constructor(look: Look) {
    this.#look = look;
  }

  linesOf(event: OrchestrateEvent): Line[] {
    switch (event.type) {
      // What a run would do is said before, and how it ended after.
      case 'began':
        return event.resumed ? [this.#plain(event.at, 'goes on with what an earlier run had begun')] : [];
      case 'output':
      case 'ended':
        return [];
      case 'started':
        this.#verifying.delete(event.task.id);
        return [this.#line(event, 'accent', 'started', ` (attempt ${event.attempt}, ${event.executor})`)];
      case 'verifying':
        this.#verifying.set(event.task.id, event.command);
        return [];
      case 'finished':
        return [this.#finished(event), ...this.#warnings(event)];
      case 'retry': {
        const when = event.waitMs === 0 ? '' : ` in ${spellTime(event.waitMs)}`;
        return [this.#line(event, 'flag', `tried again${when}`, ` (attempt ${event.attempt})`)];
      }
      case 'state':
        return this.#state(event);
      case 'handed':
        return this.#handed(event);
      case 'asked':
        return this.#asked(event.at, event.question);
      case 'answered': {
        const without = event.answer === 'skip' || event.answer === 'abort' ? blockWords(event.blocks) : '';
        const then = without === '' ? '' : `; ${without}, and cannot begin`;
        const style = event.answer === 'done' ? 'good' : 'accent';
        return [this.#line(event, style, 'answered', `: ${event.answer}${then}`)];
      }
      case 'late': {
        const where = event.logged === null ? '' : ` (${event.logged})`;
        return [
          this.#line(
            event,
            'dim',
            'late',
            `: attempt ${event.attempt} came back, is recorded and not applied${where}`,
          ),
        ];
      }
      case 'wave-stopped':
        return [this.#waveStopped(event)];
      case 'note':
        return [this.#plain(event.at, event.message)];
    }
  }

  #line({ at, task }: { at: string; task: NamedTask }, style: Style, what: string, more = ''): Line {
    return this.#row(at, [
      ...foreignLine(task.id, this.#look, 'strong'),
      { text: '  ' },
      { text: what, style },
      ...foreignLine(inOneLine(more), this.#look),
    ]);
  }

  #plain(at: string, text: string): Line {
    return this.#row(at, foreignLine(inOneLine(text), this.#look));
  }

  #row(at: string, spans: readonly Span[]): Line {
    return {
      lead: [{ text: `${clockTime(at)}  `, style: 'dim' }],
      more: [{ text: INDENT }],
      spans,
      wrap: 'words',
    };
  }

  #below(spans: readonly Span[]): Line {
    return { lead: [{ text: INDENT }], more: [{ text: INDENT }], spans, wrap: 'words' };
  }

  #finished(event: Finished & { at: string }): Line {
    const { outcome, reason, why, durationMs, usage } = event;
    const spent = spentWords(usage);
    const took = ` in ${spellTime(durationMs)}`;
    if (outcome === 'done') {
      const command = event.verified ?? this.#verifying.get(event.task.id);
      // Of what a person did, the command that took their result has said it.
      const unseen = event.executor === 'human' ? '' : 'not verified';
      const verified = command === undefined ? unseen : `verified: ${firstLineOf(command)}`;
      return this.#line(event, 'good', 'done', `${took}${inBrackets([verified, spent])}`);
    }
    const because = reason ?? why ?? 'nothing was said of why';
    const after = spent === '' ? '' : ` (${spent})`;
    return this.#line(event, outcome === 'failed' ? 'bad' : 'flag', outcome, `${took}: ${because}${after}`);
  }

  #warnings({ warnings }: Finished): Line[] {
    return warnings.map((warning) =>
      this.#below([{ text: 'note: ', style: 'flag' }, ...foreignLine(inOneLine(warning), this.#look)]),
    );
  }

  /** Of those that only became ready, or wait as they did, nothing has to be said. */
  #state(event: Extract<OrchestrateEvent, { type: 'state' }>): Line[] {
    const { state, waitsOn } = event;
    if (state !== 'blocked' && state !== 'skipped' && state !== 'failed') return [];
    const on = waitsOn.length === 0 ? '' : `: waits on ${listWaits(waitsOn)}`;
    return [this.#line(event, state === 'failed' ? 'bad' : 'flag', STATE_WORDS[state], on)];
  }

  #handed(event: Extract<OrchestrateEvent, { type: 'handed' }>): Line[] {
    return [
      this.#line(event, 'flag', 'is yours', `: ${event.task.name} (${event.planPath})`),
      ...splitText(event.text).map((text) => this.#quoted(text)),
    ];
  }

  #asked(at: string, question: TaskQuestion): Line[] {
    const detail = splitText(question.detail);
    const left = detail.length - DETAIL_LINES;
    const blocks = blockWords(question.blocks);
    return [
      this.#line({ at, task: question }, 'flag', 'waits for a person', `: ${question.message}`),
      ...detail.slice(0, DETAIL_LINES).map((text) => this.#quoted(text)),
      ...(left > 0
        ? [
            this.#below([
              { text: `${this.#look.glyphs.dots} ${plural(left, 'more line')}: teddy task show ` },
              ...foreignLine(question.id, this.#look),
            ]),
          ]
        : []),
      ...(question.outputs.length === 0
        ? []
        : [this.#below(foreignLine(`All output: ${outputWords(question.outputs)}`, this.#look, 'dim'))]),
      ...(blocks === '' ? [] : [this.#below([...foreignLine(`${blocks}.`, this.#look)])]),
      this.#below([{ text: answerWords(question), style: 'strong' }]),
    ];
  }

  #waveStopped(event: Extract<OrchestrateEvent, { type: 'wave-stopped' }>): Line {
    const ids = listIds(event.tasks.map(({ id }) => id));
    return this.#row(event.at, [
      { text: `${waveTitle(event)} is stopped`, style: 'bad' },
      ...foreignLine(
        `: ${ids} failed too often, so something may be wrong with all of it. Nothing more of it begins until you answer for one of them.`,
        this.#look,
      ),
    ]);
  }

  /** Somebody else's text, behind our gutter. */
  #quoted(text: string): Line {
    const { lead, more } = leads(this.#look, '', '');
    const before = { text: INDENT.slice(2) };
    return {
      lead: [before, ...lead],
      more: [before, ...more],
      spans: foreign(text, this.#look),
      wrap: 'cells',
    };
  }
}

function inOneLine(text: string): string {
  const line = text.trimEnd().replace(/[\t\n\r ]+/g, ' ');
  const shown = cutText(line, LONGEST);
  if (shown === line) return line;
  return `${shown} … (${line.length - shown.length} more characters; teddy task show has all)`;
}

function inBrackets(remarks: readonly string[]): string {
  const said = remarks.filter((remark) => remark !== '');
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
}
