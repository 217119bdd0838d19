import { StateDraft } from './draft.js';
import { findFields, valuesOf, writeFields } from './field-lines.js';
import { FIELDS, type FieldHome, type FieldName, fieldsIn } from './fields.js';
import { readBlockers, readPhaseRows, writeBlockers, writePhases } from './sections.js';
import { type StateEdit, type StateFacts, stateIssue } from './types.js';

const POSITION: FieldHome = { section: 'position' };
const VELOCITY: FieldHome = { section: 'metrics', group: 'velocity' };
const TREND: FieldHome = { section: 'metrics', group: 'trend' };
const SESSION: FieldHome = { section: 'session' };

/** A STATE.md, parsed once: its current text, and its text with other facts. */
export class StateFile {
  private readonly isNew: boolean;
  private readonly draft: StateDraft;

  /** Without a text, or with a blank one, it is a new STATE.md. */
  constructor(text: string | null) {
    this.isNew = text === null || text.trim() === '';
    this.draft = new StateDraft(this.isNew ? '' : text!);
  }

  /** Read in the same places that `update` writes to, and in the same order. */
  get fields(): StateFields {
    return readFields(this.draft);
  }

  /** Nothing but the fields that the facts speak of is changed, and the same facts change nothing a second time. */
  update(facts: StateFacts): StateEdit {
    const draft = this.isNew ? new StateDraft(newState()) : this.draft;
    const old = valuesOf(findFields(draft.outline));
    const issues = [
      ...(this.isNew
        ? [stateIssue('state-created', 'There was no STATE.md yet; a new one was written.')]
        : []),
      ...writeFields(draft, POSITION, facts, old),
      ...writeFields(draft, VELOCITY, facts, old),
      ...(facts.byPhase ? writePhases(draft, facts.byPhase) : []),
      ...writeFields(draft, TREND, facts, old),
      ...(facts.blockers ? writeBlockers(draft, facts.blockers) : []),
      ...writeFields(draft, SESSION, facts, old),
    ];
    return { text: draft.text, issues };
  }
}

export function updateState(text: string | null, facts: StateFacts): StateEdit {
  return new StateFile(text).update(facts);
}

export function readState(text: string): StateFields {
  return new StateFile(text).fields;
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

/** The current values of STATE.md, as texts; null if the field is missing. */
export type StateFields = Readonly<Record<FieldName, string | null>> & {
  byPhase: { phase: string; plans: string; total: string; average: string }[];
  /** The lines under Blockers, without blank ones, comments, rules and a placeholder such as `None yet.` */
  blockers: string[];
};

function readFields({ outline }: StateDraft): StateFields {
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
