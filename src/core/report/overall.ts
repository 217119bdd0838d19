import type { ActionRecord, Overall, StateChangeRecord } from './record.js';

interface Counted {
  refused: boolean;
  stateChanges: readonly StateChangeRecord[];
  actions: readonly ActionRecord[];
}

/** The overall status. A state change counts like an action; one that was not wholly applied is a failure. */
export function overallOf({ refused, stateChanges, actions }: Counted): Overall {
  const decided = [...actions, ...stateChanges];
  const changed = stateChanges.filter(
    ({ decision, notApplied }) => decision.status === 'approved' && notApplied.length === 0,
  );
  const succeeded = countActions(actions).succeeded + changed.length;
  if (refused) return 'Failed';
  if (decided.every(({ decision }) => decision.status === 'skipped')) return 'Skipped';
  if (succeeded === 0) return 'Failed';
  return succeeded < decided.length ? 'Partial' : 'Completed';
}

export interface ActionCounts {
  total: number;
  approved: number;
  skipped: number;
  succeeded: number;
  failed: number;
}

type Decided = { decision: { status: string }; outcome: { status: string } };

export function countActions(actions: readonly Decided[]): ActionCounts {
  const approved = actions.filter(({ decision }) => decision.status === 'approved').length;
  const ended = (status: string) => actions.filter(({ outcome }) => outcome.status === status).length;
  return {
    total: actions.length,
    approved,
    skipped: actions.length - approved,
    succeeded: ended('success'),
    failed: ended('failure'),
  };
}
