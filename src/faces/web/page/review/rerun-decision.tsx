import type { QuestionRef } from '../../api.js';
import { useAnswer } from '../answers.js';
import { useKeys } from '../keys.js';
import { Button } from '../parts/controls.js';

/** A command failed: run it again, continue without it, or stop. */
export function RerunDecision({ open }: { open: QuestionRef }) {
  const { sending, answer } = useAnswer(open);
  const send = (decision: 'approve' | 'skip' | 'quit') => void answer({ decision });
  useKeys({ a: () => send('approve'), s: () => send('skip') });
  return (
    <fieldset class="decision" aria-label="Decision" disabled={sending}>
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
