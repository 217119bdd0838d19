import type { QuestionRef, RunView, StateView } from '../../api.js';
import { useAnswer } from '../answers.js';
import { draftOf } from '../drafts.js';
import { useKeys } from '../keys.js';
import { Button, Chip } from '../parts/controls.js';
import { focusReason, ReasonBox } from '../parts/reason-box.js';
import { ApproveRest } from './action/approve-rest.js';
import { CodeLine, NO_LOOKS } from './diff/code-line.js';

/** Changes to what the agent sees in the next turn. */
export function StatePanel({ run, view }: { run: RunView; view: StateView }) {
  const lines = view.changes.replace(/\n$/, '').split('\n');
  return (
    <>
      <section class="action-panel">
        <header class="action-head">
          <h2>{view.section}</h2>
          {view.record !== null && (
            <Chip tone={view.record.decision.status === 'approved' ? 'good' : 'neutral'}>
              {view.record.decision.status}
            </Chip>
          )}
        </header>
        <div class="plain-lines">
          {lines.map((line, at) => (
            <div key={at} class={`diff-side ${line.startsWith('[-]') ? 'removed' : 'added'}`}>
              <span />
              <span />
              <span />
              <CodeLine text={line} {...NO_LOOKS} />
            </div>
          ))}
        </div>
      </section>
      {view.open !== null && <StateDecision run={run} open={view.open} />}
    </>
  );
}

function StateDecision({ run, open }: { run: RunView; open: QuestionRef }) {
  const draft = draftOf(open.id);
  const { sending, isNew, answer } = useAnswer(open);
  const decide = (decision: 'approve' | 'skip' | 'rest' | 'quit') => {
    const { reason } = draft.state.peek();
    void answer({ decision, ...(reason === '' ? {} : { reason }) });
  };
  useKeys({ a: () => decide('approve') }, { s: focusReason });
  return (
    <fieldset class="decision" aria-label="Decision" aria-busy={isNew} disabled={sending}>
      <ReasonBox draft={draft} onSkip={() => decide('skip')} />
      <div class="decision-buttons">
        <Button icon="skip" shortcut="s" onClick={() => decide('skip')}>
          Skip
        </Button>
        <ApproveRest run={run} question={null} onApprove={() => decide('rest')} />
        <Button kind="danger" icon="stop" onClick={() => decide('quit')}>
          Stop
        </Button>
        <Button kind="primary" icon="check" shortcut="a" onClick={() => decide('approve')}>
          Approve
        </Button>
      </div>
    </fieldset>
  );
}
