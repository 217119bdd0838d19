import { writeBlockers } from './blockers.js';
import { writePhases } from './by-phase.js';
import { applyEdits, type Step } from './edits.js';
import { stateIssue } from './issue-codes.js';
import { NEW_STATE } from './new-state.js';
import { fieldValue } from './read.js';
import { readDocument, type StateDocument } from './sections.js';
import type { StateEdit, StateFacts, StateIssue } from './types.js';
import { fieldValues, type Twins } from './values.js';
import { writeFields } from './write-fields.js';

/**
 * STATE.md with the facts in it. Nothing but the fields that the facts speak of is changed, and the same facts change
 * nothing a second time. Without a text, or with a blank one, a new STATE.md is written.
 */
export function updateState(text: string | null, facts: StateFacts): StateEdit {
  const isNew = text === null || text.trim() === '';
  const issues: StateIssue[] = [];
  if (isNew) issues.push(stateIssue('state-created', 'There was no STATE.md yet; a new one was written.'));
  let now = isNew ? NEW_STATE : text;
  let document: StateDocument | undefined = readDocument(now);
  for (const step of stepsFor(facts, readTwins(document))) {
    document ??= readDocument(now);
    const { edits, issues: found } = step(document);
    for (const issue of found) issues.push(issue);
    if (edits.length === 0) continue;
    now = applyEdits(now, edits);
    document = undefined;
  }
  return { text: now, issues };
}

/** As they stand before the first step: one of them is written long before the other. */
function readTwins(document: StateDocument): Twins {
  return {
    lastActivity: fieldValue(document, 'lastActivity'),
    stoppedAt: fieldValue(document, 'stoppedAt'),
  };
}

/** Each step sees what the one before it wrote: a section that was added is there for the next. */
function* stepsFor(facts: StateFacts, twins: Twins): Generator<(document: StateDocument) => Step> {
  const { phase, plan, status, lastActivity, progress, velocity, byPhase, recentPlans, blockers, session } =
    facts;
  const values = fieldValues(facts, twins);
  if (phase || plan || status || lastActivity || progress)
    yield (document) => writeFields(document, { section: 'position' }, values);
  if (velocity) yield (document) => writeFields(document, { section: 'metrics', group: 'velocity' }, values);
  if (byPhase) yield (document) => writePhases(document, byPhase);
  if (recentPlans) yield (document) => writeFields(document, { section: 'metrics', group: 'trend' }, values);
  if (blockers) yield (document) => writeBlockers(document, blockers);
  if (session) yield (document) => writeFields(document, { section: 'session' }, values);
}
