import type { TaskQuestion } from '../../../orchestrate/events.js';
import type { Person } from '../../../orchestrate/orchestration.js';
import { Drafts } from '../review/drafts.js';
import { ruleLine } from '../review/question-lines.js';
import { type Input, Keyboard } from '../terminal/keyboard.js';
import { foreignLine, type Line, prose, say } from '../terminal/line.js';
import { Panel, type PanelSize } from '../terminal/panel.js';
import { typeText } from '../terminal/text-area.js';
import {
  ANSWER_KEYS,
  choiceOf,
  LATER,
  laterLine,
  taskQuestionLines,
  titleOf,
  WORDS,
} from './question-lines.js';
import type { Stage } from './stage.js';

/** A person at the terminal. Their questions wait for each other. */
export interface SeatedPerson extends Required<Person> {
  close(): void;
}

export interface PersonOptions {
  /** Ctrl-C: the whole run is to end. It may be pressed again. */
  interrupt(): void;
  /** Where what is typed is kept: an absolute path of a folder that exists by then. */
  draftFolder(): string;
}

/** Is told which questions they leave for later, and which of those they take up again. */
export type OnLater = (id: string, isLater: boolean) => void;

/** Takes the keyboard until it is closed: what is typed while nothing is asked goes nowhere. */
export function openPerson(stage: Stage, options: PersonOptions, onLater: OnLater): SeatedPerson {
  const keyboard = new PersonKeyboard(stage.tty, () => stage.screen.leave());
  const person = new PersonAtTerminal(stage, keyboard, options, onLater);
  keyboard.open();
  stage.screen.markPastes();
  person.serve();
  return person;
}

interface Asked {
  question: TaskQuestion;
  signal: AbortSignal;
  answer(text: string | undefined): void;
}

class PersonAtTerminal implements SeatedPerson {
  readonly #stage: Stage;
  readonly #keyboard: PersonKeyboard;
  readonly #options: PersonOptions;
  readonly #onLater: OnLater;
  readonly #drafts: Drafts;
  readonly #end = new AbortController();
  #asked: Asked[] = [];
  /** What to do where they want to be asked again, or never will be. */
  readonly #left = new Set<(isRecalled: boolean) => void>();
  #called = new AbortController();
  #isOver = false;

  constructor(stage: Stage, keyboard: PersonKeyboard, options: PersonOptions, onLater: OnLater) {
    this.#stage = stage;
    this.#keyboard = keyboard;
    this.#options = options;
    this.#onLater = onLater;
    this.#drafts = new Drafts(() => options.draftFolder());
  }

  ask(question: TaskQuestion, signal: AbortSignal): Promise<string | undefined> {
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
      // How many more there are stands above the one that is asked now.
      this.#stage.change();
    });
  }

  recall({ id }: TaskQuestion, signal: AbortSignal): Promise<boolean> {
    if (this.#isOver || signal.aborted) return Promise.resolve(false);
    this.#onLater(id, true);
    this.#stage.change();
    return new Promise((resolve) => {
      const end = (isRecalled: boolean) => {
        this.#left.delete(end);
        if (isRecalled) this.#onLater(id, false);
        resolve(isRecalled);
      };
      signal.addEventListener('abort', () => end(false), { once: true });
      this.#left.add(end);
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
    else if (input.kind === 'key') this.#press(input.key.name);
  }

  #press(key: string): void {
    if (key === 'ctrl-c') this.#interrupt();
    else if (key === 'ctrl-l') this.#stage.redraw();
    else if (key === 'ctrl-z') this.#keyboard.suspend();
    else if (key === 'tab' || key === 'n') for (const end of [...this.#left]) end(true);
  }

  async #put(asked: Asked): Promise<void> {
    const { question } = asked;
    const signal = AbortSignal.any([asked.signal, this.#end.signal]);
    const { look } = this.#stage;
    this.#stage.entitle(() => ruleLine(titleOf(this.#asked.length), look, this.#stage.width));
    const answer = await this.#keyboard.within(signal, () => this.#converse(question, signal));
    this.#stage.endAsking();
    if (answer === 'ctrl-c') this.#interrupt();
    else if (answer === 'ended') this.#lose();
    else if (answer === 'escape') {
      asked.answer(undefined);
      if (!signal.aborted) this.#stage.print([laterLine(question, look)]);
    } else asked.answer(answer);
  }

  async #converse(question: TaskQuestion, signal: AbortSignal): Promise<string> {
    const desk: PanelSize = { screen: this.#stage.screen, keyboard: this.#keyboard };
    const panel = new Panel(desk, {
      build: () => taskQuestionLines(question, this.#stage.look),
      choices: [...question.answers.map((answer) => choiceOf(answer, question)), LATER],
      alwaysView: true,
    });
    let text = '';
    let hint: Line | undefined;
    for (;;) {
      const key = await panel.ask(hint);
      hint = undefined;
      if (key !== ANSWER_KEYS.fix.key) {
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
  #keep(question: TaskQuestion, text: string): void {
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
    for (const end of [...this.#left]) end(false);
  }
}

function draftName({ id }: TaskQuestion): string {
  return `fix-${id.replace(/[^\w.-]/g, '-').slice(0, 80)}`;
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
