import { readBlockers } from './blockers.js';
import { readPhaseRows } from './by-phase.js';
import { StateDraft } from './draft.js';
import type { FieldName } from './fields.js';
import { findFields } from './locate.js';
import type { StateFields } from './types.js';

/** What STATE.md says, read in the same places that `updateState` writes to. */
export function readState(text: string): StateFields {
  const { outline } = new StateDraft(text);
  const fields = findFields(outline);
  const said = (name: FieldName) => fields.get(name)?.value ?? null;
  return {
    phase: said('phase'),
    plan: said('plan'),
    status: said('status'),
    lastActivity: said('lastActivity'),
    progress: said('progress'),
    totalPlansCompleted: said('totalPlansCompleted'),
    averageDuration: said('averageDuration'),
    totalExecutionTime: said('totalExecutionTime'),
    byPhase: readPhaseRows(outline)
      .filter(({ key }) => key !== 'earlier')
      .map(({ phase, plans, total, average }) => ({ phase, plans, total, average })),
    lastPlans: said('lastPlans'),
    trend: said('trend'),
    blockers: readBlockers(outline),
    lastSession: said('lastSession'),
    stoppedAt: said('stoppedAt'),
  };
}
