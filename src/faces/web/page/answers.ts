import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answered, LineComment, PostedAnswer, QuestionRef } from '../api.js';
import { send } from './client.js';
import { draftOf, type ReviewDraft } from './drafts.js';
import { attempt, INBOX, refresh } from './store.js';

/** An answer so soon after a question appears was meant for the one before: a double click, a key pressed twice. */
const SETTLE_MS = 500;

interface Answering {
  sending: boolean;
  /** The question has just appeared: it takes no answer yet. */
  isNew: boolean;
  /** Answers the question that is shown, once. False: it was ignored, or refused, which a notice says. */
  answer(given: Omit<PostedAnswer, 'hash'>): Promise<boolean>;
}

/** How the buttons and keys of a decision answer the question that is shown. */
export function useAnswer({ id, hash }: QuestionRef): Answering {
  const shown = `${id} ${hash}`;
  const [sending, setSending] = useState(false);
  const [settled, setSettled] = useState<string | null>(null);
  const busy = useRef(false);
  const setBusy = (isBusy: boolean) => {
    busy.current = isBusy;
    setSending(isBusy);
  };
  useEffect(() => {
    setBusy(false);
    const timer = setTimeout(() => setSettled(shown), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const isNew = settled !== shown;
  const answer: Answering['answer'] = async (given) => {
    if (busy.current || isNew) return false;
    setBusy(true);
    const sent = await sendAnswer(id, { hash, ...given });
    if (!sent) setBusy(false);
    return sent;
  };
  return { sending, isNew, answer };
}

/** Sends an answer to an open question. False: it was refused, which a notice says. */
async function sendAnswer(id: string, answer: PostedAnswer): Promise<boolean> {
  const draft = draftOf(id);
  draft.isClosed = true;
  const sent = await attempt(() =>
    send<Answered>('POST', `/api/questions/${encodeURIComponent(id)}`, answer),
  );
  draft.isClosed = sent;
  void refresh(INBOX);
  return sent;
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
