import { useState } from 'preact/hooks';
import { openHashOf, sendAnswer } from '../answers.js';
import { useKeys } from '../keys.js';
import { Button } from '../parts/controls.js';

/** A command failed: run it again, continue without it, or stop. */
export function RerunDecision({ id }: { id: string }) {
  const [sending, setSending] = useState(false);
  const hash = openHashOf(id);
  const send = async (decision: 'approve' | 'skip' | 'quit') => {
    if (hash === undefined || sending) return;
    setSending(true);
    if (!(await sendAnswer(id, { hash, decision }))) setSending(false);
  };
  useKeys({ a: () => void send('approve'), s: () => void send('skip') });
  return (
    <fieldset class="decision" aria-label="Decision" disabled={hash === undefined || sending}>
      <p>The command failed. Run it again once you have fixed the cause, or continue without it.</p>
      <div class="decision-buttons">
        <Button kind="danger" icon="stop" onClick={() => void send('quit')}>
          Stop
        </Button>
        <Button icon="skip" shortcut="s" onClick={() => void send('skip')}>
          Continue
        </Button>
        <Button kind="primary" icon="runs" shortcut="a" onClick={() => void send('approve')}>
          Run again
        </Button>
      </div>
    </fieldset>
  );
}
