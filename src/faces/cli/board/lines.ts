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
import type { Look, Style } from '../output.js';
import { foreign, foreignLine, type Line, leads, type Span, splitText } from '../terminal/line.js';
import { clockTime, plural, spellTime, spentWords } from '../words.js';
import { waveTitle } from './overview-lines.js';

/** Limits the detail of a question; `teddy task show` has the rest. */
const DETAIL_LINES = 20;
/** The longest message of an event, in characters. */
const LONGEST = 1000;
const INDENT = ' '.repeat('19:32:22  '.length);

/**
 * The log of a run: one line for each event, more if the user must act. Leaves out the output of executors.
 */
export class EventLines {
  readonly #look: Look;
  /** The verify command of each task. */
  readonly #verifying = new Map<string, string>();

  constructor(look: Look) {
    this.#look = look;
  }

  linesOf(event: OrchestrateEvent): Line[] {
    switch (event.type) {
      // The overview is printed before, and the summary after.
      case 'began':
        return event.resumed ? [this.#plain(event.at, 'resuming the previous run')] : [];
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
        const when = event.waitMs === 0 ? '' : ` in ${Math.round(event.waitMs / 1000)} s`;
        const which = ` (attempt ${event.attempt} of ${event.lastAttempt})`;
        return [this.#line(event, 'flag', `retrying${when}`, which)];
      }
      case 'state':
        return this.#state(event);
      case 'handed':
        return this.#handed(event);
      case 'asked':
        return this.#asked(event.at, event.question);
      case 'answered': {
        const without = event.answer === 'skip' || event.answer === 'abort' ? blockWords(event.blocks) : '';
        const then = without === '' ? '' : `; ${without} and cannot start`;
        const style = event.answer === 'done' ? 'good' : 'accent';
        if (event.answer === 'back') return [this.#line(event, style, 'sent back')];
        return [this.#line(event, style, 'answered', `: ${event.answer}${then}`)];
      }
      case 'late': {
        const where = event.logged === null ? '' : ` (${event.logged})`;
        return [
          this.#line(
            event,
            'dim',
            'late',
            `: attempt ${event.attempt} finished after the task was decided; recorded, not applied${where}`,
          ),
        ];
      }
      case 'wave-stopped':
        return [this.#waveStopped(event)];
      case 'stopping':
        return [this.#row(event.at, [{ text: stoppingWords(event), style: 'flag' }])];
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
      // For a person's task, `teddy result submit` has already said whether it was verified.
      const unseen = event.executor === 'human' ? '' : 'not verified';
      const verified = command === undefined ? unseen : `verified: ${firstLineOf(command)}`;
      return this.#line(event, 'good', 'done', `${took}${inBrackets([verified, spent])}`);
    }
    const because = reason ?? why ?? 'no reason was given';
    const after = spent === '' ? '' : ` (${spent})`;
    return this.#line(event, outcome === 'failed' ? 'bad' : 'flag', outcome, `${took}: ${because}${after}`);
  }

  #warnings({ warnings }: Finished): Line[] {
    return warnings.map((warning) =>
      this.#below([{ text: 'note: ', style: 'flag' }, ...foreignLine(inOneLine(warning), this.#look)]),
    );
  }

  /** A task that became ready, or still waits, needs no line. */
  #state(event: Extract<OrchestrateEvent, { type: 'state' }>): Line[] {
    const { state, waitsOn } = event;
    if (state !== 'blocked' && state !== 'skipped' && state !== 'failed') return [];
    const on = waitsOn.length === 0 ? '' : `: waiting for ${listWaits(waitsOn)}`;
    return [this.#line(event, state === 'failed' ? 'bad' : 'flag', STATE_WORDS[state], on)];
  }

  #handed(event: Extract<OrchestrateEvent, { type: 'handed' }>): Line[] {
    return [
      this.#line(event, 'flag', 'your task', `: ${event.task.name} (${event.planPath})`),
      ...splitText(event.text).map((text) => this.#quoted(text)),
    ];
  }

  #asked(at: string, question: TaskQuestion): Line[] {
    const detail = splitText(question.detail);
    const left = detail.length - DETAIL_LINES;
    const blocks = blockWords(question.blocks);
    return [
      this.#line({ at, task: question }, 'flag', 'needs your answer', `: ${question.message}`),
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
      { text: `${waveTitle(event)} stopped`, style: 'bad' },
      ...foreignLine(
        `: ${ids} used up their attempts, perhaps for the same reason. No other task of this wave starts until you answer for one of them.`,
        this.#look,
      ),
    ]);
  }

  /** Text from elsewhere, behind the gutter. */
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

const STOPPING = {
  interrupted: 'Stopping',
  budget: 'The budget is used up',
  time: 'The time limit is reached',
} as const;

/** `Stopping: waiting for 2 running tasks. Press Ctrl-C again to end them.` */
function stoppingWords({ why, tasks, ending }: Extract<OrchestrateEvent, { type: 'stopping' }>): string {
  const count = plural(tasks.length, 'running task');
  if (ending) return `Ending ${count}. ${tasks.length === 1 ? 'It does' : 'They do'} not count as failed.`;
  const again = why === 'interrupted' ? ' again' : '';
  return `${STOPPING[why]}: waiting for ${count}. Press Ctrl-C${again} to end ${tasks.length === 1 ? 'it' : 'them'}.`;
}

function inOneLine(text: string): string {
  const line = text.trimEnd().replace(/[\t\n\r ]+/g, ' ');
  const shown = cutText(line, LONGEST);
  if (shown === line) return line;
  return `${shown} … (${line.length - shown.length} more characters; teddy task show has the full text)`;
}

function inBrackets(remarks: readonly string[]): string {
  const said = remarks.filter((remark) => remark !== '');
  return said.length === 0 ? '' : ` (${said.join('; ')})`;
}
