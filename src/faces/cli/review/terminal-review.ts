import type { ActionType } from '../../../core/plan/types.js';
import type { Reviewer } from '../../../review/question.js';
import type { RunEvent, RunListener } from '../../../runs/events.js';
import { BLANK, foreign, type Line, labelled, prose, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import { type ProgressLine, startProgress } from '../terminal/progress-line.js';
import { openScreen, type Screen } from '../terminal/screen.js';
import { Conversation, type ConversationOptions } from './conversation.js';
import { contentLines } from './diff-lines.js';
import { Drafts } from './drafts.js';
import { LiveOutput, outcomeLines, startLine, stateLines } from './progress.js';
import { askAboutRefused, type RefusedPlan } from './refused-plan.js';

// The user decides at the terminal. Questions are shown whole, with nothing in them that could act on the terminal;
// each answer is one key. It never answers for the user, and never changes what it shows.

export interface TerminalReview {
  reviewer: Reviewer;
  listen: RunListener;
  /** Draws the progress of other work in place of the keys; undefined clears it. */
  drawProgress(line: Line | undefined): void;
  close(): void;
  /** Prints a line between two questions. */
  show(line: string): void;
  /** Whether the review was ended with Ctrl-C. */
  interrupted(): boolean;
  /** Whether the terminal was closed. */
  isLost(): boolean;
  /** Offers to edit a refused plan. Returns the new text, or undefined. */
  askAboutRefused(plan: RefusedPlan, draftFolder: () => string): Promise<string | undefined>;
}

type Options = ConversationOptions & { color: boolean };

/** Undefined without a controlling terminal. */
export function openTerminalReview(options: Options): TerminalReview | undefined {
  const screen = openScreen(options);
  if (screen === undefined) return undefined;
  const conversation = new Conversation(screen, options);
  const live = createLive(screen, () => conversation.showOverview(), options.color);
  return {
    reviewer: {
      begin: (overview) => conversation.begin(overview),
      resolve: (question) => conversation.resolve(question),
      ask: (question, signal) => conversation.ask(question, signal),
      askRerun: (failed, signal) => conversation.askRerun(failed, signal),
    },
    listen: (event) => {
      if (event.kind === 'state-changed') conversation.steps.noteEnd(event.record.section, event.record);
      if (event.kind === 'action-ended') conversation.steps.noteEnd(event.number, event.record);
      // The summary lists together what quitting skipped.
      if (!conversation.isOver || !isSkip(event)) live.listen(event);
    },
    drawProgress: (line) => drawRows(screen, line === undefined ? [] : [line]),
    close: () => {
      live.end();
      screen.close();
    },
    show: (line) => screen.print([say(line, 'dim')]),
    interrupted: () => conversation.interrupted,
    isLost: () => conversation.isLost,
    askAboutRefused: (plan, draftFolder) => askAboutRefused(screen, plan, new Drafts(draftFolder)),
  };
}

function isSkip(event: RunEvent): boolean {
  return (
    (event.kind === 'state-changed' || event.kind === 'action-ended') &&
    event.record.decision.status === 'skipped'
  );
}

/** An action that takes longer shows its elapsed time. */
const LONG_MS = 2000;

const VERBS: Partial<Record<ActionType, string>> = {
  EXECUTE: 'Running',
  READ: 'Reading',
  RESEARCH: 'Searching',
};

/** One row for each line, because the rows are redrawn in place. */
function drawRows(screen: Screen, lines: readonly Line[]): void {
  if (screen.look.inPlace) screen.drawFoot(lines.map((line) => screen.row(line)));
}

/** Shows the progress between two questions. */
function createLive(screen: Screen, begin: () => void, color: boolean): { listen: RunListener; end(): void } {
  const { look } = screen;
  const shownNotes = new Set<string>();
  let current: Current | undefined;

  const started = (event: Extract<RunEvent, { kind: 'action-started' }>): void => {
    const line = startLine(event, event.type, event.label, look);
    current = new Current(screen, line, VERBS[event.type] ?? 'Working', color);
  };

  const end = (): void => {
    current?.end();
    current = undefined;
  };

  const listen: RunListener = (event) => {
    switch (event.kind) {
      case 'run-started':
        return;
      case 'state-changed':
        begin();
        screen.print(stateLines(event.record, look));
        return;
      case 'action-started':
        end();
        begin();
        started(event);
        return;
      case 'output':
        current?.output(event.stream, event.text);
        return;
      case 'action-ended':
        end();
        begin();
        screen.print(outcomeLines(event, event.record, event.label, look, shownNotes));
        return;
      case 'run-ended':
        end();
    }
  };
  return { listen, end };
}

/** The running action: its line is in the foot until output arrives, and is removed at the end. */
class Current {
  readonly #screen: Screen;
  readonly #line: Line;
  readonly #live: LiveOutput;
  readonly #progress: ProgressLine;
  #clock: Line | undefined;
  #hasOutput = false;

  constructor(screen: Screen, line: Line, verb: string, color: boolean) {
    this.#screen = screen;
    this.#line = line;
    this.#live = new LiveOutput(screen.look, (lines) => {
      if (lines.length > 0) this.#print(lines);
    });
    this.#progress = startProgress(verb, {
      color,
      afterMs: LONG_MS,
      draw: (clock) => {
        this.#clock = clock;
        this.#drawFoot();
      },
    });
    if (screen.look.inPlace) this.#drawFoot();
    else this.#print([]);
  }

  output(stream: 'stdout' | 'stderr', text: string): void {
    this.#live.push(stream, text);
  }

  end(): void {
    this.#progress.end();
    this.#live.end();
    this.#screen.clearFoot();
  }

  #print(lines: readonly Line[]): void {
    const first = this.#hasOutput ? [] : [this.#line];
    this.#hasOutput = true;
    this.#drawFoot();
    this.#screen.print([...first, ...lines]);
  }

  #drawFoot(): void {
    const rows = [this.#hasOutput ? undefined : this.#line, this.#live.unfinished, this.#clock];
    drawRows(
      this.#screen,
      rows.filter((line) => line !== undefined),
    );
  }
}

/** Content that the user must see before approving it. */
interface Confirmation {
  root: string;
  title: string;
  /** teddy's own explanation. */
  about: string;
  /** `summary` is shown instead of the text, which has a key. */
  texts: { name: string; text: string; summary?: readonly string[] }[];
  yes: string;
  no: string;
}

/** Shows texts and asks; 'no-terminal' if there is none. */
export async function confirm(
  { root, title, about, texts, yes, no }: Confirmation,
  options: { color: boolean },
): Promise<'yes' | 'no' | 'interrupted' | 'no-terminal'> {
  const screen = openScreen(options);
  if (screen === undefined) return 'no-terminal';
  const { look } = screen;
  try {
    const show = (width: number, folds: boolean): Line[] => [
      say(title, 'title', 0),
      say(about, undefined, 0),
      BLANK,
      ...labelled([['Root', [root]]], look, width),
      ...texts.flatMap(({ name, text, summary }) => [
        BLANK,
        prose(foreign(name, look, { style: 'strong' })),
        ...(folds && summary !== undefined
          ? summary.flatMap((lines) => lines.split('\n').map((line) => prose(foreign(line, look), 4)))
          : contentLines(text, name, look, width)),
      ]),
      BLANK,
    ];
    const isFolded = texts.some(({ summary }) => summary !== undefined);
    const build = (width: number) => show(width, true);
    const whole = isFolded ? { whole: (width: number) => show(width, false), alwaysView: true } : {};
    const choices = [
      { key: 'y', label: yes, consents: true },
      { key: 'n', label: no, also: ['q', 'escape'] },
    ];
    screen.openKeyboard();
    const key = await new Panel(screen, { build, choices, ...whole }).ask();
    if (key === 'y') return 'yes';
    return key === 'n' ? 'no' : 'interrupted';
  } finally {
    screen.close();
  }
}
