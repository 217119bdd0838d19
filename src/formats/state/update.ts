import { writeBlockers } from './blockers.js';
import { writePhases } from './by-phase.js';
import { applyEdits, type Step } from './edits.js';
import { stateIssue } from './issue-codes.js';
import { NEW_STATE } from './new-state.js';
import { readDocument, type StateDocument } from './sections.js';
import type { StateEdit, StateFacts, StateIssue } from './types.js';
import { fieldValues } from './values.js';
import { writeFields } from './write-fields.js';

/**
 * STATE.md with the facts in it. Nothing but the fields that the facts speak of is changed, and the same facts change
 * nothing a second time. Without a text, or with a blank one, a new STATE.md is written.
 */
export function updateState(text: string | null, facts: StateFacts): StateEdit {
  const isNew = text === null || text.trim() === '';
  const issues: StateIssue[] = [];
  if (isNew) issues.push(stateIssue('state-created', 'There was no STATE.md yet; a new one was written.'));
  let document = readDocument(isNew ? NEW_STATE : text);
  for (const step of stepsFor(facts)) {
    const { edits, issues: found } = step(document);
    issues.push(...found);
    if (edits.length > 0) document = readDocument(applyEdits(document.lines.text, edits));
  }
  return { text: document.lines.text, issues };
}

/** Each step sees what the one before it wrote: a section that was added is there for the next. */
function* stepsFor(facts: StateFacts): Generator<(document: StateDocument) => Step> {
  const { phase, plan, status, lastActivity, progress, velocity, byPhase, recentPlans, blockers, session } =
    facts;
  const values = fieldValues(facts);
  if (phase || plan || status || lastActivity || progress)
    yield (document) => writeFields(document, { section: 'position' }, values);
  if (velocity) yield (document) => writeFields(document, { section: 'metrics', group: 'velocity' }, values);
  if (byPhase) yield (document) => writePhases(document, byPhase);
  if (recentPlans) yield (document) => writeFields(document, { section: 'metrics', group: 'trend' }, values);
  if (blockers) yield (document) => writeBlockers(document, blockers);
  if (session) yield (document) => writeFields(document, { section: 'session' }, values);
}
