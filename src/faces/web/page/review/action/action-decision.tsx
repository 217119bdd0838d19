import { useRef } from 'preact/hooks';
import type { ActionDetail, QuestionRef, RunView } from '../../../api.js';
import { choiceOf, remarksOf, useAnswer } from '../../answers.js';
import type { QuestionDraft } from '../../drafts.js';
import { openBox, useKeys } from '../../keys.js';
import { Button } from '../../parts/controls.js';
import { focusReason, ReasonBox } from '../../parts/reason-box.js';
import { countNoun } from '../../parts/words.js';
import { openComment } from '../diff/comments.js';
import { ApproveRest } from './approve-rest.js';

interface ActionDecisionProps {
  run: RunView;
  open: QuestionRef;
  question: NonNullable<ActionDetail['question']>;
  hunks: readonly { id: string }[];
  draft: QuestionDraft;
  /** Undefined where there is no text to edit. */
  onEdit: (() => void) | undefined;
}

/** The decision on an action, bound to the hash of what is shown. */
export function ActionDecision({ run, open, question, hunks, draft, onEdit }: ActionDecisionProps) {
  const { sending, isNew, answer } = useAnswer(open);
  const state = draft.state.value;
  const reply = useRef<HTMLTextAreaElement>(null);
  const isChat = question.kind === 'action' && question.action.type === 'CHAT_WITH_USER';
  const kept = hunks.filter((hunk) => !(hunk.id in state.dropped)).length;
  const keepsNothing = hunks.length > 0 && kept === 0;

  const withReason = () => (state.reason === '' ? {} : { reason: state.reason });
  const approve = () => {
    if (keepsNothing) return;
    if (isChat) void answer({ decision: 'reply', text: state.reply, ...remarksOf(state) });
    else void answer({ decision: 'approve', ...remarksOf(state), ...choiceOf(hunks, state) });
  };
  const approveRest = () => {
    const reply = isChat ? { text: state.reply } : {};
    void answer({ decision: 'rest', ...reply, ...remarksOf(state), ...choiceOf(hunks, state) });
  };
  const skip = () => void answer({ decision: 'skip', ...withReason(), ...remarksOf(state) });
  const comment = () => openComment(draft, null);

  const focusReply = () => reply.current?.focus();
  useKeys(isChat ? {} : { a: approve }, {
    ...(isChat ? { a: focusReply } : {}),
    s: focusReason,
    ...(onEdit ? { e: onEdit } : {}),
    C: comment,
    ...(hunks.length === 0 ? { c: comment } : {}),
  });

  return (
    <fieldset class="decision" aria-label="Decision" aria-busy={isNew} disabled={sending}>
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
        {onEdit && (
          <Button icon="pencil" shortcut="e" onClick={() => openBox(onEdit)}>
            Edit
          </Button>
        )}
        <Button icon="comment" shortcut="C" onClick={comment}>
          Comment
        </Button>
        <ApproveRest
          run={run}
          question={question}
          disabled={keepsNothing || (isChat && state.reply.trim() === '')}
          onApprove={approveRest}
        />
        <Button kind="danger" icon="stop" onClick={() => void answer({ decision: 'quit', ...withReason() })}>
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

/** A command failed: run it again, continue without it, or stop. */
export function RerunDecision({ open }: { open: QuestionRef }) {
  const { sending, isNew, answer } = useAnswer(open);
  const send = (decision: 'approve' | 'skip' | 'quit') => void answer({ decision });
  useKeys({ a: () => send('approve'), s: () => send('skip') });
  return (
    <fieldset class="decision" aria-label="Decision" aria-busy={isNew} disabled={sending}>
      <p>The command failed. Run it again once you have fixed the cause, or continue without it.</p>
      <div class="decision-buttons">
        <Button kind="danger" icon="stop" onClick={() => send('quit')}>
          Stop
        </Button>
        <Button icon="skip" shortcut="s" onClick={() => send('skip')}>
          Continue
        </Button>
        <Button kind="primary" icon="runs" shortcut="a" onClick={() => send('approve')}>
          Run again
        </Button>
      </div>
    </fieldset>
  );
}
