import { readBlockers, writeBlockers } from './blockers.js';
import { readPhaseRows, writePhases } from './by-phase.js';
import { StateDraft } from './draft.js';
import type { FieldName } from './fields.js';
import { stateIssue } from './issue-codes.js';
import { findFields, valuesOf } from './locate.js';
import type { StateEdit, StateFacts, StateFields, StateIssue } from './types.js';
import { writeFields } from './write-fields.js';

/**
 * STATE.md with the facts in it. Nothing but the fields that the facts speak of is changed, and the same facts change
 * nothing a second time. Without a text, or with a blank one, a new STATE.md is written.
 */
export function updateState(text: string | null, facts: StateFacts): StateEdit {
  const isNew = text === null || text.trim() === '';
  const issues: StateIssue[] = [];
  if (isNew) issues.push(stateIssue('state-created', 'There was no STATE.md yet; a new one was written.'));
  const draft = new StateDraft(isNew ? NEW_STATE : text);
  const old = valuesOf(findFields(draft.outline));
  issues.push(...writeFields(draft, { section: 'position' }, facts, old));
  issues.push(...writeFields(draft, { section: 'metrics', group: 'velocity' }, facts, old));
  if (facts.byPhase) issues.push(...writePhases(draft, facts.byPhase));
  issues.push(...writeFields(draft, { section: 'metrics', group: 'trend' }, facts, old));
  if (facts.blockers) issues.push(...writeBlockers(draft, facts.blockers));
  issues.push(...writeFields(draft, { section: 'session' }, facts, old));
  return { text: draft.text, issues };
}

/** A STATE.md that knows nothing yet. */
const NEW_STATE = `# Project State

## Current Position

Phase: -
Plan: -
Status: Ready to execute
Last activity: -

Progress: [░░░░░░░░░░░░░░░░░░░░] 0%

## Performance Metrics

**Velocity:**
- Total plans completed: 0
- Average duration: -
- Total execution time: 0m

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| - | - | - | - |

**Recent Trend:**
- Last 5 plans: -
- Trend: Not enough data

## Blockers/Concerns

None yet.

## Session Continuity

Last session: -
Stopped at: -
Resume file: None
`;

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
