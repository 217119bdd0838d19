import { effect, type Signal, signal } from '@preact/signals';
import type { Draft, LineComment } from '../api.js';
import { RequestFailure, send, sendLast } from './client.js';
import { connection, inbox } from './store.js';

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

/** Why what the user typed is not saved, as a sentence; null: all of it is, or the connection is lost. */
export const unsavedReason = signal<string | null>(null);

const RETRY_MS = 2000;

/** Saves each change at once: while one is under way, only the latest waits. */
export class QuestionDraft {
  readonly state: Signal<ReviewDraft> = signal(EMPTY);
  /** What was saved earlier is in `state`. */
  readonly loaded: Signal<boolean> = signal(false);
  /** This page is answering the question, or it is no longer open. */
  isClosed = false;
  readonly #path: string;
  #changed = false;
  #saving = false;
  #unsaved = false;

  constructor(question: string) {
    this.#path = `/api/questions/${encodeURIComponent(question)}/draft`;
    addEventListener('pagehide', () => {
      if (this.#unsaved) void sendLast('PUT', this.#path, this.#body()).catch(() => {});
    });
    effect(() => {
      if (connection.value === 'open') void this.#synchronize();
    });
  }

  /** As it was left earlier, and not touched since. */
  get isRestored(): boolean {
    return !this.#changed;
  }

  change(part: Partial<ReviewDraft>): void {
    this.state.value = { ...this.state.peek(), ...part };
    this.#changed = true;
    this.#unsaved = true;
    void this.#synchronize();
  }

  /** Loads before it saves: what was typed earlier is never overwritten unread. */
  async #synchronize(): Promise<void> {
    if (this.#saving) return;
    this.#saving = true;
    try {
      if (!this.loaded.peek()) await this.#load();
      while (this.#unsaved) await this.#save();
      if (this.#changed) unsavedReason.value = null;
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      this.#report(error);
    } finally {
      this.#saving = false;
    }
  }

  async #load(): Promise<void> {
    try {
      const { text } = await send<Draft>('GET', this.#path);
      if (text !== null) this.state.value = joinDrafts({ ...EMPTY, ...readDraft(text) }, this.state.peek());
    } catch (error) {
      if (!(error instanceof RequestFailure) || isTemporary(error.status)) throw error;
    }
    this.loaded.value = true;
  }

  async #save(): Promise<void> {
    this.#unsaved = false;
    try {
      await send('PUT', this.#path, this.#body());
    } catch (error) {
      this.#unsaved = true;
      throw error;
    }
  }

  /** A lost connection has a banner of its own, and what is unsaved is sent when it is back. */
  #report({ status, message }: RequestFailure): void {
    if (status === 429 || status >= 500) setTimeout(() => void this.#synchronize(), RETRY_MS);
    if (status === 413 || status === 429 || status >= 500) unsavedReason.value = message;
    // Anything else is a question that is no longer open: its text is among the leftovers.
    else if (!isTemporary(status)) this.#unsaved = false;
  }

  #body(): Draft {
    return { text: JSON.stringify(this.state.peek()) };
  }
}

/** No answer, no token, too many requests, or a fault of the server. */
function isTemporary(status: number): boolean {
  return status === 0 || status === 401 || status === 429 || status >= 500;
}

/** Both texts where both have one, the older first. */
function joinDrafts(older: ReviewDraft, newer: ReviewDraft): ReviewDraft {
  const join = (one: string, other: string, between: string) =>
    one === '' || other === '' ? one + other : `${one}${between}${other}`;
  return {
    reason: join(older.reason, newer.reason, ' '),
    comments: [...older.comments, ...newer.comments],
    comment: newer.comment ?? older.comment,
    dropped: { ...older.dropped, ...newer.dropped },
    edit: newer.edit ?? older.edit,
    reply: join(older.reply, newer.reply, '\n'),
  };
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

export interface Leftover {
  question: string;
  text: string;
}

/** What the user typed for questions that another face answered, or whose run is over. */
export const leftovers = signal<readonly Leftover[]>([]);

export function dismissLeftover(leftover: Leftover): void {
  leftovers.value = leftovers.peek().filter((one) => one !== leftover);
}

/** Keeps the text of a question within reach when the question closes without an answer from this page. */
export function keepLeftovers(): void {
  const wasOpen = new Set<string>();
  effect(() => {
    if (inbox.value === null) return;
    const open = new Set(inbox.value.questions.map(({ id }) => id));
    for (const id of open) wasOpen.add(id);
    for (const [question, draft] of drafts) {
      if (open.has(question) || !wasOpen.has(question) || draft.isClosed) continue;
      draft.isClosed = true;
      const text = textOf(draft.state.peek());
      if (text !== '') leftovers.value = [...leftovers.peek(), { question, text }];
    }
  });
}

function textOf({ reason, reply, comments, comment, dropped, edit }: ReviewDraft): string {
  const remarks = [...comments, ...(comment === null ? [] : [comment])].map(({ line, text }) =>
    line === null || text === '' ? text : `Line ${line}: ${text}`,
  );
  return [reason, reply, ...remarks, ...Object.values(dropped), edit?.text ?? '']
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}
