import { relative } from 'node:path';
import { now } from '../../../node/clock.js';
import type { TaskQuestion } from '../../../orchestrate/events.js';
import type { AttemptViews, Person } from '../../../orchestrate/orchestration.js';
import { answerWords, blockWords, outputWords } from '../commands/tasks/task-lines.js';
import type { Look } from '../output.js';
import { Drafts } from '../review/drafts.js';
import { BLANK, foreign, foreignLine, type Line, leads, prose, splitText } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { typeText } from '../terminal/text-area.js';
import { clockTime } from '../words.js';
import { askForBudget } from './budget.js';
import type { BoardProgress } from './progress.js';
import { reviewOnBoard } from './review-on-board.js';
import { diffTextLines, viewAttempt } from './views.js';

/** The user at the terminal. Questions are asked one at a time. */
export interface SeatedPerson extends Required<Person> {
  /** The title above the current question, if any. */
  readonly title: string | undefined;
  /** Reads keys until `close`; unknown keys are ignored. */
  start(): void;
  close(): void;
}

export interface PersonOptions {
  /** Ctrl-C: the first stops gently, the second ends everything. */
  interrupt(): void;
  /** The board's selection. */
  board: Pick<BoardProgress, 'select' | 'shown'>;
  /** Undefined until the run is open. */
  views(): AttemptViews | undefined;
  root: string;
  /** Where typed text is saved; an absolute path, which exists when it is needed. */
  draftFolder(): string;
}

/** Called when a question is postponed, and when it is asked again. */
export type OnLater = (id: string, isLater: boolean) => void;

export function openPerson(screen: Screen, options: PersonOptions, onLater: OnLater): SeatedPerson {
  return new PersonAtTerminal(screen, options, onLater);
}

interface Asked {
  question: TaskQuestion;
  signal: AbortSignal;
  answer(text: string | undefined): void;
}

interface BudgetRequest {
  spentUsd: number;
  budgetUsd: number;
  signal: AbortSignal;
  answer(raised: number | null): void;
}

class PersonAtTerminal implements SeatedPerson {
  readonly #screen: Screen;
  readonly #options: PersonOptions;
  readonly #onLater: OnLater;
  readonly #drafts: Drafts;
  readonly #end = new AbortController();
  #asked: Asked[] = [];
  #budget: BudgetRequest | undefined;
  /** Resolves the wait of each postponed question: true asks it again. */
  readonly #left = new Set<(isRecalled: boolean) => void>();
  #called = new AbortController();
  #isOver = false;
  #isAsking = false;

  constructor(screen: Screen, options: PersonOptions, onLater: OnLater) {
    this.#screen = screen;
    this.#options = options;
    this.#onLater = onLater;
    this.#drafts = new Drafts(() => options.draftFolder());
  }

  get title(): string | undefined {
    if (!this.#isAsking) return undefined;
    const more = this.#asked.length - (this.#budget === undefined ? 1 : 0);
    return `Your answer is needed${more > 0 ? ` (${more} more after this)` : ''}`;
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
      // The title shows the number of open questions.
      this.#screen.change();
    });
  }

  recall({ id }: TaskQuestion, signal: AbortSignal): Promise<boolean> {
    if (this.#isOver || signal.aborted) return Promise.resolve(false);
    this.#onLater(id, true);
    this.#screen.change();
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

  raiseBudget(spentUsd: number, budgetUsd: number, signal: AbortSignal): Promise<number | null> {
    if (this.#isOver || signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const answer = (raised: number | null) => {
        this.#budget = undefined;
        resolve(raised);
      };
      this.#budget = { spentUsd, budgetUsd, signal, answer };
      signal.addEventListener('abort', () => answer(null), { once: true });
      this.#called.abort();
      this.#screen.change();
    });
  }

  close(): void {
    this.#giveUp();
    this.#end.abort();
    this.#screen.closeKeyboard();
  }

  start(): void {
    this.#screen.openKeyboard();
    void this.#serve();
  }

  async #serve(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const [asked] = this.#asked;
      if (this.#budget !== undefined) await this.#putBudget(this.#budget);
      else if (asked === undefined) await this.#watch();
      else await this.#put(asked);
    }
  }

  /** Handles the board's keys while no question is open. */
  async #watch(): Promise<void> {
    this.#called = new AbortController();
    const signal = AbortSignal.any([this.#called.signal, this.#end.signal]);
    const input = await this.#screen.keyboard.within(signal, () => this.#screen.keyboard.key());
    if (signal.aborted) return;
    if (input.kind === 'ended') this.#lose();
    else if (input.kind === 'redraw') this.#screen.redraw();
    else if (input.kind === 'key') await this.#press(input.key.name);
  }

  async #press(key: string): Promise<void> {
    if (key === 'ctrl-c') this.#interrupt();
    else if (key === 'ctrl-l') this.#screen.redraw();
    else if (key === 'ctrl-z') this.#screen.keyboard.suspend();
    else if (key === 'tab' || key === 'n') for (const end of [...this.#left]) end(true);
    else if (key === 'down' || key === 'j') this.#select(1);
    else if (key === 'up' || key === 'k') this.#select(-1);
    else if (key === 'o' || key === 'd') await this.#view(key === 'o' ? 'output' : 'diff');
  }

  #select(step: 1 | -1): void {
    this.#options.board.select(step);
    this.#screen.change();
  }

  async #view(what: 'output' | 'diff', id = this.#options.board.shown): Promise<void> {
    const views = this.#options.views();
    if (id === undefined || views === undefined) return;
    const end = await viewAttempt(this.#screen, what, id, views);
    if (end === 'interrupted') this.#interrupt();
    else if (end === 'ended') this.#lose();
  }

  async #put(asked: Asked): Promise<void> {
    const { question } = asked;
    const signal = AbortSignal.any([asked.signal, this.#end.signal]);
    this.#isAsking = true;
    const answer = await this.#screen.keyboard.within(signal, () => this.#converse(question, signal));
    this.#isAsking = false;
    this.#screen.endAsking();
    if (answer === 'ctrl-c') this.#interrupt();
    else if (answer === 'ended') this.#lose();
    else if (answer === 'escape') {
      asked.answer(undefined);
      if (!signal.aborted) this.#screen.print([laterLine(question, this.#screen.look)]);
    } else asked.answer(answer);
  }

  async #putBudget({ spentUsd, budgetUsd, signal: until, answer }: BudgetRequest): Promise<void> {
    const signal = AbortSignal.any([until, this.#end.signal]);
    this.#isAsking = true;
    const raised = await this.#screen.keyboard.within(signal, () =>
      askForBudget(this.#screen, spentUsd, budgetUsd),
    );
    this.#isAsking = false;
    this.#screen.endAsking();
    if (raised === 'ctrl-c') this.#interrupt();
    else if (raised === 'ended') this.#lose();
    else answer(raised);
  }

  async #converse(question: TaskQuestion, signal: AbortSignal): Promise<string> {
    const screen = this.#screen;
    const views = question.outputs.length === 0 ? undefined : this.#options.views();
    // The changes to review are in the question.
    const isReview = question.why === 'review';
    const diff = views === undefined || isReview ? '' : await views.diff(question.id);
    const panel = new Panel(screen, {
      build: () => taskQuestionLines(question, diff, screen.look),
      choices: [
        ...question.answers.map((answer) => choiceOf(answer, question)),
        ...(views === undefined ? [] : isReview ? [OUTPUT] : [OUTPUT, CHANGES]),
        LATER,
      ],
      alwaysView: true,
    });
    let text = '';
    let hint: Line | undefined;
    for (;;) {
      const key = await panel.ask(hint);
      hint = undefined;
      if (views !== undefined && (key === 'o' || key === 'c')) {
        const end = await viewAttempt(screen, key === 'o' ? 'output' : 'diff', question.id, views);
        if (end === 'ended') return 'ended';
        if (end === 'interrupted') return 'ctrl-c';
        panel.hide();
        continue;
      }
      if (key === 'h') {
        const { root, draftFolder } = this.#options;
        const chosen = await reviewOnBoard(screen, question.id, this.#options.views()!, {
          root,
          draftFolder,
          signal,
        });
        if (chosen === 'interrupted') return 'ctrl-c';
        if (chosen !== 'back' && 'answer' in chosen) return chosen.answer;
        if (chosen !== 'back') hint = prose([{ text: chosen.reason, style: 'flag' }]);
        panel.hide();
        continue;
      }
      const verb = TYPED.find((each) => ANSWER_KEYS[each].key === key);
      if (verb === undefined) {
        if (text.trim() !== '') this.#keep(question, text);
        return WORDS[key] ?? key;
      }
      const typed = await typeText(screen, {
        title: TITLES[verb](question.id),
        text,
        above: panel,
      });
      text = typed.text;
      if (typed.status === 'done' && text.trim() !== '' && !signal.aborted) {
        this.#drafts.create(draftName(question), `${text.trim()}\n`);
        return `${verb}: ${text.trim()}`;
      }
      if (typed.status === 'done') hint = prose([{ text: 'Nothing was typed.', style: 'flag' }]);
      if (typed.status === 'interrupted' || typed.status === 'ended') {
        if (text.trim() !== '') this.#keep(question, text);
        return typed.status === 'ended' ? 'ended' : 'ctrl-c';
      }
    }
  }

  /** Saves text that was typed but not sent. */
  #keep(question: TaskQuestion, text: string): void {
    const { look } = this.#screen;
    const kept = this.#drafts.create(draftName(question), `${text.trim()}\n`);
    const words =
      'reason' in kept
        ? kept.reason
        : `Your text for ${question.id} is saved in ${relative(this.#options.root, kept.path)}.`;
    this.#screen.print([prose(foreignLine(words, look), 0)]);
  }

  #interrupt(): void {
    this.#giveUp();
    this.#options.interrupt();
  }

  /** The terminal is gone, or the process must exit. */
  #lose(): void {
    this.#giveUp();
    this.#end.abort();
    this.#screen.close();
  }

  #giveUp(): void {
    this.#isOver = true;
    this.#budget?.answer(null);
    for (const { answer } of [...this.#asked]) answer(undefined);
    for (const end of [...this.#left]) end(false);
  }
}

function draftName({ id }: TaskQuestion): string {
  return `fix-${id.replace(/[^\w.-]/g, '-').slice(0, 80)}`;
}

const TYPED = ['fix', 'back'] as const;

const TITLES: Record<(typeof TYPED)[number], (id: string) => string> = {
  fix: (id) => `How to fix ${id}`,
  back: (id) => `What must change (${id})`,
};

const ANSWER_KEYS = {
  land: { key: 'y', label: 'land it', consents: true },
  drop: { key: 'h', label: 'choose changes' },
  retry: { key: 'r', label: 'retry' },
  done: { key: 'd', label: 'done' },
  fix: { key: 'f', label: 'say how to fix it' },
  back: { key: 'b', label: 'send back with feedback' },
  skip: { key: 's', label: 'skip' },
  abort: { key: 'a', label: 'abort' },
};

const OUTPUT = { key: 'o', label: 'output' };
const CHANGES = { key: 'c', label: 'changes' };

const LATER = { key: 'escape', shown: 'Esc', label: 'later' };

const WORDS: Readonly<Record<string, string | undefined>> = {
  r: 'retry',
  d: 'done',
  s: 'skip',
  a: 'abort',
  y: 'land',
};

function choiceOf(answer: TaskQuestion['answers'][number], { why }: TaskQuestion) {
  const choice = ANSWER_KEYS[answer];
  if (answer === 'done' && why !== 'checkpoint') return { ...choice, label: 'I did it myself' };
  // Only in this case does retry approve a command on the screen.
  return answer === 'retry' && why === 'verify-changed' ? { ...choice, consents: true } : choice;
}

/** The lines of a question, most important first; the rest can be paged. */
function taskQuestionLines(question: TaskQuestion, diff: string, look: Look): Line[] {
  const blocks = blockWords(question.blocks);
  const detail = detailLines(question, look);
  const task = [...(detail.length === 0 ? [] : [BLANK]), ...detail];
  const changes = shortDiffLines(diff, look);
  return [
    prose([...foreignLine(question.id, look, 'strong'), { text: '  ' }, ...foreignLine(question.name, look)]),
    ...splitText(question.message).map((text) => prose(foreign(text, look))),
    ...(blocks === ''
      ? []
      : [prose(foreignLine(`${blocks} and cannot start if you skip it.`, look, 'flag'))]),
    ...(question.outputs.length === 0
      ? []
      : [prose(foreignLine(`All output: ${outputWords(question.outputs)}`, look, 'dim'))]),
    ...(isDetailFirst(question) ? [...task, ...changes] : [...changes, ...task]),
  ];
}

function detailLines({ why, detail }: TaskQuestion, look: Look): Line[] {
  if (why === 'review') return diffTextLines(detail, look);
  // Of a command every character counts; a checkpoint is prose.
  const wrap = why === 'checkpoint' ? 'words' : 'cells';
  return splitText(detail).map((text) => ({ ...leads(look, '', ''), spans: foreign(text, look), wrap }));
}

/** A checkpoint is about the task's text, a review about the changes in its place, and a changed verify command must be seen; a failure is about the changes. */
function isDetailFirst({ why }: TaskQuestion): boolean {
  return why === 'checkpoint' || why === 'verify-changed' || why === 'review';
}

/** Longer diffs have a key of their own. */
const SHORT_DIFF = 20;

function shortDiffLines(diff: string, look: Look): Line[] {
  const lines = diffTextLines(diff, look);
  if (lines.length === 0 || lines.length > SHORT_DIFF) return [];
  return [BLANK, prose([{ text: 'Changes of the last attempt:', style: 'dim' }]), ...lines];
}

function laterLine(question: TaskQuestion, look: Look): Line {
  const time = `${clockTime(now().toISOString())}  `;
  return {
    lead: [{ text: time, style: 'dim' }],
    more: [{ text: ' '.repeat(time.length) }],
    spans: [
      ...foreignLine(question.id, look, 'strong'),
      { text: '  postponed. To answer: Tab while tasks run, or ' },
      { text: answerWords(question), style: 'strong' },
    ],
    wrap: 'words',
  };
}
