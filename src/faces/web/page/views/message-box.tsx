import { useRef, useState } from 'preact/hooks';
import type { SessionView } from '../../api.js';
import { send } from '../client.js';
import { draftOf } from '../drafts.js';
import { useKeys } from '../keys.js';
import { Button, CommandLine } from '../parts/controls.js';
import { asPlainLine } from '../parts/words.js';
import { attempt, planning, refresh } from '../store.js';

const WHEN_EMPTY: Record<SessionView['whenEmpty'], string> = {
  review: ' (empty: review the plan)',
  ask: ' (empty: just continue)',
  none: '',
};

/** The next message of a session. */
export function MessageBox({ session }: { session: SessionView }) {
  const draft = draftOf(`message:${session.name}`);
  const [sending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const text = draft.state.value.reply;
  const path = `/api/sessions/${encodeURIComponent(session.name)}`;
  const { unsent } = session;
  const isEmpty = text.trim() === '';
  const isReview = isEmpty && session.whenEmpty === 'review';
  const hasBox = session.canSend || session.whenEmpty === 'review';
  useKeys({}, hasBox ? { c: () => box.current?.focus() } : {});
  if (!hasBox)
    return (
      <div class="no-model muted">
        <p>No model is configured, so messages cannot be sent from here. In a terminal:</p>
        <CommandLine command={`teddy resume ${session.name}`} />
      </div>
    );
  // A process elsewhere may have ended since: then the message is sent, and otherwise refused.
  const isWorking = sending || session.reviewing !== null || planning.value[session.name] !== undefined;
  const cannotSend = isWorking || (isEmpty && session.whenEmpty === 'none');
  const submit = async () => {
    if (cannotSend) return;
    setSending(true);
    const sent = await attempt(() => send('POST', `${path}/message`, { hash: session.hash, text }));
    setSending(false);
    if (sent) draft.change({ reply: '' });
    void refresh(path);
  };
  return (
    <div class="message-box">
      <textarea
        ref={box}
        aria-label="Message"
        aria-keyshortcuts="c"
        placeholder={`Message to ${asPlainLine(session.agent ?? 'the agent')}${WHEN_EMPTY[session.whenEmpty]}`}
        value={text}
        onInput={(event) => draft.change({ reply: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <div class="message-buttons">
        {unsent !== null && isEmpty && (
          <Button onClick={() => draft.change({ reply: unsent })}>Restore the unsent message</Button>
        )}
        <span class="muted">{session.isBusy ? 'teddy is working in this session' : 'Ctrl+Enter sends'}</span>
        <Button kind="primary" icon="send" disabled={cannotSend} onClick={() => void submit()}>
          {isReview ? 'Review the plan' : 'Send'}
        </Button>
      </div>
    </div>
  );
}
