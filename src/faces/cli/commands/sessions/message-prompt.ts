import { masksFor } from '../../../../config/redactor.js';
import { environmentVariables } from '../../../../node/terminal/terminal.js';
import { visibleLine } from '../../output.js';
import type { Screen } from '../../terminal/screen.js';
import { type TypedText, typeText } from '../../terminal/text-area.js';
import type { SessionAtWork } from './session-turn.js';

/** The pause in typing after which the draft is saved. */
const PAUSE_MS = 250;

interface PromptOptions {
  enter: string;
  esc: string | null;
  text?: string;
  history?: readonly string[];
}

/**
 * Reads the next message of a session. What is typed is kept with the turn while it is typed, and is there again the next
 * time, until it is sent to the model. Known secrets in it are masked.
 */
export async function askMessage(
  screen: Screen,
  { project, sessions, turn }: SessionAtWork,
  { text, ...options }: PromptOptions,
): Promise<TypedText> {
  const { maskKnown } = masksFor(project.config, environmentVariables());
  const draft = new DraftKeeper((typed) => sessions.keepMessage(turn, maskKnown(typed.trim())));
  const typed = await typeText(screen, {
    title: `Message to ${visibleLine(turn.meta.agent)} (session ${visibleLine(turn.meta.session)})`,
    text: text ?? sessions.leftMessage(turn) ?? '',
    onChange: (changed) => draft.change(changed),
    ...options,
  });
  await draft.end(typed.text);
  return { ...typed, text: maskKnown(typed.text.trim()) };
}

/** Saves drafts at every pause, one write at a time. */
class DraftKeeper {
  readonly #keep: (text: string) => Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #kept: Promise<void> = Promise.resolve();

  constructor(keep: (text: string) => Promise<void>) {
    this.#keep = keep;
  }

  change(text: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(text), PAUSE_MS);
  }

  async end(text: string): Promise<void> {
    clearTimeout(this.#timer);
    this.#write(text);
    await this.#kept;
  }

  #write(text: string): void {
    // A failed write is retried at the next pause; the last one reports the error.
    this.#kept = this.#kept.catch(() => {}).then(() => this.#keep(text));
    this.#kept.catch(() => {});
  }
}
