import { useState } from 'preact/hooks';
import type { InboxQuestion, SessionView } from '../../api.js';
import { sendAnswer } from '../answers.js';
import { send } from '../client.js';
import { draftOf } from '../drafts.js';
import { Button, CommandLine } from '../parts/controls.js';
import { asPlainLine } from '../parts/words.js';
import { attempt } from '../store.js';

interface MessageBoxProps {
  session: SessionView;
  /** The open question that asks for the message; undefined where none is open. */
  question: InboxQuestion | undefined;
}

/** The next message of a session. */
export function MessageBox({ session, question }: MessageBoxProps) {
  const draft = draftOf(question?.id ?? `message:${session.name}`);
  const [sending, setSending] = useState(false);
  const text = draft.state.value.reply;
  if (question === undefined && !session.canSend)
    return (
      <div class="no-model muted">
        <p>No model is configured, so messages cannot be sent from here. In a terminal:</p>
        <CommandLine command={`teddy resume ${session.name}`} />
      </div>
    );
  const submit = async () => {
    if (sending) return;
    setSending(true);
    const sent =
      question === undefined
        ? await attempt(() =>
            send('POST', `/api/sessions/${encodeURIComponent(session.name)}/message`, { text }),
          )
        : await sendAnswer(question.id, { hash: question.hash, decision: 'reply', text });
    setSending(false);
    if (sent) draft.change({ reply: '' });
  };
  return (
    <div class="message-box">
      <textarea
        aria-label="Message"
        placeholder={`Message to ${asPlainLine(session.agent ?? 'the agent')} (empty: just continue)`}
        value={text}
        onInput={(event) => draft.change({ reply: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <div class="message-buttons">
        <span class="muted">Ctrl+Enter sends</span>
        <Button kind="primary" icon="send" disabled={sending} onClick={() => void submit()}>
          Send
        </Button>
      </div>
    </div>
  );
}
