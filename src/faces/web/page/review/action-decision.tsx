import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActionQuestion } from '../../../../review/question.js';
import type { PostedAnswer } from '../../api.js';
import { choiceOf, remarksOf, sendAnswer } from '../answers.js';
import type { QuestionDraft } from '../drafts.js';
import { useKeys } from '../keys.js';
import { Button } from '../parts/controls.js';
import { countNoun } from '../parts/words.js';
import { ReasonBox } from './reason-box.js';

interface ActionDecisionProps {
  id: string;
  question: ActionQuestion;
  hunks: readonly { id: string }[];
  draft: QuestionDraft;
  onEdit(): void;
}

/** A key that was meant for the question before this one must not approve it. */
const SETTLE_MS = 300;

/** The decision on an action, bound to the hash of what is shown. */
export function ActionDecision({ id, question, hunks, draft, onEdit }: ActionDecisionProps) {
  const [sending, setSending] = useState(false);
  const shownAt = useRef(performance.now());
  const state = draft.state.value;
  const reply = useRef<HTMLTextAreaElement>(null);
  const isChat = question.action.type === 'CHAT_WITH_USER';
  const kept = hunks.filter((hunk) => !(hunk.id in state.dropped)).length;
  const keepsNothing = hunks.length > 0 && kept === 0;

  const send = async (answer: Omit<PostedAnswer, 'hash'>) => {
    if (sending) return;
    setSending(true);
    const sent = await sendAnswer(id, { hash: question.hash, ...answer });
    if (!sent) setSending(false);
  };
  const withReason = () => (state.reason === '' ? {} : { reason: state.reason });
  const approve = () => {
    if (keepsNothing) return;
    if (isChat) void send({ decision: 'reply', text: state.reply, ...remarksOf(state) });
    else void send({ decision: 'approve', ...remarksOf(state), ...choiceOf(hunks, state) });
  };
  const skip = () => void send({ decision: 'skip', ...withReason(), ...remarksOf(state) });
  const comment = () => draft.change({ comment: state.comment ?? { line: null, text: '' } });

  useEffect(() => {
    shownAt.current = performance.now();
  }, []);
  useKeys({
    a: () => {
      if (performance.now() - shownAt.current < SETTLE_MS) return;
      if (isChat) reply.current?.focus();
      else approve();
    },
    s: () => document.querySelector<HTMLElement>('.decision [aria-label="Reason"]')?.focus(),
    e: onEdit,
    ...(hunks.length === 0 ? { c: comment } : {}),
  });

  return (
    <fieldset class="decision" aria-label="Decision" disabled={sending}>
      {isChat && (
        <textarea
          ref={reply}
          aria-label="Reply"
          placeholder="Your reply"
          value={state.reply}
          onInput={(event) => draft.change({ reply: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) approve();
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      )}
      <ReasonBox draft={draft} onSkip={skip} />
      <div class="decision-buttons">
        <Notes state={state} hunks={hunks.length} kept={kept} />
        <Button icon="skip" shortcut="s" onClick={skip}>
          Skip
        </Button>
        <Button icon="pencil" shortcut="e" onClick={onEdit}>
          Edit
        </Button>
        <Button icon="comment" shortcut="c" onClick={comment}>
          Comment
        </Button>
        <Button
          onClick={() => void send({ decision: 'rest', ...remarksOf(state), ...choiceOf(hunks, state) })}
        >
          Approve the rest
        </Button>
        <Button kind="danger" icon="stop" onClick={() => void send({ decision: 'quit', ...withReason() })}>
          Stop
        </Button>
        <Button
          kind="primary"
          icon={isChat ? 'send' : 'check'}
          shortcut="a"
          disabled={keepsNothing}
          onClick={approve}
        >
          {isChat ? 'Reply' : 'Approve'}
        </Button>
      </div>
    </fieldset>
  );
}

interface NotesProps {
  state: { comments: readonly unknown[] };
  hunks: number;
  kept: number;
}

function Notes({ state, hunks, kept }: NotesProps) {
  const notes = [
    ...(kept === hunks
      ? []
      : [kept === 0 ? 'No change is kept: skip the action' : `${kept} of ${hunks} changes kept`]),
    ...(state.comments.length === 0 ? [] : [countNoun(state.comments.length, 'comment')]),
  ];
  return (
    <span class="decision-notes muted" role="status">
      {notes.join(' · ')}
    </span>
  );
}
