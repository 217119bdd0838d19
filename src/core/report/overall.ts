import type { ActionRecord, Overall, StateChangeRecord } from './record.js';

interface Counted {
  refused: boolean;
  stateChanges: readonly StateChangeRecord[];
  actions: readonly ActionRecord[];
}

/** The overall status. An approved state change counts like an action: as a success, or as a failure if it was not applied. */
export function overallOf({ refused, stateChanges, actions }: Counted): Overall {
  const counts = countActions(actions);
  const changes = stateChanges.filter(({ decision }) => decision.status === 'approved');
  const applied = changes.filter(({ notApplied }) => notApplied.length === 0).length;
  const succeeded = counts.succeeded + applied;
  const failed = counts.failed + changes.length - applied;
  if (refused) return 'Failed';
  if (counts.approved + changes.length === 0) return 'Skipped';
  if (succeeded === 0) return 'Failed';
  return failed > 0 || counts.approved < actions.length ? 'Partial' : 'Completed';
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
