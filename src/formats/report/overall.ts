import type { ActionRecord, Overall, StateChangeRecord } from './record.js';

interface Counted {
  refused: boolean;
  stateChanges: readonly StateChangeRecord[];
  actions: readonly ActionRecord[];
}

/** What a run came to, as a whole. A change of state that could not be applied counts as something that failed. */
export function overallOf({ refused, stateChanges, actions }: Counted): Overall {
  const { approved, succeeded, failed } = countActions(actions);
  if (refused) return 'Failed';
  if (approved === 0) return 'Skipped';
  const broken = failed > 0 || stateChanges.some(({ notApplied }) => notApplied.length > 0);
  if (succeeded === 0) return 'Failed';
  return broken || approved < actions.length ? 'Partial' : 'Completed';
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
