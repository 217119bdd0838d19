import { type Signal, signal } from '@preact/signals';
import type { Draft, LineComment } from '../api.js';
import { RequestFailure, send, sendLast } from './client.js';

/** Everything that the user has typed or chosen for one question, and not sent. */
export interface ReviewDraft {
  reason: string;
  comments: readonly LineComment[];
  /** The comment that is being written. */
  comment: LineComment | null;
  /** Hunks that are not to be written, with the reasons, by id. */
  dropped: Readonly<Record<string, string>>;
  /** The edited text, and what it is; null: no edit. */
  edit: { edits: 'result' | 'action'; text: string | null } | null;
  reply: string;
}

const EMPTY: ReviewDraft = { reason: '', comments: [], comment: null, dropped: {}, edit: null, reply: '' };

/** Saves each change at once: while one is under way, only the latest waits. */
export class QuestionDraft {
  readonly state: Signal<ReviewDraft> = signal(EMPTY);
  readonly #path: string;
  #changed = false;
  #saving = false;
  #unsaved = false;

  constructor(question: string) {
    this.#path = `/api/questions/${encodeURIComponent(question)}/draft`;
    addEventListener('pagehide', () => {
      if (this.#unsaved) void sendLast('PUT', this.#path, this.#body()).catch(() => {});
    });
    void this.#load();
  }

  /** As it was left earlier, and not touched since. */
  get isRestored(): boolean {
    return !this.#changed;
  }

  change(part: Partial<ReviewDraft>): void {
    this.state.value = { ...this.state.peek(), ...part };
    this.#changed = true;
    this.#unsaved = true;
    if (!this.#saving) void this.#save();
  }

  async #load(): Promise<void> {
    const { text } = await send<Draft>('GET', this.#path).catch(() => ({ text: null }));
    if (text === null || this.#changed) return;
    this.state.value = { ...EMPTY, ...readDraft(text) };
  }

  async #save(): Promise<void> {
    this.#saving = true;
    while (this.#unsaved) {
      this.#unsaved = false;
      try {
        await send('PUT', this.#path, this.#body());
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        // Without an answer it is sent again with the next change, or when the page closes.
        this.#unsaved = error.status === 0;
        break;
      }
    }
    this.#saving = false;
  }

  #body(): Draft {
    return { text: JSON.stringify(this.state.peek()) };
  }
}

function readDraft(text: string): Partial<ReviewDraft> {
  try {
    return JSON.parse(text) as Partial<ReviewDraft>;
  } catch {
    return { reason: text };
  }
}

const drafts = new Map<string, QuestionDraft>();

export function draftOf(question: string): QuestionDraft {
  const found = drafts.get(question);
  if (found) return found;
  const made = new QuestionDraft(question);
  drafts.set(question, made);
  return made;
}
