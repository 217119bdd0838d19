import type { ActionRecord, Decider, Outcome } from '../../../../../core/report/record.js';
import { Chip } from '../../parts/controls.js';
import { Foreign } from '../../parts/foreign.js';
import { countNoun } from '../../parts/words.js';

const DECIDERS: Record<Decider, string> = {
  person: 'you',
  rest: 'you, with the rest',
  yes: '--yes',
  decisions: 'the decisions file',
  policy: 'the policy',
  teddy: 'teddy',
};

/** What was decided on an action, by whom and why, and its outcome. */
export function ActionResult({ record }: { record: ActionRecord }) {
  const { decision, outcome } = record;
  return (
    <div class={`result ${outcome.status}`}>
      <p>
        <OutcomeChip outcome={outcome} skipped={decision.status === 'skipped'} />{' '}
        <span class="muted">
          {decision.status === 'approved' ? 'Approved' : 'Skipped'} by {DECIDERS[decision.by]}
          {outcome.status !== 'not-run' &&
            outcome.exitCode !== undefined &&
            `, exit code ${outcome.exitCode}`}
        </span>
      </p>
      {decision.status === 'skipped' && decision.reason !== null && (
        <p>
          Reason: <Foreign text={decision.reason} />
        </p>
      )}
      {outcome.status !== 'not-run' && (
        <>
          <p>
            <Foreign text={outcome.summary} />
          </p>
          {outcome.kept !== undefined && (
            <p class="muted">
              {countNoun(outcome.kept.count, 'change')} kept, {outcome.kept.dropped.length} dropped
            </p>
          )}
          {outcome.notes?.map((note) => (
            <p key={note} class="muted">
              <Foreign text={note} />
            </p>
          ))}
        </>
      )}
    </div>
  );
}

function OutcomeChip({ outcome, skipped }: { outcome: Outcome; skipped: boolean }) {
  if (outcome.status === 'success')
    return (
      <Chip tone="good" icon="check">
        Done
      </Chip>
    );
  if (outcome.status === 'failure')
    return (
      <Chip tone="bad" icon="cross">
        Failed
      </Chip>
    );
  return (
    <Chip tone="neutral" icon="skip">
      {skipped ? 'Skipped' : 'Not run'}
    </Chip>
  );
}
