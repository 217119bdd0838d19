import type { Question } from '../../orchestrate/index.js';
import { Drafts } from '../review/drafts.js';
import { leads, splitText } from '../review/gutter.js';
import { type Input, Keyboard } from '../review/keyboard.js';
import { BLANK, foreign, foreignLine, type Line, prose, say } from '../review/line.js';
import type { Look } from '../review/look.js';
import { type Desk, Panel } from '../review/panel.js';
import { ruleLine } from '../review/question-lines.js';
import { typeText } from '../review/text-area.js';
import type { Stage } from './stage.js';
import { answerWords, blockWords } from './words.js';

/** A person at the terminal, who can be asked. */
export interface Person {
  /**
   * Their answer, as `teddy task resolve` takes it; undefined where they leave it for later, or where `signal` says that
   * it was answered elsewhere. Questions wait for each other.
   */
  ask(question: Question, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

export interface PersonOptions {
  /** Ctrl-C: the whole run is to end. It may be pressed again. */
  interrupt(): void;
  /** Where what is typed is kept: an absolute path of a folder that exists by then. */
  draftFolder(): string;
}

/** Takes the keyboard until it is closed: what is typed while nothing is asked goes nowhere. */
export function openPerson(stage: Stage, options: PersonOptions): Person {
  const keyboard = new PersonKeyboard(stage.tty, () => stage.screen.leave());
  const person = new PersonAtTerminal(stage, keyboard, options);
  keyboard.open();
  stage.screen.markPastes();
  person.serve();
  return person;
}

interface Asked {
  question: Question;
  signal: AbortSignal;
  answer(text: string | undefined): void;
}

class PersonAtTerminal implements Person {
  readonly #stage: Stage;
  readonly #keyboard: PersonKeyboard;
  readonly #options: PersonOptions;
  readonly #drafts: Drafts;
  readonly #end = new AbortController();
  #asked: Asked[] = [];
  #called = new AbortController();
  #isOver = false;

  constructor(stage: Stage, keyboard: PersonKeyboard, options: PersonOptions) {
    this.#stage = stage;
    this.#keyboard = keyboard;
    this.#options = options;
    this.#drafts = new Drafts(() => options.draftFolder());
  }

  ask(question: Question, signal: AbortSignal): Promise<string | undefined> {
    if (this.#isOver || signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const asked: Asked = {
        question,
        signal,
        answer: (text) => {
          this.#asked = this.#asked.filter((each) => each !== asked);
          resolve(text);
        },
      };
      signal.addEventListener('abort', () => asked.answer(undefined), { once: true });
      this.#asked.push(asked);
      this.#called.abort();
    });
  }

  close(): void {
    this.#giveUp();
    this.#end.abort();
    this.#keyboard.close();
  }

  async serve(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const [asked] = this.#asked;
      if (asked === undefined) await this.#watch();
      else await this.#put(asked);
    }
  }

  /** Nothing is asked. */
  async #watch(): Promise<void> {
    this.#called = new AbortController();
    const signal = AbortSignal.any([this.#called.signal, this.#end.signal]);
    const input = await this.#keyboard.within(signal, () => this.#keyboard.key());
    if (signal.aborted) return;
    if (input.kind === 'ended') this.#lose();
    else if (input.kind === 'redraw') this.#stage.redraw();
    else if (input.kind === 'key' && input.key.name === 'ctrl-c') this.#interrupt();
    else if (input.kind === 'key' && input.key.name === 'ctrl-l') this.#stage.redraw();
    else if (input.kind === 'key' && input.key.name === 'ctrl-z') this.#keyboard.suspend();
  }

  async #put(asked: Asked): Promise<void> {
    const { question } = asked;
    const signal = AbortSignal.any([asked.signal, this.#end.signal]);
    const answer = await this.#keyboard.within(signal, () => this.#converse(question, signal));
    this.#stage.endAsking();
    if (answer === 'ctrl-c') this.#interrupt();
    else if (answer === 'ended') this.#lose();
    else if (answer === 'escape') {
      asked.answer(undefined);
      if (!signal.aborted) this.#stage.print([laterLine(question, this.#stage.look)]);
    } else asked.answer(answer);
  }

  async #converse(question: Question, signal: AbortSignal): Promise<string> {
    const desk: Desk = { screen: this.#stage.screen, keyboard: this.#keyboard };
    const panel = new Panel(desk, {
      build: (width) => questionLines(question, this.#asked.length, this.#stage.look, width),
      choices: [...question.answers.map((answer) => choiceOf(answer, question)), LATER],
    });
    let text = '';
    let hint: Line | undefined;
    for (;;) {
      const key = await panel.ask(hint);
      hint = undefined;
      if (key !== KEYS.fix.key) {
        if (text.trim() !== '') this.#keep(question, text);
        return WORDS[key] ?? key;
      }
      const typed = await typeText(desk, {
        title: `How to go on with ${question.id}`,
        keys: `Enter: send ${this.#stage.look.glyphs.dot} Esc: back`,
        manyLines: false,
        text,
        above: panel,
      });
      text = typed.text;
      if (typed.status === 'done' && text.trim() !== '' && !signal.aborted) {
        this.#drafts.create(draftName(question), `${text.trim()}\n`);
        return `fix: ${text.trim()}`;
      }
      if (typed.status === 'done') hint = prose([{ text: 'Nothing was typed.', style: 'flag' }]);
      if (typed.status === 'interrupted' || typed.status === 'ended') {
        if (text.trim() !== '') this.#keep(question, text);
        return typed.status === 'ended' ? 'ended' : 'ctrl-c';
      }
    }
  }

  /** What was typed and not sent. */
  #keep(question: Question, text: string): void {
    const { look } = this.#stage;
    const kept = this.#drafts.create(draftName(question), `${text.trim()}\n`);
    const words =
      'reason' in kept ? kept.reason : `What you typed for ${question.id} is kept in ${kept.path}.`;
    this.#stage.print([prose(foreignLine(words, look), 0)]);
  }

  #interrupt(): void {
    if (!this.#isOver) this.#stage.print([say('Interrupted: what is under way is ended now.', 'flag', 0)]);
    this.#giveUp();
    this.#options.interrupt();
  }

  /** The terminal has gone, or this process is to end. */
  #lose(): void {
    this.#giveUp();
    this.#end.abort();
    this.#stage.close();
  }

  #giveUp(): void {
    this.#isOver = true;
    for (const { answer } of [...this.#asked]) answer(undefined);
  }
}

const ESCAPE: Input = { kind: 'key', key: { name: 'escape' } };

/** A keyboard at which nobody waits any longer than what they ask about matters: then it is as if Esc was pressed. */
class PersonKeyboard extends Keyboard {
  #signal: AbortSignal | undefined;

  async within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#signal = signal;
    try {
      return await work();
    } finally {
      this.#signal = undefined;
    }
  }

  override answer(): Promise<Input> {
    return this.#orEscape(() => super.answer());
  }

  override key(): Promise<Input> {
    return this.#orEscape(() => super.key());
  }

  /** A wait that is left takes no key from the next one: only the last to wait is told. */
  #orEscape(wait: () => Promise<Input>): Promise<Input> {
    const signal = this.#signal;
    if (signal === undefined) return wait();
    if (signal.aborted) return Promise.resolve(ESCAPE);
    return new Promise((resolve) => {
      const leave = () => resolve(ESCAPE);
      signal.addEventListener('abort', leave, { once: true });
      wait().then((input) => {
        signal.removeEventListener('abort', leave);
        resolve(input);
      });
    });
  }
}

const KEYS = {
  retry: { key: 'r', label: 'retry', consents: true },
  done: { key: 'd', label: 'done', consents: true },
  fix: { key: 'f', label: 'say how to fix it' },
  skip: { key: 's', label: 'skip' },
  abort: { key: 'a', label: 'abort' },
};

const LATER = { key: 'escape', shown: 'Esc', label: 'later' };

const WORDS: Readonly<Record<string, string | undefined>> = { r: 'retry', d: 'done', s: 'skip', a: 'abort' };

function choiceOf(answer: Question['answers'][number], { blocks }: Question) {
  const choice = KEYS[answer];
  if (answer !== 'skip' || blocks.length === 0) return choice;
  return { ...choice, label: `skip (${blocks.length} ${blocks.length === 1 ? 'waits' : 'wait'} on it)` };
}

/** What a person is asked, the most telling first: what does not fit is cut from the end, and they can page in it. */
function questionLines(question: Question, waiting: number, look: Look, width: number): Line[] {
  const others = waiting > 1 ? `, and ${waiting - 1} more after it` : '';
  const blocks = blockWords(question.blocks);
  const detail = splitText(question.detail);
  return [
    ruleLine(`A question${others}`, look, width),
    prose([...foreignLine(question.id, look, 'strong'), { text: '  ' }, ...foreignLine(question.name, look)]),
    ...splitText(question.message).map((text) => prose(foreign(text, look))),
    ...(blocks === ''
      ? []
      : [prose(foreignLine(`${blocks}, and cannot begin if you skip it.`, look, 'flag'))]),
    ...(detail.length === 0 ? [] : [BLANK]),
    ...detail.map((text): Line => ({ ...leads(look, '', ''), spans: foreign(text, look), wrap: 'cells' })),
  ];
}

function laterLine(question: Question, look: Look): Line {
  return prose(
    [
      ...foreignLine(question.id, look, 'strong'),
      { text: '  is left for later: ' },
      { text: answerWords(question), style: 'strong' },
    ],
    0,
    2,
  );
}

function draftName({ id }: Question): string {
  return `fix-${id.replace(/[^\w.-]/g, '-').slice(0, 80)}`;
}
