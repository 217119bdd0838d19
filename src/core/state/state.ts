import { readBlockers, writeBlockers } from './blockers.js';
import { readPhaseRows, writePhases } from './by-phase.js';
import { StateDraft } from './draft.js';
import { findFields, valuesOf, writeFields } from './field-lines.js';
import { FIELDS, type FieldHome, type FieldName, fieldsIn } from './fields.js';
import { type StateEdit, type StateFacts, type StateIssue, stateIssue } from './types.js';

const POSITION: FieldHome = { section: 'position' };
const VELOCITY: FieldHome = { section: 'metrics', group: 'velocity' };
const TREND: FieldHome = { section: 'metrics', group: 'trend' };
const SESSION: FieldHome = { section: 'session' };

/**
 * STATE.md with the facts in it. Nothing but the fields that the facts speak of is changed, and the same facts change
 * nothing a second time. Without a text, or with a blank one, a new STATE.md is written.
 */
export function updateState(text: string | null, facts: StateFacts): StateEdit {
  const isNew = text === null || text.trim() === '';
  const issues: StateIssue[] = [];
  if (isNew) issues.push(stateIssue('state-created', 'There was no STATE.md yet; a new one was written.'));
  const draft = new StateDraft(isNew ? newState() : text);
  const old = valuesOf(findFields(draft.outline));
  issues.push(...writeFields(draft, POSITION, facts, old));
  issues.push(...writeFields(draft, VELOCITY, facts, old));
  if (facts.byPhase) issues.push(...writePhases(draft, facts.byPhase));
  issues.push(...writeFields(draft, TREND, facts, old));
  if (facts.blockers) issues.push(...writeBlockers(draft, facts.blockers));
  issues.push(...writeFields(draft, SESSION, facts, old));
  return { text: draft.text, issues };
}

/** A STATE.md that knows nothing yet. */
const newState = () => `# Project State

## Current Position

${newLines(POSITION)}

## Performance Metrics

**Velocity:**
${newLines(VELOCITY, '- ')}

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| - | - | - | - |

**Recent Trend:**
${newLines(TREND, '- ')}

## Blockers/Concerns

None yet.

## Session Continuity

${newLines(SESSION)}
Resume file: None
`;

function newLines(home: FieldHome, mark = ''): string {
  const lines = fieldsIn(home).map((name) => {
    const { label, initial, isApart } = FIELDS[name];
    return `${isApart ? '\n' : ''}${mark}${label}: ${initial}`;
  });
  return lines.join('\n');
}

/** What STATE.md says now, as texts; null where the field is not there. */
export type StateFields = Readonly<Record<FieldName, string | null>> & {
  byPhase: { phase: string; plans: string; total: string; average: string }[];
  /** The lines under Blockers, without blank ones, comments, rules and a placeholder such as `None yet.` */
  blockers: string[];
};

/** What STATE.md says, read in the same places that `updateState` writes to, and in the same order. */
export function readState(text: string): StateFields {
  const { outline } = new StateDraft(text);
  const fields = findFields(outline);
  const read = (home: FieldHome) =>
    Object.fromEntries(fieldsIn(home).map((name) => [name, fields.get(name)?.value ?? null]));
  return {
    ...read(POSITION),
    ...read(VELOCITY),
    byPhase: readPhaseRows(outline)
      .filter(({ key }) => key !== 'earlier')
      .map(({ phase, plans, total, average }) => ({ phase, plans, total, average })),
    ...read(TREND),
    blockers: readBlockers(outline),
    ...read(SESSION),
  } as StateFields;
}
