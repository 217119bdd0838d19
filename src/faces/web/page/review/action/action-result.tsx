import { listFacts } from '../../../../../core/report/list-facts.js';
import type { ActionRecord, Decider, Outcome } from '../../../../../core/report/record.js';
import { Chip } from '../../parts/controls.js';
import { type Fact, FactList } from '../../parts/fact-list.js';
import { Foreign } from '../../parts/foreign.js';

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
      <p class="decided">
        <OutcomeChip outcome={outcome} skipped={decision.status === 'skipped'} />
        <span class="muted">
          {decision.status === 'approved' ? 'Approved' : 'Skipped'} by {DECIDERS[decision.by]}
        </span>
      </p>
      {outcome.status !== 'not-run' && (
        <p>
          <Foreign text={outcome.summary} />
        </p>
      )}
      <FactList facts={factsOf(record)} />
    </div>
  );
}

function factsOf({ decision, outcome }: ActionRecord): Fact[] {
  const reply = outcome.status === 'not-run' ? undefined : outcome.reply;
  return [
    ...(decision.status === 'skipped' && decision.reason !== null
      ? [['Reason', decision.reason] as const]
      : []),
    ...(decision.comments ?? []).map(
      ({ line, text }): Fact => [line === null ? 'Comment' : `On line ${line}`, text],
    ),
    ...(reply === undefined ? [] : [['Your reply', reply] as const]),
    ...(outcome.status === 'not-run' ? [] : listFacts(outcome)),
  ];
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
