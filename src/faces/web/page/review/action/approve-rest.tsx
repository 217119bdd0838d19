import { useState } from 'preact/hooks';
import { findLookalikes } from '../../../../../core/plan/lookalikes.js';
import type { ActionDetail, ActionView, RunView } from '../../../api.js';
import { useKeys } from '../../keys.js';
import { Button, Dialog, LineCounts } from '../../parts/controls.js';
import { ForeignLine } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';
import { capitalize, countNoun } from '../../parts/words.js';

interface ApproveRestProps {
  run: RunView;
  /** The action that is asked about; null: a change to context or memos. */
  question: ActionDetail['question'];
  disabled?: boolean;
  onApprove(): void;
}

/** Approves this question and everything after it, once the user has seen the list. */
export function ApproveRest({ run, question, disabled, onApprove }: ApproveRestProps) {
  const [listed, setListed] = useState(false);
  useKeys(disabled ? {} : { A: () => setListed(true) });
  return (
    <>
      <Button shortcut="A" disabled={disabled ?? false} onClick={() => setListed(true)}>
        Approve the rest
      </Button>
      {listed && (
        <RestDialog run={run} question={question} onApprove={onApprove} onClose={() => setListed(false)} />
      )}
    </>
  );
}

interface RestDialogProps {
  run: RunView;
  question: ActionDetail['question'];
  onApprove(): void;
  onClose(): void;
}

const UNDECIDED: readonly ActionView['status'][] = ['planned', 'will-fail', 'asked'];

function RestDialog({ run, question, onApprove, onClose }: RestDialogProps) {
  const sections = run.stateChanges.filter(({ record }) => record === null);
  const actions = run.actions.filter(({ status }) => UNDECIDED.includes(status));
  const count = sections.length + actions.length;
  const approve = () => {
    onClose();
    onApprove();
  };
  return (
    <Dialog title={`Approve the rest: ${count}`} onClose={onClose}>
      <ul class="rest" aria-label="Everything that you approve">
        {sections.map(({ section, changes }) => (
          <li key={section}>
            <span class="rest-name">
              <strong>{section}</strong> {countNoun(changes.trimEnd().split('\n').length, 'change')}
            </span>
          </li>
        ))}
        {actions.map((view) => (
          <RestAction
            key={view.number}
            view={view}
            question={view.number === question?.number ? question : null}
          />
        ))}
      </ul>
      <div class="dialog-actions">
        <Button onClick={onClose}>Back</Button>
        <Button kind="primary" icon="check" onClick={approve}>
          {count === 1 ? 'Approve it' : `Approve all ${count}`}
        </Button>
      </div>
    </Dialog>
  );
}

/** The action that is asked about is listed as the question has it: the user may have edited it. */
function RestAction({ view, question }: { view: ActionView; question: ActionDetail['question'] }) {
  const label = (question && askedSubject(question)) ?? view.label;
  const risks = question === null ? view.risks.map(({ message }) => message) : risksIn(question);
  return (
    <li>
      <span class="rest-name">
        <strong>
          {view.number} {view.type}
        </strong>{' '}
        <code>
          <ForeignLine text={label} />
        </code>
      </span>
      {view.lines !== null && <LineCounts {...view.lines} />}
      {view.status === 'will-fail' && <RestNote text="Will fail unless you edit it" />}
      {view.type === 'EXECUTE' && <RestNote text="Runs a command" />}
      {risks.map((risk) => (
        <RestNote key={risk} text={risk} />
      ))}
      {isAskedAnyway(view) && question === null && <span class="muted">You will still be asked</span>}
    </li>
  );
}

type AskedEntry = NonNullable<ActionDetail['question']>;

function askedSubject(question: AskedEntry): string | undefined {
  if (question.kind === 'file') return question.path;
  const { action } = question;
  if ('path' in action) return action.path;
  return 'command' in action ? action.command.trim() : undefined;
}

function risksIn(question: AskedEntry): string[] {
  const lookalikes = question.kind === 'action' ? findLookalikes(question.action) : [];
  return [...question.risks.map(({ message }) => message), ...lookalikes];
}

/** A message is for the user alone, and so is the choice between two versions. */
function isAskedAnyway({ type, risks }: ActionView): boolean {
  return type === 'CHAT_WITH_USER' || risks.some(({ kind }) => kind === 'conflict');
}

function RestNote({ text }: { text: string }) {
  return (
    <span class="rest-note">
      <Icon name="warning" />
      <span>
        <ForeignLine text={capitalize(text)} />
      </span>
    </span>
  );
}
