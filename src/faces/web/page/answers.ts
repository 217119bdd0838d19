import type { Answered, LineComment, PostedAnswer } from '../api.js';
import { send } from './client.js';
import type { ReviewDraft } from './drafts.js';
import { attempt, INBOX, inbox, refresh } from './store.js';

/** Sends an answer to an open question. False: it was refused, which a notice says. */
export async function sendAnswer(id: string, answer: PostedAnswer): Promise<boolean> {
  const sent = await attempt(() =>
    send<Answered>('POST', `/api/questions/${encodeURIComponent(id)}`, answer),
  );
  void refresh(INBOX);
  return sent;
}

/** The hash of a question that is shown from the inbox. */
export function openHashOf(id: string): string | undefined {
  return inbox.value?.questions.find((question) => question.id === id)?.hash;
}

/** What goes with any decision on an action. */
export function remarksOf({ comments, comment }: ReviewDraft): { comments?: LineComment[] } {
  const open = comment === null || comment.text.trim() === '' ? [] : [comment];
  const all = [...comments, ...open];
  return all.length === 0 ? {} : { comments: all };
}

/** The hunks to write, where some are dropped. */
export function choiceOf(
  hunks: readonly { id: string }[],
  { dropped }: ReviewDraft,
): Pick<PostedAnswer, 'keep' | 'dropReasons'> {
  const without = hunks.filter(({ id }) => id in dropped);
  if (without.length === 0) return {};
  const reasons = without.filter(({ id }) => dropped[id] !== '').map(({ id }) => [id, dropped[id]!]);
  return {
    keep: hunks.filter(({ id }) => !(id in dropped)).map(({ id }) => id),
    dropReasons: Object.fromEntries(reasons),
  };
}
