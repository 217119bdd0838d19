import { writeBlockers } from './blockers.js';
import { writePhases } from './by-phase.js';
import { StateDraft } from './draft.js';
import { stateIssue } from './issue-codes.js';
import { findFields, valuesOf } from './locate.js';
import type { StateEdit, StateFacts, StateIssue } from './types.js';
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
